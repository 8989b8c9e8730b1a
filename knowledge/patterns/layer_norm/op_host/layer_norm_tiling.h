#pragma once
#include "register/tilingdata_base.h"

namespace optiling {
BEGIN_TILING_DATA_DEF(LayerNormTilingData)
TILING_DATA_FIELD_DEF(uint32_t, rows);         // of the whole tensor
TILING_DATA_FIELD_DEF(uint32_t, perCore);      // rows of every core but the last
TILING_DATA_FIELD_DEF(uint32_t, columns);      // elements of a row
TILING_DATA_FIELD_DEF(uint32_t, bytes);        // of a row in global memory
TILING_DATA_FIELD_DEF(uint32_t, pitch);        // of a row on chip, in elements: columns rounded up to 32 bytes
TILING_DATA_FIELD_DEF(uint32_t, partialPitch); // of a row's partial sums: columns / 8, rounded up to 64 * 8^n
TILING_DATA_FIELD_DEF(uint32_t, tileRows);     // rows that are on chip together
TILING_DATA_FIELD_DEF(float, epsilon);
TILING_DATA_FIELD_DEF(float, reciprocal); // 1 / columns: the device does not divide integers to a float
END_TILING_DATA_DEF;

REGISTER_TILING_DATA_CLASS(LayerNorm, LayerNormTilingData)
} // namespace optiling
