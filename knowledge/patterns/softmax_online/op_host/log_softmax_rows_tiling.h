#pragma once
#include "register/tilingdata_base.h"

namespace optiling {
BEGIN_TILING_DATA_DEF(LogSoftmaxRowsTilingData)
TILING_DATA_FIELD_DEF(uint32_t, rows);    // of the matrix
TILING_DATA_FIELD_DEF(uint32_t, perCore); // rows of every core but the last
TILING_DATA_FIELD_DEF(uint32_t, columns); // elements of a row
TILING_DATA_FIELD_DEF(uint32_t, piece);   // lanes, each with a running maximum and sum: a multiple of 64
END_TILING_DATA_DEF;

REGISTER_TILING_DATA_CLASS(LogSoftmaxRows, LogSoftmaxRowsTilingData)
} // namespace optiling
