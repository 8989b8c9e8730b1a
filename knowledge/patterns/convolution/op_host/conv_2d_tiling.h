#pragma once
#include "register/tilingdata_base.h"
#include "tiling/tiling_api.h"

namespace optiling {
BEGIN_TILING_DATA_DEF(Conv2dTilingData)
TILING_DATA_FIELD_DEF(uint32_t, batch);
TILING_DATA_FIELD_DEF(uint32_t, channels); // of x
TILING_DATA_FIELD_DEF(uint32_t, height);
TILING_DATA_FIELD_DEF(uint32_t, width);
TILING_DATA_FIELD_DEF(uint32_t, pitch);          // of a row on chip, in elements: width rounded up to 32 bytes
TILING_DATA_FIELD_DEF_STRUCT(TCubeTiling, cube); // of one image: weight * unfolded
END_TILING_DATA_DEF;

REGISTER_TILING_DATA_CLASS(Conv2d, Conv2dTilingData)
} // namespace optiling
