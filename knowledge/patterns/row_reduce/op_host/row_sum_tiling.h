#pragma once
#include "register/tilingdata_base.h"

namespace optiling {
BEGIN_TILING_DATA_DEF(RowSumTilingData)
TILING_DATA_FIELD_DEF(uint32_t, rows);         // of the whole tensor
TILING_DATA_FIELD_DEF(uint32_t, perCore);      // rows of every core but the last
TILING_DATA_FIELD_DEF(uint32_t, columns);      // elements of a row
TILING_DATA_FIELD_DEF(uint32_t, piece);        // elements of a row that are on chip together
TILING_DATA_FIELD_DEF(uint32_t, pitch);        // of a row on chip, in elements: piece rounded up to 32 bytes
TILING_DATA_FIELD_DEF(uint32_t, partialPitch); // floats from row to row of the partial sums: 64 times a power of 8
TILING_DATA_FIELD_DEF(uint32_t, tileRows);     // rows that are on chip together, at most 64
END_TILING_DATA_DEF;

REGISTER_TILING_DATA_CLASS(RowSum, RowSumTilingData)
} // namespace optiling
