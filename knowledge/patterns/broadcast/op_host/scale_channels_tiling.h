#pragma once
#include "register/tilingdata_base.h"

namespace optiling {
BEGIN_TILING_DATA_DEF(ScaleChannelsTilingData)
TILING_DATA_FIELD_DEF(uint32_t, rows);    // planes of the images: batch times channels
TILING_DATA_FIELD_DEF(uint32_t, perCore); // rows of every core but the last
TILING_DATA_FIELD_DEF(uint32_t, channels);
TILING_DATA_FIELD_DEF(uint32_t, columns);  // elements of a row, that is, of a plane
TILING_DATA_FIELD_DEF(uint32_t, piece);    // elements of a row that are on chip together
TILING_DATA_FIELD_DEF(uint32_t, pitch);    // of a row on chip, in elements: piece rounded up to 16
TILING_DATA_FIELD_DEF(uint32_t, tileRows); // rows that are on chip together
END_TILING_DATA_DEF;

REGISTER_TILING_DATA_CLASS(ScaleChannels, ScaleChannelsTilingData)
} // namespace optiling
