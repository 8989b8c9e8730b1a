#pragma once
#include "register/tilingdata_base.h"

namespace optiling {
BEGIN_TILING_DATA_DEF(EmbeddingRowsTilingData)
TILING_DATA_FIELD_DEF(uint32_t, count);
TILING_DATA_FIELD_DEF(uint32_t, perCore);
TILING_DATA_FIELD_DEF(uint32_t, columns);
TILING_DATA_FIELD_DEF(uint32_t, padded);
END_TILING_DATA_DEF;

REGISTER_TILING_DATA_CLASS(EmbeddingRows, EmbeddingRowsTilingData)
} // namespace optiling
