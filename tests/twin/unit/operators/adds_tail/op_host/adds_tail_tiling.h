#ifndef ADDS_TAIL_TILING_H
#define ADDS_TAIL_TILING_H
#include "register/tilingdata_base.h"

namespace optiling {
BEGIN_TILING_DATA_DEF(AddsTailTilingData)
TILING_DATA_FIELD_DEF(uint32_t, totalLength);
TILING_DATA_FIELD_DEF(uint32_t, perCore);
TILING_DATA_FIELD_DEF(uint32_t, tileLength);
TILING_DATA_FIELD_DEF(float, scalar);
END_TILING_DATA_DEF;

REGISTER_TILING_DATA_CLASS(AddsTail, AddsTailTilingData)
} // namespace optiling
#endif
