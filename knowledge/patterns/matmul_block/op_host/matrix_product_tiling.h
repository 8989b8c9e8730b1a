#pragma once
#include "register/tilingdata_base.h"

namespace optiling {
BEGIN_TILING_DATA_DEF(MatrixProductTilingData)
TILING_DATA_FIELD_DEF(uint32_t, m); // rows of a and of the result
TILING_DATA_FIELD_DEF(uint32_t, n); // columns of b and of the result
TILING_DATA_FIELD_DEF(uint32_t, k); // columns of a, rows of b
END_TILING_DATA_DEF;

REGISTER_TILING_DATA_CLASS(MatrixProduct, MatrixProductTilingData)
} // namespace optiling
