// Mathematical APIs: with and without a shared temporary buffer, with and without a count.
#pragma once
#include "akgen/vector_math.h"
#include "ascendc/vector_compound.h"

namespace AscendC {
namespace detail {
AKGEN_TAKES(Tanh, half, float)
AKGEN_TAKES(Sin, half, float)
AKGEN_TAKES(Cos, half, float)
AKGEN_TAKES(Tan, half, float)
AKGEN_TAKES(Asin, half, float)
AKGEN_TAKES(Acos, half, float)
AKGEN_TAKES(Atan, half, float)
AKGEN_TAKES(Sinh, half, float)
AKGEN_TAKES(Cosh, half, float)
AKGEN_TAKES(Asinh, half, float)
AKGEN_TAKES(Acosh, half, float)
AKGEN_TAKES(Atanh, half, float)
AKGEN_TAKES(Erf, half, float)
AKGEN_TAKES(Erfc, half, float)
AKGEN_TAKES(Log, half, float)
AKGEN_TAKES(Log2, half, float)
AKGEN_TAKES(Log10, half, float)
AKGEN_TAKES(Floor, half, float)
AKGEN_TAKES(Ceil, half, float)
AKGEN_TAKES(Round, half, float)
AKGEN_TAKES(Trunc, half, float)
AKGEN_TAKES(Frac, half, float)
AKGEN_TAKES(Sign, half, float)
AKGEN_TAKES(Lgamma, half, float)
AKGEN_TAKES(Digamma, half, float)
AKGEN_TAKES(Sigmoid, half, float)
AKGEN_TAKES(Fmod, half, float)
AKGEN_TAKES(ClampMax, half, float)
AKGEN_TAKES(ClampMin, half, float)

template <typename T>
AKGEN_INLINE void math(akgen::twin::MathOp op, const LocalTensor<T> &dst, const LocalTensor<T> &src0,
                       akgen::twin::View src1, akgen::twin::View work, float scalar, int64_t count)
{
    akgen::twin::math_count(op, dtype_of<T>(), view(dst), view(src0), src1, work, scalar, count);
}
} // namespace detail

#define AKGEN_MATH(Name)                                                                                               \
    template <typename T, bool isReuseSource = false>                                                                  \
    AKGEN_INLINE void Name(const LocalTensor<T> &dstTensor, const LocalTensor<T> &srcTensor,                           \
                           const LocalTensor<uint8_t> &sharedTmpBuffer, const uint32_t calCount)                       \
    {                                                                                                                  \
        detail::Name##_takes<T>();                                                                                     \
        detail::math(akgen::twin::MathOp::Name, dstTensor, srcTensor, {}, detail::view(sharedTmpBuffer), 0.0f,         \
                     calCount);                                                                                        \
    }                                                                                                                  \
    template <typename T, bool isReuseSource = false>                                                                  \
    AKGEN_INLINE void Name(const LocalTensor<T> &dstTensor, const LocalTensor<T> &srcTensor,                           \
                           const LocalTensor<uint8_t> &sharedTmpBuffer)                                                \
    {                                                                                                                  \
        Name<T, isReuseSource>(dstTensor, srcTensor, sharedTmpBuffer, srcTensor.GetSize());                            \
    }                                                                                                                  \
    template <typename T, bool isReuseSource = false>                                                                  \
    AKGEN_INLINE void Name(const LocalTensor<T> &dstTensor, const LocalTensor<T> &srcTensor, const uint32_t calCount)  \
    {                                                                                                                  \
        detail::Name##_takes<T>();                                                                                     \
        detail::math(akgen::twin::MathOp::Name, dstTensor, srcTensor, {}, {}, 0.0f, calCount);                         \
    }                                                                                                                  \
    template <typename T, bool isReuseSource = false>                                                                  \
    AKGEN_INLINE void Name(const LocalTensor<T> &dstTensor, const LocalTensor<T> &srcTensor)                           \
    {                                                                                                                  \
        Name<T, isReuseSource>(dstTensor, srcTensor, srcTensor.GetSize());                                             \
    }

AKGEN_MATH(Tanh)
AKGEN_MATH(Sin)
AKGEN_MATH(Cos)
AKGEN_MATH(Tan)
AKGEN_MATH(Asin)
AKGEN_MATH(Acos)
AKGEN_MATH(Atan)
AKGEN_MATH(Sinh)
AKGEN_MATH(Cosh)
AKGEN_MATH(Asinh)
AKGEN_MATH(Acosh)
AKGEN_MATH(Atanh)
AKGEN_MATH(Erf)
AKGEN_MATH(Erfc)
AKGEN_MATH(Log)
AKGEN_MATH(Log2)
AKGEN_MATH(Log10)
AKGEN_MATH(Floor)
AKGEN_MATH(Ceil)
AKGEN_MATH(Round)
AKGEN_MATH(Trunc)
AKGEN_MATH(Frac)
AKGEN_MATH(Sign)
AKGEN_MATH(Lgamma)
AKGEN_MATH(Digamma)
AKGEN_MATH(Sigmoid)
#undef AKGEN_MATH

// The high-level Exp: a Taylor series of the given length after range reduction.
template <typename T, uint8_t taylorExpandLevel, bool isReuseSource = false>
AKGEN_INLINE void Exp(const LocalTensor<T> &dstLocal, const LocalTensor<T> &srcLocal,
                      const LocalTensor<uint8_t> &sharedTmpBuffer, const uint32_t calCount)
{
    detail::Exp_takes<T>();
    detail::math(akgen::twin::MathOp::Exp, dstLocal, srcLocal, {}, detail::view(sharedTmpBuffer), 0.0f, calCount);
}
template <typename T, uint8_t taylorExpandLevel, bool isReuseSource = false>
AKGEN_INLINE void Exp(const LocalTensor<T> &dstLocal, const LocalTensor<T> &srcLocal, const uint32_t calCount)
{
    detail::Exp_takes<T>();
    detail::math(akgen::twin::MathOp::Exp, dstLocal, srcLocal, {}, {}, 0.0f, calCount);
}

#define AKGEN_MATH2(Name)                                                                                              \
    template <typename T, bool isReuseSource = false>                                                                  \
    AKGEN_INLINE void Name(const LocalTensor<T> &dstTensor, const LocalTensor<T> &src0Tensor,                          \
                           const LocalTensor<T> &src1Tensor, const LocalTensor<uint8_t> &sharedTmpBuffer,              \
                           const uint32_t calCount)                                                                    \
    {                                                                                                                  \
        detail::Name##_takes<T>();                                                                                     \
        detail::math(akgen::twin::MathOp::Name, dstTensor, src0Tensor, detail::view(src1Tensor),                       \
                     detail::view(sharedTmpBuffer), 0.0f, calCount);                                                   \
    }                                                                                                                  \
    template <typename T, bool isReuseSource = false>                                                                  \
    AKGEN_INLINE void Name(const LocalTensor<T> &dstTensor, const LocalTensor<T> &src0Tensor,                          \
                           const LocalTensor<T> &src1Tensor, const uint32_t calCount)                                  \
    {                                                                                                                  \
        detail::Name##_takes<T>();                                                                                     \
        detail::math(akgen::twin::MathOp::Name, dstTensor, src0Tensor, detail::view(src1Tensor), {}, 0.0f, calCount);  \
    }                                                                                                                  \
    template <typename T, bool isReuseSource = false>                                                                  \
    AKGEN_INLINE void Name(const LocalTensor<T> &dstTensor, const LocalTensor<T> &src0Tensor,                          \
                           const LocalTensor<T> &src1Tensor)                                                           \
    {                                                                                                                  \
        Name<T, isReuseSource>(dstTensor, src0Tensor, src1Tensor, src0Tensor.GetSize());                               \
    }
AKGEN_MATH2(Fmod)
#undef AKGEN_MATH2

#define AKGEN_CLAMP(Name)                                                                                              \
    template <typename T, bool isReuseSource = false>                                                                  \
    AKGEN_INLINE void Name(const LocalTensor<T> &dstTensor, const LocalTensor<T> &srcTensor,                           \
                           const LocalTensor<uint8_t> &sharedTmpBuffer, const T scalar, const uint32_t calCount)       \
    {                                                                                                                  \
        detail::Name##_takes<T>();                                                                                     \
        detail::math(akgen::twin::MathOp::Name, dstTensor, srcTensor, {}, detail::view(sharedTmpBuffer),               \
                     static_cast<float>(scalar), calCount);                                                            \
    }                                                                                                                  \
    template <typename T, bool isReuseSource = false>                                                                  \
    AKGEN_INLINE void Name(const LocalTensor<T> &dstTensor, const LocalTensor<T> &srcTensor, const T scalar,           \
                           const uint32_t calCount)                                                                    \
    {                                                                                                                  \
        detail::Name##_takes<T>();                                                                                     \
        detail::math(akgen::twin::MathOp::Name, dstTensor, srcTensor, {}, {}, static_cast<float>(scalar), calCount);   \
    }
AKGEN_CLAMP(ClampMax)
AKGEN_CLAMP(ClampMin)
#undef AKGEN_CLAMP

} // namespace AscendC
