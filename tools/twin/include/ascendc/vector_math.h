// Mathematical APIs: with and without a shared temporary buffer, with and without a count.
#pragma once
#include "akgen/vector_math.h"
#include "ascendc/vector_compound.h"

namespace AscendC {
namespace detail {
#define AKGEN_MATH(Name, dtypes, ...) AKGEN_TAKES(Name, dtypes)
#define AKGEN_MATH_PAIR(Name, dtypes, ...) AKGEN_TAKES(Name, dtypes)
#define AKGEN_CLAMP(Name, dtypes, ...) AKGEN_TAKES(Name, dtypes)
#define AKGEN_GELU(Name, dtypes, ...) AKGEN_TAKES(Name, dtypes)
#define AKGEN_GATED(Name, dtypes, ...) AKGEN_TAKES(Name, dtypes)
#include "akgen/tables/math.def"

// Whether an API has forms with a temporary buffer; T makes the question one of overload resolution.
template <typename T, akgen::twin::MathOp op>
using IfTemporary =
    std::enable_if_t<sizeof(T) != 0 && op != akgen::twin::MathOp::Log && op != akgen::twin::MathOp::Log10>;

// Whether an API has forms without a count, for the whole tensor.
template <typename T, akgen::twin::MathOp op>
using IfWhole =
    std::enable_if_t<sizeof(T) != 0 && op != akgen::twin::MathOp::Floor && op != akgen::twin::MathOp::Ceil &&
                     op != akgen::twin::MathOp::Round && op != akgen::twin::MathOp::ReGlu>;

template <typename T>
AKGEN_INLINE void math(akgen::twin::MathOp op, const LocalTensor<T> &dst, const LocalTensor<T> &src0,
                       akgen::twin::View src1, akgen::twin::View work, float scalar, int64_t count)
{
    akgen::twin::math_count(op, dtype_of<T>(), view(dst), view(src0), src1, work, scalar, count);
}
} // namespace detail

#define AKGEN_MATH(Name, ...)                                                                                          \
    template <typename T, bool isReuseSource = false, typename = detail::IfTemporary<T, akgen::twin::MathOp::Name>>    \
    AKGEN_INLINE void Name(const LocalTensor<T> &dstTensor, const LocalTensor<T> &srcTensor,                           \
                           const LocalTensor<uint8_t> &sharedTmpBuffer, const uint32_t calCount)                       \
    {                                                                                                                  \
        detail::Name##_takes<T>();                                                                                     \
        detail::math(akgen::twin::MathOp::Name, dstTensor, srcTensor, {}, detail::view(sharedTmpBuffer), 0.0f,         \
                     calCount);                                                                                        \
    }                                                                                                                  \
    template <typename T, bool isReuseSource = false, typename = detail::IfTemporary<T, akgen::twin::MathOp::Name>,    \
              typename = detail::IfWhole<T, akgen::twin::MathOp::Name>>                                                \
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
    template <typename T, bool isReuseSource = false, typename = detail::IfWhole<T, akgen::twin::MathOp::Name>>        \
    AKGEN_INLINE void Name(const LocalTensor<T> &dstTensor, const LocalTensor<T> &srcTensor)                           \
    {                                                                                                                  \
        Name<T, isReuseSource>(dstTensor, srcTensor, srcTensor.GetSize());                                             \
    }

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

#define AKGEN_MATH_PAIR(Name, ...)                                                                                     \
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
                           const LocalTensor<T> &src1Tensor, const LocalTensor<uint8_t> &sharedTmpBuffer)              \
    {                                                                                                                  \
        Name<T, isReuseSource>(dstTensor, src0Tensor, src1Tensor, sharedTmpBuffer, src0Tensor.GetSize());              \
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

#define AKGEN_CLAMP(Name, ...)                                                                                         \
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
#include "akgen/tables/math.def"

} // namespace AscendC
