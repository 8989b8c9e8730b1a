#pragma once
#include "register/tilingdata_base.h"

namespace optiling {
BEGIN_TILING_DATA_DEF(EmbeddingLookupTilingData)
TILING_DATA_FIELD_DEF(uint32_t, count);    // tokens in all
TILING_DATA_FIELD_DEF(uint32_t, perCore);  // tokens of every core but the last
TILING_DATA_FIELD_DEF(uint32_t, columns);  // elements of a row
TILING_DATA_FIELD_DEF(uint32_t, pitch);    // of a row on chip, in elements: columns rounded up to 16
TILING_DATA_FIELD_DEF(uint32_t, tileRows); // rows that are on chip together
END_TILING_DATA_DEF;

REGISTER_TILING_DATA_CLASS(EmbeddingLookup, EmbeddingLookupTilingData)
} // namespace optiling
