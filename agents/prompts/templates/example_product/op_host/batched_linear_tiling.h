#ifndef BATCHED_LINEAR_TILING_H
#define BATCHED_LINEAR_TILING_H
#include "register/tilingdata_base.h"
#include "tiling/tiling_api.h"

namespace optiling {
BEGIN_TILING_DATA_DEF(BatchedLinearTilingData)
TILING_DATA_FIELD_DEF(uint32_t, batches);
TILING_DATA_FIELD_DEF_STRUCT(TCubeTiling, cube);  // of one batch: whole shape, one core's share, base blocks
END_TILING_DATA_DEF;
REGISTER_TILING_DATA_CLASS(BatchedLinear, BatchedLinearTilingData)
}  // namespace optiling
#endif
