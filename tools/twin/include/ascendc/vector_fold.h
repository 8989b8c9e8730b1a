// ReduceProd, ReduceAny, ReduceAll along an axis; ReduceXorSum.
#pragma once
#include "ascendc/vector_reduce.h"

namespace AscendC {
#define AKGEN_FOLD(Name, dtypes, op, ...)                                                                              \
    template <class T, class pattern, bool isReuseSource = false>                                                      \
    AKGEN_INLINE void Name(const LocalTensor<T> &dstTensor, const LocalTensor<T> &srcTensor,                           \
                           const LocalTensor<uint8_t> &sharedTmpBuffer, const uint32_t srcShape[], bool)               \
    {                                                                                                                  \
        detail::Name##_takes<T>();                                                                                     \
        akgen::twin::reduce_fold(akgen::twin::Fold::op, detail::dtype_of<T>(), detail::view(dstTensor),                \
                                 detail::view(srcTensor), detail::view(sharedTmpBuffer), srcShape[0], srcShape[1],     \
                                 std::is_same_v<pattern, Pattern::Reduce::AR>);                                        \
    }                                                                                                                  \
    template <class T, class pattern, bool isReuseSource = false>                                                      \
    AKGEN_INLINE void Name(const LocalTensor<T> &dstTensor, const LocalTensor<T> &srcTensor,                           \
                           const uint32_t srcShape[], bool)                                                            \
    {                                                                                                                  \
        detail::Name##_takes<T>();                                                                                     \
        akgen::twin::reduce_fold(akgen::twin::Fold::op, detail::dtype_of<T>(), detail::view(dstTensor),                \
                                 detail::view(srcTensor), {}, srcShape[0], srcShape[1],                                \
                                 std::is_same_v<pattern, Pattern::Reduce::AR>);                                        \
    }
#include "akgen/tables/reduce.def"

template <typename T, bool isReuseSource = false>
AKGEN_INLINE void ReduceXorSum(const LocalTensor<T> &dstTensor, const LocalTensor<T> &src0Tensor,
                               const LocalTensor<T> &src1Tensor, const LocalTensor<uint8_t> &sharedTmpBuffer,
                               const uint32_t calCount)
{
    detail::ReduceXorSum_takes<T>();
    akgen::twin::reduce_xor_sum(detail::view(dstTensor), detail::view(src0Tensor), detail::view(src1Tensor),
                                detail::view(sharedTmpBuffer), calCount);
}
template <typename T, bool isReuseSource = false>
AKGEN_INLINE void ReduceXorSum(const LocalTensor<T> &dstTensor, const LocalTensor<T> &src0Tensor,
                               const LocalTensor<T> &src1Tensor, const LocalTensor<uint8_t> &sharedTmpBuffer)
{
    ReduceXorSum<T, isReuseSource>(dstTensor, src0Tensor, src1Tensor, sharedTmpBuffer, src0Tensor.GetSize());
}
template <typename T, bool isReuseSource = false>
AKGEN_INLINE void ReduceXorSum(const LocalTensor<T> &dstTensor, const LocalTensor<T> &src0Tensor,
                               const LocalTensor<T> &src1Tensor, const uint32_t calCount)
{
    detail::ReduceXorSum_takes<T>();
    akgen::twin::reduce_xor_sum(detail::view(dstTensor), detail::view(src0Tensor), detail::view(src1Tensor), {},
                                calCount);
}
template <typename T, bool isReuseSource = false>
AKGEN_INLINE void ReduceXorSum(const LocalTensor<T> &dstTensor, const LocalTensor<T> &src0Tensor,
                               const LocalTensor<T> &src1Tensor)
{
    ReduceXorSum<T, isReuseSource>(dstTensor, src0Tensor, src1Tensor, src0Tensor.GetSize());
}

} // namespace AscendC
