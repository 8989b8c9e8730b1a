#pragma once
#include "register/tilingdata_base.h"

namespace optiling {
constexpr uint32_t TENSORS = 2; // in each list: the outputs z0 and z1 are no list, which would grow with it
BEGIN_TILING_DATA_DEF(ForeachLerpTilingData)
TILING_DATA_FIELD_DEF(uint32_t, tile);                 // elements that are on chip together
TILING_DATA_FIELD_DEF_ARR(uint64_t, TENSORS, lengths); // elements of each tensor of a list
TILING_DATA_FIELD_DEF(float, weight);
END_TILING_DATA_DEF;

REGISTER_TILING_DATA_CLASS(ForeachLerp, ForeachLerpTilingData)
} // namespace optiling
