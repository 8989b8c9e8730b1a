#pragma once
#include "register/tilingdata_base.h"
#include "tiling/tiling_api.h"

namespace optiling {
BEGIN_TILING_DATA_DEF(LinearGeluTilingData)
TILING_DATA_FIELD_DEF_STRUCT(TCubeTiling, cube); // whole shape, one core's share, base blocks
END_TILING_DATA_DEF;

REGISTER_TILING_DATA_CLASS(LinearGelu, LinearGeluTilingData)
} // namespace optiling
