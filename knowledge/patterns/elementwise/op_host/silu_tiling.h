#pragma once
#include "register/tilingdata_base.h"

namespace optiling {
BEGIN_TILING_DATA_DEF(SiluTilingData)
TILING_DATA_FIELD_DEF(uint64_t, total);      // elements of the whole tensor
TILING_DATA_FIELD_DEF(uint64_t, perCore);    // elements of every core but the last
TILING_DATA_FIELD_DEF(uint32_t, tileLength); // elements of a full tile
END_TILING_DATA_DEF;

REGISTER_TILING_DATA_CLASS(Silu, SiluTilingData)
} // namespace optiling
