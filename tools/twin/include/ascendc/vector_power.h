// Power of tensors and scalars.
#pragma once
#include "ascendc/vector_math.h"

namespace AscendC {
namespace detail {
AKGEN_TAKES(Power, half, float, int32_t)
} // namespace detail

namespace detail {
template <typename T>
AKGEN_INLINE void power(const LocalTensor<T> &dst, const LocalTensor<T> &base, const LocalTensor<T> &exponent,
                        akgen::twin::View work, uint32_t count)
{
    Power_takes<T>();
    if constexpr (std::is_same_v<PrimT<T>, int32_t>) {
        akgen::twin::power_integer(view(dst), view(base), view(exponent), work, count);
    } else {
        math(akgen::twin::MathOp::Power, dst, base, view(exponent), work, 0.0f, count);
    }
}
template <typename T>
AKGEN_INLINE void power(const LocalTensor<T> &dst, const LocalTensor<T> &src, const T &scalar, bool first,
                        akgen::twin::View work, uint32_t count)
{
    Power_takes<T>();
    akgen::twin::power_scalar(dtype_of<T>(), view(dst), view(src), work, bits(scalar), first, count);
}
} // namespace detail

template <typename T, bool isReuseSource = false>
AKGEN_INLINE void Power(const LocalTensor<T> &dstTensor, const LocalTensor<T> &src0Tensor,
                        const LocalTensor<T> &src1Tensor, const LocalTensor<uint8_t> &sharedTmpBuffer,
                        uint32_t calCount)
{
    detail::power(dstTensor, src0Tensor, src1Tensor, detail::view(sharedTmpBuffer), calCount);
}
template <typename T, bool isReuseSource = false>
AKGEN_INLINE void Power(const LocalTensor<T> &dstTensor, const LocalTensor<T> &src0Tensor,
                        const LocalTensor<T> &src1Tensor, const LocalTensor<uint8_t> &sharedTmpBuffer)
{
    detail::power(dstTensor, src0Tensor, src1Tensor, detail::view(sharedTmpBuffer), src0Tensor.GetSize());
}
template <typename T, bool isReuseSource = false>
AKGEN_INLINE void Power(const LocalTensor<T> &dstTensor, const LocalTensor<T> &src0Tensor,
                        const LocalTensor<T> &src1Tensor, uint32_t calCount)
{
    detail::power(dstTensor, src0Tensor, src1Tensor, {}, calCount);
}
template <typename T, bool isReuseSource = false>
AKGEN_INLINE void Power(const LocalTensor<T> &dstTensor, const LocalTensor<T> &src0Tensor,
                        const LocalTensor<T> &src1Tensor)
{
    detail::power(dstTensor, src0Tensor, src1Tensor, {}, src0Tensor.GetSize());
}
template <typename T, bool isReuseSource = false>
AKGEN_INLINE void Power(const LocalTensor<T> &dstTensor, const LocalTensor<T> &src0Tensor, const T &src1Scalar,
                        const LocalTensor<uint8_t> &sharedTmpBuffer, uint32_t calCount)
{
    detail::power(dstTensor, src0Tensor, src1Scalar, false, detail::view(sharedTmpBuffer), calCount);
}
template <typename T, bool isReuseSource = false>
AKGEN_INLINE void Power(const LocalTensor<T> &dstTensor, const LocalTensor<T> &src0Tensor, const T &src1Scalar,
                        const LocalTensor<uint8_t> &sharedTmpBuffer)
{
    detail::power(dstTensor, src0Tensor, src1Scalar, false, detail::view(sharedTmpBuffer), src0Tensor.GetSize());
}
template <typename T, bool isReuseSource = false>
AKGEN_INLINE void Power(const LocalTensor<T> &dstTensor, const LocalTensor<T> &src0Tensor, const T &src1Scalar,
                        uint32_t calCount)
{
    detail::power(dstTensor, src0Tensor, src1Scalar, false, {}, calCount);
}
template <typename T, bool isReuseSource = false>
AKGEN_INLINE void Power(const LocalTensor<T> &dstTensor, const LocalTensor<T> &src0Tensor, const T &src1Scalar)
{
    detail::power(dstTensor, src0Tensor, src1Scalar, false, {}, src0Tensor.GetSize());
}
template <typename T, bool isReuseSource = false>
AKGEN_INLINE void Power(const LocalTensor<T> &dstTensor, const T &src0Scalar, const LocalTensor<T> &src1Tensor,
                        const LocalTensor<uint8_t> &sharedTmpBuffer, uint32_t calCount)
{
    detail::power(dstTensor, src1Tensor, src0Scalar, true, detail::view(sharedTmpBuffer), calCount);
}
template <typename T, bool isReuseSource = false>
AKGEN_INLINE void Power(const LocalTensor<T> &dstTensor, const T &src0Scalar, const LocalTensor<T> &src1Tensor,
                        const LocalTensor<uint8_t> &sharedTmpBuffer)
{
    detail::power(dstTensor, src1Tensor, src0Scalar, true, detail::view(sharedTmpBuffer), src1Tensor.GetSize());
}
template <typename T, bool isReuseSource = false>
AKGEN_INLINE void Power(const LocalTensor<T> &dstTensor, const T &src0Scalar, const LocalTensor<T> &src1Tensor,
                        uint32_t calCount)
{
    detail::power(dstTensor, src1Tensor, src0Scalar, true, {}, calCount);
}
template <typename T, bool isReuseSource = false>
AKGEN_INLINE void Power(const LocalTensor<T> &dstTensor, const T &src0Scalar, const LocalTensor<T> &src1Tensor)
{
    detail::power(dstTensor, src1Tensor, src0Scalar, true, {}, src1Tensor.GetSize());
}

} // namespace AscendC
