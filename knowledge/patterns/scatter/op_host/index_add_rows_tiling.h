#pragma once
#include "register/tilingdata_base.h"

namespace optiling {
BEGIN_TILING_DATA_DEF(IndexAddRowsTilingData)
TILING_DATA_FIELD_DEF(uint32_t, rows);     // of x and of the result
TILING_DATA_FIELD_DEF(uint32_t, added);    // rows that are added
TILING_DATA_FIELD_DEF(uint32_t, columns);  // elements of a row
TILING_DATA_FIELD_DEF(uint32_t, pitch);    // of a row on chip, in floats: columns rounded up to 32 bytes
TILING_DATA_FIELD_DEF(uint32_t, tileRows); // rows that are on chip together
END_TILING_DATA_DEF;

REGISTER_TILING_DATA_CLASS(IndexAddRows, IndexAddRowsTilingData)
} // namespace optiling
