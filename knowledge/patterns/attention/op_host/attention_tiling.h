#pragma once
#include "register/tilingdata_base.h"
#include "tiling/tiling_api.h"

namespace optiling {
BEGIN_TILING_DATA_DEF(AttentionTilingData)
TILING_DATA_FIELD_DEF(uint32_t, batch);
TILING_DATA_FIELD_DEF(uint32_t, length);           // rows of q, k and v
TILING_DATA_FIELD_DEF(uint32_t, width);            // columns of q, k and v
TILING_DATA_FIELD_DEF(uint32_t, rows);             // rows of q for which a core computes the scores at a time
TILING_DATA_FIELD_DEF(float, scale);               // of the scores: 1 / sqrt(width)
TILING_DATA_FIELD_DEF_STRUCT(TCubeTiling, scores); // q * k^T
TILING_DATA_FIELD_DEF_STRUCT(TCubeTiling, values); // probabilities * v
END_TILING_DATA_DEF;

REGISTER_TILING_DATA_CLASS(Attention, AttentionTilingData)
} // namespace optiling
