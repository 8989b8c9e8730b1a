#pragma once
#include "register/tilingdata_base.h"

namespace optiling {
BEGIN_TILING_DATA_DEF(EmbeddingLookupTilingData)
TILING_DATA_FIELD_DEF(uint32_t, count);    // indices in all
TILING_DATA_FIELD_DEF(uint32_t, perCore);  // indices of every core but the last
TILING_DATA_FIELD_DEF(uint32_t, columns);  // elements of a row
TILING_DATA_FIELD_DEF(uint32_t, stride);   // elements from row to row on chip: columns rounded up to 16
TILING_DATA_FIELD_DEF(uint32_t, tileRows); // rows that are on chip together
END_TILING_DATA_DEF;

REGISTER_TILING_DATA_CLASS(EmbeddingLookup, EmbeddingLookupTilingData)
} // namespace optiling
