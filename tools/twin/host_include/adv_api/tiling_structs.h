// Tiling structs of the high-level device APIs; kernel_tiling/kernel_tiling.h holds the same on the device side. Functions fill
// or read the class of optiling, or the plain structure of AscendC::tiling, whose bytes are those that the class writes.
#ifndef AKGEN_ADV_API_TILING_STRUCTS_H
#define AKGEN_ADV_API_TILING_STRUCTS_H
#include "../../include/kernel_tiling/kernel_tiling.h"
#include "register/tilingdata_base.h"

namespace akgen {
namespace host {

template <class Plain> struct RegisteredTiling {}; // `type`: the class with the structure's fields

// Names either. What is set in it stands in the structure at once; the rest of a structure stays as it is.
template <class Def> class FilledTiling {
public:
    FilledTiling(Def &tiling) : named_(&tiling) {}
    template <class Plain,
              class = typename std::enable_if<std::is_same<typename RegisteredTiling<Plain>::type, Def>::value>::type>
    FilledTiling(Plain &tiling) : plain_(&tiling)
    {
        static_assert(std::is_trivially_copyable<Plain>::value, "");
        own_.LoadFromBuffer(&tiling, sizeof(Plain));
        own_.SetDataPtr(plain_);
    }
    // C++11 asks for it where an argument is converted.
    FilledTiling(FilledTiling &&other) : own_(other.own_), named_(other.named_), plain_(other.plain_)
    {
        own_.SetDataPtr(plain_);
    }
    FilledTiling(const FilledTiling &) = delete;
    FilledTiling &operator=(const FilledTiling &) = delete;
    Def *operator->() { return &**this; }
    Def &operator*() { return named_ != nullptr ? *named_ : own_; }

private:
    Def own_;
    Def *named_ = nullptr;
    void *plain_ = nullptr;
};

} // namespace host
} // namespace akgen

#define AKGEN_REGISTERED_TILING(Name, Fields)                                                                          \
    namespace akgen {                                                                                                  \
    namespace host {                                                                                                   \
    template <> struct RegisteredTiling<::Name> {                                                                      \
        using type = ::optiling::Name;                                                                                 \
    };                                                                                                                 \
    }                                                                                                                  \
    }

