#pragma once
#include "register/tilingdata_base.h"

namespace optiling {
BEGIN_TILING_DATA_DEF(LayerNormBackwardTilingData)
TILING_DATA_FIELD_DEF(uint32_t, rows);    // of the whole tensor
TILING_DATA_FIELD_DEF(uint32_t, perCore); // rows of every core but the last
TILING_DATA_FIELD_DEF(uint32_t, columns); // elements of a row
TILING_DATA_FIELD_DEF(uint32_t, stride);  // elements from row to row on chip: columns rounded up to 32 bytes
TILING_DATA_FIELD_DEF(uint32_t,
                      partialStride); // of the partial sums: a row has columns / 8, padded to 64 times a power of 8
TILING_DATA_FIELD_DEF(uint32_t, tileRows); // rows that are on chip together
END_TILING_DATA_DEF;

REGISTER_TILING_DATA_CLASS(LayerNormBackward, LayerNormBackwardTilingData)
} // namespace optiling
