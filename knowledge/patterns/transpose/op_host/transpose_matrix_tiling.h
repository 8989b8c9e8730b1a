#pragma once
#include "register/tilingdata_base.h"

namespace optiling {
BEGIN_TILING_DATA_DEF(TransposeMatrixTilingData)
TILING_DATA_FIELD_DEF(uint32_t, batch);       // matrices
TILING_DATA_FIELD_DEF(uint32_t, rows);        // of a matrix of x
TILING_DATA_FIELD_DEF(uint32_t, columns);     // of a matrix of x
TILING_DATA_FIELD_DEF(uint32_t, side);        // of the square tiles: a multiple of 16
TILING_DATA_FIELD_DEF(uint32_t, tilesDown);   // tiles from top to bottom of a matrix
TILING_DATA_FIELD_DEF(uint32_t, tilesAcross); // tiles from left to right
END_TILING_DATA_DEF;

REGISTER_TILING_DATA_CLASS(TransposeMatrix, TransposeMatrixTilingData)
} // namespace optiling
