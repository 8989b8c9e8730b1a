#pragma once
#include "register/tilingdata_base.h"

namespace optiling {
BEGIN_TILING_DATA_DEF(DynamicQuantizeRowsTilingData)
TILING_DATA_FIELD_DEF(uint32_t, rows);    // of the matrix
TILING_DATA_FIELD_DEF(uint32_t, perCore); // rows of every core but the last
TILING_DATA_FIELD_DEF(uint32_t, columns); // elements of a row
TILING_DATA_FIELD_DEF(uint32_t, padded);  // columns rounded up to 64, so that padded / 8 maxima fill whole blocks
END_TILING_DATA_DEF;

REGISTER_TILING_DATA_CLASS(DynamicQuantizeRows, DynamicQuantizeRowsTilingData)
} // namespace optiling
