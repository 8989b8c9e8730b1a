#pragma once
#include "register/tilingdata_base.h"

namespace optiling {
BEGIN_TILING_DATA_DEF(TotalSumTilingData)
TILING_DATA_FIELD_DEF(uint64_t, total);
TILING_DATA_FIELD_DEF(uint64_t, perCore);
TILING_DATA_FIELD_DEF(uint32_t, tile);
TILING_DATA_FIELD_DEF(uint32_t, cores);
END_TILING_DATA_DEF;

REGISTER_TILING_DATA_CLASS(TotalSum, TotalSumTilingData)
} // namespace optiling
