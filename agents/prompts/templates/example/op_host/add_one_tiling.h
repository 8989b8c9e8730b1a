#ifndef ADD_ONE_TILING_H
#define ADD_ONE_TILING_H
#include "register/tilingdata_base.h"

namespace optiling {
BEGIN_TILING_DATA_DEF(AddOneTilingData)
TILING_DATA_FIELD_DEF(uint64_t, total);       // elements in all
TILING_DATA_FIELD_DEF(uint64_t, perCore);     // elements per core; the last core may have fewer
TILING_DATA_FIELD_DEF(uint32_t, tileLength);  // elements per tile
END_TILING_DATA_DEF;
REGISTER_TILING_DATA_CLASS(AddOne, AddOneTilingData)
}  // namespace optiling
#endif
