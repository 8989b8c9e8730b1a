// Reductions: to one value, per repeat, per block, per pair, along an axis.
#pragma once
#include "akgen/vector.h"
#include "ascendc/vector_dtypes.h"

namespace AscendC {
namespace detail {
#define AKGEN_REDUCE_EXTREME(Name, dtypes, ...) AKGEN_TAKES(Name, dtypes)
#define AKGEN_REDUCE_SUM(Name, dtypes, ...) AKGEN_TAKES(Name, dtypes)
#define AKGEN_WHOLE_EXTREME(Name, dtypes, ...) AKGEN_TAKES(Name, dtypes)
#define AKGEN_WHOLE_SUM(Name, dtypes, ...) AKGEN_TAKES(Name, dtypes)
#define AKGEN_BLOCK_REDUCE(Name, dtypes, ...) AKGEN_TAKES(Name, dtypes)
#define AKGEN_REDUCE_VARIANT(Name, dtypes, ...) AKGEN_TAKES(Name, dtypes)
#define AKGEN_FOLD(Name, dtypes, ...) AKGEN_TAKES(Name, dtypes)
#include "akgen/tables/reduce.def"

template <typename T> AKGEN_INLINE T from_bits(uint64_t word)
{
    T value;
    __builtin_memcpy(&value, &word, sizeof value);
    return value;
}
// A mask of int32_t counts lanes.
template <bool set> AKGEN_INLINE akgen::twin::MaskArg mask_of(int32_t length)
{
    return mask_of<set>(static_cast<uint64_t>(static_cast<int64_t>(length)));
}
} // namespace detail

namespace Pattern::Reduce {
struct AR {};
struct RA {};
} // namespace Pattern::Reduce

template <typename T, bool isSetMask = true>
AKGEN_INLINE void ReduceSum(const LocalTensor<T> &dst, const LocalTensor<T> &src, const LocalTensor<T> &sharedTmpBuffer,
                            const int32_t count)
{
    detail::ReduceSum_takes<T>();
    akgen::twin::reduce_count(akgen::twin::Reduce::SUM, detail::dtype_of<T>(), detail::view(dst), detail::view(src),
                              detail::view(sharedTmpBuffer), count, false);
}
template <typename T>
AKGEN_INLINE void ReduceSum(const LocalTensor<T> &dst, const LocalTensor<T> &src, const LocalTensor<T> &sharedTmpBuffer,
                            const uint64_t mask[], const int32_t repeatTime, const int32_t srcRepStride)
{
    detail::ReduceSum_takes<T>();
    akgen::twin::reduce_repeat(akgen::twin::Reduce::SUM, detail::dtype_of<T>(), detail::view(dst), detail::view(src),
                               detail::view(sharedTmpBuffer), detail::mask_of<true>(mask), repeatTime, srcRepStride,
                               false);
}
template <typename T>
AKGEN_INLINE void ReduceSum(const LocalTensor<T> &dst, const LocalTensor<T> &src, const LocalTensor<T> &sharedTmpBuffer,
                            const int32_t mask, const int32_t repeatTime, const int32_t srcRepStride)
{
    detail::ReduceSum_takes<T>();
    akgen::twin::reduce_repeat(akgen::twin::Reduce::SUM, detail::dtype_of<T>(), detail::view(dst), detail::view(src),
                               detail::view(sharedTmpBuffer), detail::mask_of<true>(mask), repeatTime, srcRepStride,
                               false);
}

#define AKGEN_REDUCE_EXTREME(Name, dtypes, op)                                                                         \
    template <typename T>                                                                                              \
    AKGEN_INLINE void Name(const LocalTensor<T> &dst, const LocalTensor<T> &src,                                       \
                           const LocalTensor<T> &sharedTmpBuffer, const int32_t count, bool calIndex = 0)              \
    {                                                                                                                  \
        detail::Name##_takes<T>();                                                                                     \
        akgen::twin::reduce_count(akgen::twin::Reduce::op, detail::dtype_of<T>(), detail::view(dst),                   \
                                  detail::view(src), detail::view(sharedTmpBuffer), count, calIndex);                  \
    }                                                                                                                  \
    template <typename T>                                                                                              \
    AKGEN_INLINE void Name(const LocalTensor<T> &dst, const LocalTensor<T> &src,                                       \
                           const LocalTensor<T> &sharedTmpBuffer, const uint64_t mask[], const int32_t repeatTime,     \
                           const int32_t srcRepStride, bool calIndex = 0)                                              \
    {                                                                                                                  \
        detail::Name##_takes<T>();                                                                                     \
        akgen::twin::reduce_repeat(akgen::twin::Reduce::op, detail::dtype_of<T>(), detail::view(dst),                  \
                                   detail::view(src), detail::view(sharedTmpBuffer), detail::mask_of<true>(mask),      \
                                   repeatTime, srcRepStride, calIndex);                                                \
    }                                                                                                                  \
    template <typename T>                                                                                              \
    AKGEN_INLINE void Name(const LocalTensor<T> &dst, const LocalTensor<T> &src,                                       \
                           const LocalTensor<T> &sharedTmpBuffer, const int32_t mask, const int32_t repeatTime,        \
                           const int32_t srcRepStride, bool calIndex = 0)                                              \
    {                                                                                                                  \
        detail::Name##_takes<T>();                                                                                     \
        akgen::twin::reduce_repeat(akgen::twin::Reduce::op, detail::dtype_of<T>(), detail::view(dst),                  \
                                   detail::view(src), detail::view(sharedTmpBuffer), detail::mask_of<true>(mask),      \
                                   repeatTime, srcRepStride, calIndex);                                                \
    }

#define AKGEN_AXIS_REDUCE(Name, op, mean, live)                                                                        \
    template <typename T, class pattern, bool isReuseSource = false>                                                   \
    AKGEN_INLINE void Name(const LocalTensor<T> &dst, const LocalTensor<T> &src,                                       \
                           const LocalTensor<uint8_t> &sharedTmpBuffer, const uint32_t srcShape[], bool)               \
    {                                                                                                                  \
        detail::Name##_takes<T>();                                                                                     \
        akgen::twin::reduce_pattern(akgen::twin::Reduce::op, detail::dtype_of<T>(), detail::view(dst),                 \
                                    detail::view(src), detail::view(sharedTmpBuffer), srcShape[0], srcShape[1],        \
                                    std::is_same_v<pattern, Pattern::Reduce::AR>, mean);                               \
    }                                                                                                                  \
    template <typename T, class pattern, bool isReuseSource = false>                                                   \
    AKGEN_INLINE void Name(const LocalTensor<T> &dst, const LocalTensor<T> &src, const uint32_t srcShape[], bool)      \
    {                                                                                                                  \
        detail::Name##_takes<T>();                                                                                     \
        akgen::twin::reduce_pattern(akgen::twin::Reduce::op, detail::dtype_of<T>(), detail::view(dst),                 \
                                    detail::view(src), {}, srcShape[0], srcShape[1],                                   \
                                    std::is_same_v<pattern, Pattern::Reduce::AR>, mean);                               \
    }

// MaskType is `const uint64_t mask[]` or `const int32_t mask`.
#define AKGEN_WHOLE_SUM_FORM(Name, MaskType)                                                                           \
    template <typename T, bool isSetMask = true>                                                                       \
    AKGEN_INLINE void Name(const LocalTensor<T> &dst, const LocalTensor<T> &src, MaskType, const int32_t repeatTime,   \
                           const int32_t dstRepStride, const int32_t srcBlkStride, const int32_t srcRepStride)         \
    {                                                                                                                  \
        detail::Name##_takes<T>();                                                                                     \
        akgen::twin::reduce_whole(akgen::twin::Reduce::SUM, detail::dtype_of<T>(), detail::view(dst),                  \
                                  detail::view(src), detail::mask_of<isSetMask>(mask), repeatTime, dstRepStride,       \
                                  srcBlkStride, srcRepStride, 0);                                                      \
    }
#define AKGEN_WHOLE_SUM(Name, ...)                                                                                     \
    AKGEN_WHOLE_SUM_FORM(Name, const uint64_t mask[])                                                                  \
    AKGEN_WHOLE_SUM_FORM(Name, const int32_t mask)

#define AKGEN_WHOLE_EXTREME_FORM(Name, Op, MaskType)                                                                   \
    template <typename T, bool isSetMask = true>                                                                       \
    AKGEN_INLINE void Name(const LocalTensor<T> &dst, const LocalTensor<T> &src, MaskType, const int32_t repeatTime,   \
                           const int32_t dstRepStride, const int32_t srcBlkStride, const int32_t srcRepStride,         \
                           ReduceOrder order = ReduceOrder::ORDER_VALUE_INDEX)                                         \
    {                                                                                                                  \
        detail::Name##_takes<T>();                                                                                     \
        akgen::twin::reduce_whole(Op, detail::dtype_of<T>(), detail::view(dst), detail::view(src),                     \
                                  detail::mask_of<isSetMask>(mask), repeatTime, dstRepStride, srcBlkStride,            \
                                  srcRepStride, static_cast<uint8_t>(order));                                          \
    }
#define AKGEN_WHOLE_EXTREME(Name, dtypes, op)                                                                          \
    AKGEN_WHOLE_EXTREME_FORM(Name, akgen::twin::Reduce::op, const uint64_t mask[])                                     \
    AKGEN_WHOLE_EXTREME_FORM(Name, akgen::twin::Reduce::op, const int32_t mask)

#define AKGEN_BLOCK_REDUCE_FORM(Name, Op, MaskType)                                                                    \
    template <typename T, bool isSetMask = true>                                                                       \
    AKGEN_INLINE void Name(const LocalTensor<T> &dst, const LocalTensor<T> &src, const int32_t repeatTime, MaskType,   \
                           const int32_t dstRepStride, const int32_t srcBlkStride, const int32_t srcRepStride)         \
    {                                                                                                                  \
        detail::Name##_takes<T>();                                                                                     \
        akgen::twin::reduce_block(Op, detail::dtype_of<T>(), detail::view(dst), detail::view(src),                     \
                                  detail::mask_of<isSetMask>(mask), repeatTime, dstRepStride, srcBlkStride,            \
                                  srcRepStride);                                                                       \
    }
#define AKGEN_BLOCK_REDUCE(Name, dtypes, op)                                                                           \
    AKGEN_BLOCK_REDUCE_FORM(Name, akgen::twin::Reduce::op, const uint64_t mask[])                                      \
    AKGEN_BLOCK_REDUCE_FORM(Name, akgen::twin::Reduce::op, const int32_t mask)
#include "akgen/tables/reduce.def"
#undef AKGEN_WHOLE_SUM_FORM
#undef AKGEN_WHOLE_EXTREME_FORM
#undef AKGEN_BLOCK_REDUCE_FORM

#define AKGEN_PAIR_REDUCE(MaskType)                                                                                    \
    template <typename T, bool isSetMask = true>                                                                       \
    AKGEN_INLINE void PairReduceSum(const LocalTensor<T> &dst, const LocalTensor<T> &src, const int32_t repeatTime,    \
                                    MaskType, const int32_t dstRepStride, const int32_t srcBlkStride,                  \
                                    const int32_t srcRepStride)                                                        \
    {                                                                                                                  \
        detail::PairReduceSum_takes<T>();                                                                              \
        akgen::twin::reduce_pair(detail::dtype_of<T>(), detail::view(dst), detail::view(src),                          \
                                 detail::mask_of<isSetMask>(mask), repeatTime, dstRepStride, srcBlkStride,             \
                                 srcRepStride);                                                                        \
    }
AKGEN_PAIR_REDUCE(const uint64_t mask[])
AKGEN_PAIR_REDUCE(const int32_t mask)
#undef AKGEN_PAIR_REDUCE

template <typename T, bool isSetMask = true>
AKGEN_INLINE void RepeatReduceSum(const LocalTensor<T> &dst, const LocalTensor<T> &src, const int32_t repeatTime,
                                  const int32_t mask, const int32_t, const int32_t srcBlkStride,
                                  const int32_t dstRepStride, const int32_t srcRepStride)
{
    detail::RepeatReduceSum_takes<T>();
    akgen::twin::reduce_whole_as("RepeatReduceSum", akgen::twin::Reduce::SUM, detail::dtype_of<T>(), detail::view(dst),
                                 detail::view(src), detail::mask_of<isSetMask>(mask), repeatTime, dstRepStride,
                                 srcBlkStride, srcRepStride);
}

AKGEN_INLINE uint64_t GetAccVal() { return akgen::twin::accumulator(); }
template <typename T> AKGEN_INLINE T GetAccVal() { return detail::from_bits<T>(akgen::twin::accumulator()); }
template <typename T> AKGEN_INLINE void GetReduceMaxMinCount(T &maxMinValue, T &maxMinIndex)
{
    uint64_t value = 0, index = 0;
    akgen::twin::last_extreme(value, index);
    maxMinValue = detail::from_bits<T>(value);
    maxMinIndex = detail::from_bits<T>(index);
}
template <typename T> AKGEN_INLINE void GetReduceMaxMinCount(T &maxMinValue)
{
    uint64_t value = 0, index = 0;
    akgen::twin::last_extreme(value, index);
    maxMinValue = detail::from_bits<T>(value);
}
template <typename T> AKGEN_INLINE T GetReduceRepeatSumSpr()
{
    return detail::from_bits<T>(akgen::twin::accumulator());
}
template <typename T> AKGEN_INLINE void GetReduceRepeatMaxMinSpr(T &maxMinValue, T &maxMinIndex)
{
    GetReduceMaxMinCount(maxMinValue, maxMinIndex);
}
template <typename T> AKGEN_INLINE void GetReduceRepeatMaxMinSpr(T &maxMinValue) { GetReduceMaxMinCount(maxMinValue); }

struct SumParams {
    uint32_t outter = 1;
    uint32_t inner = 0;
    uint32_t n = 0;
};
template <typename T, int32_t reduceDim = -1, bool isReuseSource = false, bool isBasicBlock = false>
AKGEN_INLINE void Sum(const LocalTensor<T> &dst, const LocalTensor<T> &src, const LocalTensor<uint8_t> &sharedTmpBuffer,
                      const SumParams &sumParams)
{
    detail::Sum_takes<T>();
    akgen::twin::sum_rows("Sum", detail::dtype_of<T>(), detail::view(dst), detail::view(src),
                          detail::view(sharedTmpBuffer), sumParams.outter, sumParams.inner, sumParams.n, 1.0f);
}
template <typename T, int32_t reduceDim = -1, bool isReuseSource = false, bool isBasicBlock = false>
AKGEN_INLINE void Sum(const LocalTensor<T> &dst, const LocalTensor<T> &src, const SumParams &sumParams)
{
    detail::Sum_takes<T>();
    akgen::twin::sum_rows("Sum", detail::dtype_of<T>(), detail::view(dst), detail::view(src), {}, sumParams.outter,
                          sumParams.inner, sumParams.n, 1.0f);
}

struct MeanParams {
    uint32_t outter = 1;
    uint32_t inner = 0;
    uint32_t n = 0;
};
template <typename T, typename accType = T, bool isReuseSource = false, bool isBasicBlock = false,
          int32_t reduceDim = -1>
AKGEN_INLINE void Mean(const LocalTensor<T> &dst, const LocalTensor<T> &src,
                       const LocalTensor<uint8_t> &sharedTmpBuffer, const MeanParams &meanParams)
{
    detail::Mean_takes<T>();
    akgen::twin::sum_rows("Mean", detail::dtype_of<T>(), detail::view(dst), detail::view(src),
                          detail::view(sharedTmpBuffer), meanParams.outter, meanParams.inner, meanParams.n,
                          1.0f / static_cast<float>(meanParams.n));
}
template <typename T, typename accType = T, bool isReuseSource = false, bool isBasicBlock = false,
          int32_t reduceDim = -1>
AKGEN_INLINE void Mean(const LocalTensor<T> &dst, const LocalTensor<T> &src, const MeanParams &meanParams)
{
    detail::Mean_takes<T>();
    akgen::twin::sum_rows("Mean", detail::dtype_of<T>(), detail::view(dst), detail::view(src), {}, meanParams.outter,
                          meanParams.inner, meanParams.n, 1.0f / static_cast<float>(meanParams.n));
}

} // namespace AscendC
