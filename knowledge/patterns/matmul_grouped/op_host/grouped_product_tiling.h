#pragma once
#include "register/tilingdata_base.h"
#include "tiling/tiling_api.h"

namespace optiling {
constexpr uint32_t MOST_GROUPS = 64; // the tiling data has a fixed size; another limit serves as well
BEGIN_TILING_DATA_DEF(GroupedProductTilingData)
TILING_DATA_FIELD_DEF(uint32_t, groups);                // number of groups of rows
TILING_DATA_FIELD_DEF_ARR(uint32_t, MOST_GROUPS, ends); // where each group ends: the row behind its last
TILING_DATA_FIELD_DEF_STRUCT(TCubeTiling, cube);        // of the largest group: shape, one core's share, base blocks
END_TILING_DATA_DEF;

REGISTER_TILING_DATA_CLASS(GroupedProduct, GroupedProductTilingData)
} // namespace optiling
