// Names that tiling templates share.
#ifndef AKGEN_TILING_TILING_TYPE_H
#define AKGEN_TILING_TILING_TYPE_H
#include "graph/types.h"

namespace optiling {

enum class AxisEnum { B = 0, N2 = 1, G = 2, S1 = 3, S2 = 4, D = 5, NONE = 9 };
enum class DtypeEnum { FLOAT16 = 0, FLOAT32 = 1, BFLOAT16 = 2, FLOAT16_PRECISION = 3 };
enum class PerformanceOrientedEnum { BIG_BUFFER = 1, BIG_DOUBLE_BUFFER = 2 };
enum class MatmulConfig { NULL_CONFIG = 0, NORMAL_CONFIG = 1, MDL_CONFIG = 2 };
enum class PseConfig { NO_PSE = 0, EXIST_PSE = 1 };
enum class AttenMaskConfig { NO_ATTEN_MASK = 0, EXIST_ATTEN_MASK = 1 };
enum class DropOutConfig { NO_DROP_OUT = 0, EXIST_DROP_OUT = 1 };
enum class CubeFormatEnum { ND = 0, NZ = 1 };
enum class LayoutEnum { BSND = 0, SBND = 1, BNSD = 2, TND = 3 };

} // namespace optiling
#endif
