#pragma once
#include "register/tilingdata_base.h"

namespace optiling {
BEGIN_TILING_DATA_DEF(AdamwStepTilingData)
TILING_DATA_FIELD_DEF(uint64_t, length);  // elements of each tensor
TILING_DATA_FIELD_DEF(uint64_t, perCore); // elements of every core but the last
TILING_DATA_FIELD_DEF(uint32_t, tile);    // elements of each tensor that are on chip together
TILING_DATA_FIELD_DEF(float, lr);         // learning rate
TILING_DATA_FIELD_DEF(float, beta1);
TILING_DATA_FIELD_DEF(float, beta2);
TILING_DATA_FIELD_DEF(float, eps);
TILING_DATA_FIELD_DEF(float, decay);       // of the weights
TILING_DATA_FIELD_DEF(float, correction1); // of the first moment: 1 - beta1^step
TILING_DATA_FIELD_DEF(float, correction2); // of the second moment: 1 - beta2^step
END_TILING_DATA_DEF;

REGISTER_TILING_DATA_CLASS(AdamwStep, AdamwStepTilingData)
} // namespace optiling
