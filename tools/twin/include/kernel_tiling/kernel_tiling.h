// Tiling structures of the high-level interfaces as plain C++: what the device reads, and what op_host code may fill
// instead of the classes in host_include/adv_api. Host code is C++11.
#pragma once
#include <stdint.h>
#include "library_fields.h"

struct alignas(8) SoftMaxTiling {
    uint32_t srcM, srcK, srcSize;
    uint32_t outMaxM, outMaxK, outMaxSize;
    uint32_t splitM, splitK, splitSize;
    uint32_t reduceM, reduceK, reduceSize;
    uint32_t rangeM, tailM, tailSplitSize, tailReduceSize;
};
struct alignas(8) LogSoftMaxTiling {
    uint32_t srcM, srcK, srcSize;
    uint32_t outMaxM, outMaxK, outMaxSize;
    uint32_t splitM, splitK, splitSize;
    uint32_t reduceM, reduceK, reduceSize;
    uint32_t rangeM, tailM, tailSplitSize, tailReduceSize;
};
struct alignas(8) LayerNormTiling {
    uint32_t bLength, sLength, hLength, originalHLength;
    uint32_t inputXSize, meanVarSize, tmpBufSize, loopRound;
    float lastDimValueBack;
    uint32_t reserved;
};
struct alignas(8) RmsNormTiling {
    uint32_t bLength, sLength, hLength, originalHLength;
    float reciprocalOfHLength;
    uint32_t mainBshLength, mainBsLength, mainBsLengthAlign;
    uint32_t loopRound, inputTailPos, tailBshLength, tailBsLength;
};
struct alignas(8) TCubeTiling {
    int32_t usedCoreNum;
    int32_t M, N, Ka, Kb;
    int32_t singleCoreM, singleCoreN, singleCoreK;
    int32_t baseM, baseN, baseK;
    int32_t depthA1, depthB1, stepM, stepN;
    int32_t isBias, transLength, iterateOrder, shareMode;
    int32_t shareL1Size, shareL0CSize, shareUbSize;
    int32_t batchM, batchN, singleBatchM, singleBatchN;
    int32_t stepKa, stepKb;
    int32_t depthAL1CacheUB, depthBL1CacheUB;
    int32_t dbL0A, dbL0B, dbL0C;
    int32_t ALayoutInfoB, ALayoutInfoS, ALayoutInfoN, ALayoutInfoG, ALayoutInfoD;
    int32_t BLayoutInfoB, BLayoutInfoS, BLayoutInfoN, BLayoutInfoG, BLayoutInfoD;
    int32_t CLayoutInfoB, CLayoutInfoS1, CLayoutInfoN, CLayoutInfoG, CLayoutInfoS2;
    int32_t BatchNum, mxTypePara;
};

// The tilings of high-level interfaces, as the device reads them.
#define AKGEN_FIELD(Type, name) Type name = 0;
#define AKGEN_STRUCT(Name, Fields)                                                                                     \
    struct alignas(8) Name {                                                                                           \
        Fields(AKGEN_FIELD)                                                                                            \
    };
AKGEN_LIBRARY_TILINGS(AKGEN_STRUCT)
#undef AKGEN_STRUCT
#undef AKGEN_FIELD

namespace AscendC {
namespace tiling {
using ::LayerNormTiling;
using ::LogSoftMaxTiling;
using ::RmsNormTiling;
using ::SoftMaxTiling;
using ::TCubeTiling;
#define AKGEN_STRUCT(Name, Fields) using ::Name;
AKGEN_LIBRARY_TILINGS(AKGEN_STRUCT)
#undef AKGEN_STRUCT
} // namespace tiling
} // namespace AscendC
