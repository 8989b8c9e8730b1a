#pragma once
#include "register/tilingdata_base.h"

namespace optiling {
BEGIN_TILING_DATA_DEF(ColumnSumTilingData)
TILING_DATA_FIELD_DEF(uint32_t, rows);     // of the matrix
TILING_DATA_FIELD_DEF(uint32_t, columns);  // of the matrix
TILING_DATA_FIELD_DEF(uint32_t, width);    // columns that a core takes together
TILING_DATA_FIELD_DEF(uint32_t, strips);   // of `width` columns, the last one shorter
TILING_DATA_FIELD_DEF(uint32_t, tileRows); // rows that are on chip together
END_TILING_DATA_DEF;

REGISTER_TILING_DATA_CLASS(ColumnSum, ColumnSumTilingData)
} // namespace optiling
