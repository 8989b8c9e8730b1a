#pragma once
#include "register/tilingdata_base.h"

namespace optiling {
BEGIN_TILING_DATA_DEF(TakeAlongRowsTilingData)
TILING_DATA_FIELD_DEF(uint32_t, rows);    // of x and of index
TILING_DATA_FIELD_DEF(uint32_t, perCore); // rows of every core but the last
TILING_DATA_FIELD_DEF(uint32_t, columns); // elements of a row of x
TILING_DATA_FIELD_DEF(uint32_t, indices); // indices of a row
TILING_DATA_FIELD_DEF(uint32_t, piece);   // indices that are on chip together
END_TILING_DATA_DEF;

REGISTER_TILING_DATA_CLASS(TakeAlongRows, TakeAlongRowsTilingData)
} // namespace optiling
