#ifndef LEAKY_RELU_ATTR_TILING_H
#define LEAKY_RELU_ATTR_TILING_H
#include "register/tilingdata_base.h"

namespace optiling {
BEGIN_TILING_DATA_DEF(LeakyReluAttrTilingData)
TILING_DATA_FIELD_DEF(uint32_t, totalLength);
TILING_DATA_FIELD_DEF(uint32_t, perCore);
TILING_DATA_FIELD_DEF(uint32_t, tileLength);
TILING_DATA_FIELD_DEF(float, scalar);
END_TILING_DATA_DEF;

REGISTER_TILING_DATA_CLASS(LeakyReluAttr, LeakyReluAttrTilingData)
} // namespace optiling
#endif
