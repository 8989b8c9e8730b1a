#ifndef CORPUS_TILING_H
#define CORPUS_TILING_H
#include "register/tilingdata_base.h"

namespace optiling {
BEGIN_TILING_DATA_DEF(CorpusTilingData)
TILING_DATA_FIELD_DEF(uint32_t, total);
TILING_DATA_FIELD_DEF(uint32_t, perCore);
END_TILING_DATA_DEF;

REGISTER_TILING_DATA_CLASS(Corpus, CorpusTilingData)
} // namespace optiling
#endif
