// Xor.
#pragma once
#include "ascendc/vector_math.h"

namespace AscendC {
namespace detail {
AKGEN_TAKES(Xor, int16_t, uint16_t)
} // namespace detail

template <typename T, bool isReuseSource = false>
AKGEN_INLINE void Xor(const LocalTensor<T> &dstTensor, const LocalTensor<T> &src0Tensor,
                      const LocalTensor<T> &src1Tensor, const LocalTensor<uint8_t> &sharedTmpBuffer,
                      const uint32_t calCount)
{
    detail::Xor_takes<T>();
    akgen::twin::xor_count(detail::dtype_of<T>(), detail::view(dstTensor), detail::view(src0Tensor),
                           detail::view(src1Tensor), detail::view(sharedTmpBuffer), calCount);
}
template <typename T, bool isReuseSource = false>
AKGEN_INLINE void Xor(const LocalTensor<T> &dstTensor, const LocalTensor<T> &src0Tensor,
                      const LocalTensor<T> &src1Tensor, const LocalTensor<uint8_t> &sharedTmpBuffer)
{
    Xor<T, isReuseSource>(dstTensor, src0Tensor, src1Tensor, sharedTmpBuffer, src0Tensor.GetSize());
}
template <typename T, bool isReuseSource = false>
AKGEN_INLINE void Xor(const LocalTensor<T> &dstTensor, const LocalTensor<T> &src0Tensor,
                      const LocalTensor<T> &src1Tensor, const uint32_t calCount)
{
    detail::Xor_takes<T>();
    akgen::twin::xor_count(detail::dtype_of<T>(), detail::view(dstTensor), detail::view(src0Tensor),
                           detail::view(src1Tensor), {}, calCount);
}
template <typename T, bool isReuseSource = false>
AKGEN_INLINE void Xor(const LocalTensor<T> &dstTensor, const LocalTensor<T> &src0Tensor,
                      const LocalTensor<T> &src1Tensor)
{
    Xor<T, isReuseSource>(dstTensor, src0Tensor, src1Tensor, src0Tensor.GetSize());
}

} // namespace AscendC
