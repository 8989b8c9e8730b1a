#pragma once
#include "register/tilingdata_base.h"

namespace optiling {
BEGIN_TILING_DATA_DEF(MeanAllTilingData)
TILING_DATA_FIELD_DEF(uint64_t, length);  // elements of the whole tensor
TILING_DATA_FIELD_DEF(uint64_t, perCore); // elements of every core but the last
TILING_DATA_FIELD_DEF(uint32_t, tile);    // elements that are on chip together: 64 times a power of 2
TILING_DATA_FIELD_DEF(float, reciprocal); // 1 / length: the device does not divide integers to a float
END_TILING_DATA_DEF;

REGISTER_TILING_DATA_CLASS(MeanAll, MeanAllTilingData)
} // namespace optiling
