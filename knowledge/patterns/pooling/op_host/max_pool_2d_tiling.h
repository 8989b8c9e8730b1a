#pragma once
#include "register/tilingdata_base.h"

namespace optiling {
BEGIN_TILING_DATA_DEF(MaxPool2dTilingData)
TILING_DATA_FIELD_DEF(uint32_t, planes); // batch times channels
TILING_DATA_FIELD_DEF(uint32_t, height); // of a plane of x
TILING_DATA_FIELD_DEF(uint32_t, width);  // of a plane of x
TILING_DATA_FIELD_DEF(uint32_t, outHeight);
TILING_DATA_FIELD_DEF(uint32_t, outWidth);
TILING_DATA_FIELD_DEF(uint32_t, pitch);    // of a row of x on chip: a border of at least one element on both sides
TILING_DATA_FIELD_DEF(uint32_t, outPitch); // of a row of the result on chip
TILING_DATA_FIELD_DEF(uint32_t, bandRows); // rows of the result that are on chip together: a band
TILING_DATA_FIELD_DEF(uint32_t, bands);    // of a plane
END_TILING_DATA_DEF;

REGISTER_TILING_DATA_CLASS(MaxPool2d, MaxPool2dTilingData)
} // namespace optiling
