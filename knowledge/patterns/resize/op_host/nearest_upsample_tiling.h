#pragma once
#include "register/tilingdata_base.h"

namespace optiling {
BEGIN_TILING_DATA_DEF(NearestUpsampleTilingData)
TILING_DATA_FIELD_DEF(uint32_t, rows);     // of all planes of x
TILING_DATA_FIELD_DEF(uint32_t, perCore);  // rows of every core but the last
TILING_DATA_FIELD_DEF(uint32_t, width);    // elements of a row of x
TILING_DATA_FIELD_DEF(uint32_t, pitch);    // of a row on chip, in elements: width rounded up to 16
TILING_DATA_FIELD_DEF(uint32_t, tileRows); // rows that are on chip together
END_TILING_DATA_DEF;

REGISTER_TILING_DATA_CLASS(NearestUpsample, NearestUpsampleTilingData)
} // namespace optiling