namespace optiling {

#define AKGEN_SOFTMAX_FIELDS                                                                                           \
    TILING_DATA_FIELD_DEF(uint32_t, srcM);                                                                             \
    TILING_DATA_FIELD_DEF(uint32_t, srcK);                                                                             \
    TILING_DATA_FIELD_DEF(uint32_t, srcSize);                                                                          \
    TILING_DATA_FIELD_DEF(uint32_t, outMaxM);                                                                          \
    TILING_DATA_FIELD_DEF(uint32_t, outMaxK);                                                                          \
    TILING_DATA_FIELD_DEF(uint32_t, outMaxSize);                                                                       \
    TILING_DATA_FIELD_DEF(uint32_t, splitM);                                                                           \
    TILING_DATA_FIELD_DEF(uint32_t, splitK);                                                                           \
    TILING_DATA_FIELD_DEF(uint32_t, splitSize);                                                                        \
    TILING_DATA_FIELD_DEF(uint32_t, reduceM);                                                                          \
    TILING_DATA_FIELD_DEF(uint32_t, reduceK);                                                                          \
    TILING_DATA_FIELD_DEF(uint32_t, reduceSize);                                                                       \
    TILING_DATA_FIELD_DEF(uint32_t, rangeM);                                                                           \
    TILING_DATA_FIELD_DEF(uint32_t, tailM);                                                                            \
    TILING_DATA_FIELD_DEF(uint32_t, tailSplitSize);                                                                    \
    TILING_DATA_FIELD_DEF(uint32_t, tailReduceSize);

BEGIN_TILING_DATA_DEF(SoftMaxTiling)
AKGEN_SOFTMAX_FIELDS
END_TILING_DATA_DEF

BEGIN_TILING_DATA_DEF(LogSoftMaxTiling)
AKGEN_SOFTMAX_FIELDS
END_TILING_DATA_DEF

BEGIN_TILING_DATA_DEF(LayerNormTiling)
TILING_DATA_FIELD_DEF(uint32_t, bLength);
TILING_DATA_FIELD_DEF(uint32_t, sLength);
TILING_DATA_FIELD_DEF(uint32_t, hLength);
TILING_DATA_FIELD_DEF(uint32_t, originalHLength);
TILING_DATA_FIELD_DEF(uint32_t, inputXSize);
TILING_DATA_FIELD_DEF(uint32_t, meanVarSize);
TILING_DATA_FIELD_DEF(uint32_t, tmpBufSize);
TILING_DATA_FIELD_DEF(uint32_t, loopRound);
TILING_DATA_FIELD_DEF(float, lastDimValueBack);
TILING_DATA_FIELD_DEF(uint32_t, reserved);
END_TILING_DATA_DEF

BEGIN_TILING_DATA_DEF(RmsNormTiling)
TILING_DATA_FIELD_DEF(uint32_t, bLength);
TILING_DATA_FIELD_DEF(uint32_t, sLength);
TILING_DATA_FIELD_DEF(uint32_t, hLength);
TILING_DATA_FIELD_DEF(uint32_t, originalHLength);
TILING_DATA_FIELD_DEF(float, reciprocalOfHLength);
TILING_DATA_FIELD_DEF(uint32_t, mainBshLength);
TILING_DATA_FIELD_DEF(uint32_t, mainBsLength);
TILING_DATA_FIELD_DEF(uint32_t, mainBsLengthAlign);
TILING_DATA_FIELD_DEF(uint32_t, loopRound);
TILING_DATA_FIELD_DEF(uint32_t, inputTailPos);
TILING_DATA_FIELD_DEF(uint32_t, tailBshLength);
TILING_DATA_FIELD_DEF(uint32_t, tailBsLength);
END_TILING_DATA_DEF

BEGIN_TILING_DATA_DEF(TCubeTiling)
TILING_DATA_FIELD_DEF(int32_t, usedCoreNum);
TILING_DATA_FIELD_DEF(int32_t, M);
TILING_DATA_FIELD_DEF(int32_t, N);
TILING_DATA_FIELD_DEF(int32_t, Ka);
TILING_DATA_FIELD_DEF(int32_t, Kb);
TILING_DATA_FIELD_DEF(int32_t, singleCoreM);
TILING_DATA_FIELD_DEF(int32_t, singleCoreN);
TILING_DATA_FIELD_DEF(int32_t, singleCoreK);
TILING_DATA_FIELD_DEF(int32_t, baseM);
TILING_DATA_FIELD_DEF(int32_t, baseN);
TILING_DATA_FIELD_DEF(int32_t, baseK);
TILING_DATA_FIELD_DEF(int32_t, depthA1);
TILING_DATA_FIELD_DEF(int32_t, depthB1);
TILING_DATA_FIELD_DEF(int32_t, stepM);
TILING_DATA_FIELD_DEF(int32_t, stepN);
TILING_DATA_FIELD_DEF(int32_t, isBias);
TILING_DATA_FIELD_DEF(int32_t, transLength);
TILING_DATA_FIELD_DEF(int32_t, iterateOrder);
TILING_DATA_FIELD_DEF(int32_t, shareMode);
TILING_DATA_FIELD_DEF(int32_t, shareL1Size);
TILING_DATA_FIELD_DEF(int32_t, shareL0CSize);
TILING_DATA_FIELD_DEF(int32_t, shareUbSize);
TILING_DATA_FIELD_DEF(int32_t, batchM);
TILING_DATA_FIELD_DEF(int32_t, batchN);
TILING_DATA_FIELD_DEF(int32_t, singleBatchM);
TILING_DATA_FIELD_DEF(int32_t, singleBatchN);
TILING_DATA_FIELD_DEF(int32_t, stepKa);
TILING_DATA_FIELD_DEF(int32_t, stepKb);
TILING_DATA_FIELD_DEF(int32_t, depthAL1CacheUB);
TILING_DATA_FIELD_DEF(int32_t, depthBL1CacheUB);
TILING_DATA_FIELD_DEF(int32_t, dbL0A);
TILING_DATA_FIELD_DEF(int32_t, dbL0B);
TILING_DATA_FIELD_DEF(int32_t, dbL0C);
TILING_DATA_FIELD_DEF(int32_t, ALayoutInfoB);
TILING_DATA_FIELD_DEF(int32_t, ALayoutInfoS);
TILING_DATA_FIELD_DEF(int32_t, ALayoutInfoN);
TILING_DATA_FIELD_DEF(int32_t, ALayoutInfoG);
TILING_DATA_FIELD_DEF(int32_t, ALayoutInfoD);
TILING_DATA_FIELD_DEF(int32_t, BLayoutInfoB);
TILING_DATA_FIELD_DEF(int32_t, BLayoutInfoS);
TILING_DATA_FIELD_DEF(int32_t, BLayoutInfoN);
TILING_DATA_FIELD_DEF(int32_t, BLayoutInfoG);
TILING_DATA_FIELD_DEF(int32_t, BLayoutInfoD);
TILING_DATA_FIELD_DEF(int32_t, CLayoutInfoB);
TILING_DATA_FIELD_DEF(int32_t, CLayoutInfoS1);
TILING_DATA_FIELD_DEF(int32_t, CLayoutInfoN);
TILING_DATA_FIELD_DEF(int32_t, CLayoutInfoG);
TILING_DATA_FIELD_DEF(int32_t, CLayoutInfoS2);
TILING_DATA_FIELD_DEF(int32_t, BatchNum);
TILING_DATA_FIELD_DEF(int32_t, mxTypePara);
END_TILING_DATA_DEF

} // namespace optiling

AKGEN_REGISTERED_TILING(SoftMaxTiling, )
AKGEN_REGISTERED_TILING(LogSoftMaxTiling, )
AKGEN_REGISTERED_TILING(LayerNormTiling, )
AKGEN_REGISTERED_TILING(RmsNormTiling, )
AKGEN_REGISTERED_TILING(TCubeTiling, )

#endif
