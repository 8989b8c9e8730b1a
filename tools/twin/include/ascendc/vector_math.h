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
AKGEN_TAKES(Rint, half, float)
AKGEN_TAKES(Trunc, half, float)
AKGEN_TAKES(Frac, half, float)
AKGEN_TAKES(Sign, half, float)
AKGEN_TAKES(Lgamma, half, float)
AKGEN_TAKES(Digamma, half, float)
AKGEN_TAKES(Sigmoid, half, float)
AKGEN_TAKES(Power, half, float, int32_t)
AKGEN_TAKES(Fmod, half, float)
AKGEN_TAKES(Hypot, half, float)
AKGEN_TAKES(ClampMax, half, float)
AKGEN_TAKES(ClampMin, half, float)
AKGEN_TAKES(Xor, int16_t, uint16_t)
AKGEN_TAKES(Fma, half, float)
AKGEN_TAKES(CumSum, half, float)
AKGEN_TAKES(LogicalNot, bool, int8_t, uint8_t, half, int16_t, uint16_t, float, int32_t, uint32_t)
AKGEN_TAKES(Where, bool, int8_t, uint8_t, half, int16_t, uint16_t, float, int32_t, uint32_t)

template <typename T>
AKGEN_INLINE void math(akgen::twin::MathOp op, const LocalTensor<T> &dst, const LocalTensor<T> &src0, akgen::twin::View src1,
                       akgen::twin::View work, float scalar, int64_t count)
{
    akgen::twin::math_count(op, dtype_of<T>(), view(dst), view(src0), src1, work, scalar, count);
}
} // namespace detail

#define AKGEN_MATH(Name)                                                                                                   \
    template <typename T, bool isReuseSource = false>                                                                      \
    AKGEN_INLINE void Name(const LocalTensor<T> &dstTensor, const LocalTensor<T> &srcTensor,                               \
                           const LocalTensor<uint8_t> &sharedTmpBuffer, const uint32_t calCount)                           \
    {                                                                                                                      \
        detail::Name##_takes<T>();                                                                                         \
        detail::math(akgen::twin::MathOp::Name, dstTensor, srcTensor, {}, detail::view(sharedTmpBuffer), 0.0f, calCount);  \
    }                                                                                                                      \
    template <typename T, bool isReuseSource = false>                                                                      \
    AKGEN_INLINE void Name(const LocalTensor<T> &dstTensor, const LocalTensor<T> &srcTensor,                               \
                           const LocalTensor<uint8_t> &sharedTmpBuffer)                                                    \
    {                                                                                                                      \
        Name<T, isReuseSource>(dstTensor, srcTensor, sharedTmpBuffer, srcTensor.GetSize());                                \
    }                                                                                                                      \
    template <typename T, bool isReuseSource = false>                                                                      \
    AKGEN_INLINE void Name(const LocalTensor<T> &dstTensor, const LocalTensor<T> &srcTensor, const uint32_t calCount)      \
    {                                                                                                                      \
        detail::Name##_takes<T>();                                                                                         \
        detail::math(akgen::twin::MathOp::Name, dstTensor, srcTensor, {}, {}, 0.0f, calCount);                             \
    }                                                                                                                      \
    template <typename T, bool isReuseSource = false>                                                                      \
    AKGEN_INLINE void Name(const LocalTensor<T> &dstTensor, const LocalTensor<T> &srcTensor)                               \
    {                                                                                                                      \
        Name<T, isReuseSource>(dstTensor, srcTensor, srcTensor.GetSize());                                                 \
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
AKGEN_MATH(Rint)
AKGEN_MATH(Trunc)
AKGEN_MATH(Frac)
AKGEN_MATH(Sign)
AKGEN_MATH(Lgamma)
AKGEN_MATH(Digamma)
AKGEN_MATH(Sigmoid)
#undef AKGEN_MATH

// The high-level Exp: a Taylor series of the given length after range reduction.
template <typename T, uint8_t taylorExpandLevel, bool isReuseSource = false>
AKGEN_INLINE void Exp(const LocalTensor<T> &dstLocal, const LocalTensor<T> &srcLocal, const LocalTensor<uint8_t> &sharedTmpBuffer,
                      const uint32_t calCount)
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

#define AKGEN_MATH2(Name)                                                                                                  \
    template <typename T, bool isReuseSource = false>                                                                      \
    AKGEN_INLINE void Name(const LocalTensor<T> &dstTensor, const LocalTensor<T> &src0Tensor,                              \
                           const LocalTensor<T> &src1Tensor, const LocalTensor<uint8_t> &sharedTmpBuffer,                  \
                           const uint32_t calCount)                                                                        \
    {                                                                                                                      \
        detail::Name##_takes<T>();                                                                                         \
        detail::math(akgen::twin::MathOp::Name, dstTensor, src0Tensor, detail::view(src1Tensor),                           \
                     detail::view(sharedTmpBuffer), 0.0f, calCount);                                                       \
    }                                                                                                                      \
    template <typename T, bool isReuseSource = false>                                                                      \
    AKGEN_INLINE void Name(const LocalTensor<T> &dstTensor, const LocalTensor<T> &src0Tensor,                              \
                           const LocalTensor<T> &src1Tensor, const uint32_t calCount)                                      \
    {                                                                                                                      \
        detail::Name##_takes<T>();                                                                                         \
        detail::math(akgen::twin::MathOp::Name, dstTensor, src0Tensor, detail::view(src1Tensor), {}, 0.0f, calCount);      \
    }                                                                                                                      \
    template <typename T, bool isReuseSource = false>                                                                      \
    AKGEN_INLINE void Name(const LocalTensor<T> &dstTensor, const LocalTensor<T> &src0Tensor,                              \
                           const LocalTensor<T> &src1Tensor)                                                               \
    {                                                                                                                      \
        Name<T, isReuseSource>(dstTensor, src0Tensor, src1Tensor, src0Tensor.GetSize());                                   \
    }
AKGEN_MATH2(Fmod)
AKGEN_MATH2(Hypot)
#undef AKGEN_MATH2

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
AKGEN_INLINE void power(const LocalTensor<T> &dst, const LocalTensor<T> &src, const T &scalar, bool first, akgen::twin::View work,
                        uint32_t count)
{
    Power_takes<T>();
    akgen::twin::power_scalar(dtype_of<T>(), view(dst), view(src), work, bits(scalar), first, count);
}
} // namespace detail

template <typename T, bool isReuseSource = false>
AKGEN_INLINE void Power(const LocalTensor<T> &dstTensor, const LocalTensor<T> &src0Tensor, const LocalTensor<T> &src1Tensor,
                        const LocalTensor<uint8_t> &sharedTmpBuffer, uint32_t calCount)
{
    detail::power(dstTensor, src0Tensor, src1Tensor, detail::view(sharedTmpBuffer), calCount);
}
template <typename T, bool isReuseSource = false>
AKGEN_INLINE void Power(const LocalTensor<T> &dstTensor, const LocalTensor<T> &src0Tensor, const LocalTensor<T> &src1Tensor,
                        const LocalTensor<uint8_t> &sharedTmpBuffer)
{
    detail::power(dstTensor, src0Tensor, src1Tensor, detail::view(sharedTmpBuffer), src0Tensor.GetSize());
}
template <typename T, bool isReuseSource = false>
AKGEN_INLINE void Power(const LocalTensor<T> &dstTensor, const LocalTensor<T> &src0Tensor, const LocalTensor<T> &src1Tensor, uint32_t calCount)
{
    detail::power(dstTensor, src0Tensor, src1Tensor, {}, calCount);
}
template <typename T, bool isReuseSource = false>
AKGEN_INLINE void Power(const LocalTensor<T> &dstTensor, const LocalTensor<T> &src0Tensor, const LocalTensor<T> &src1Tensor)
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
AKGEN_INLINE void Power(const LocalTensor<T> &dstTensor, const LocalTensor<T> &src0Tensor, const T &src1Scalar, uint32_t calCount)
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
AKGEN_INLINE void Power(const LocalTensor<T> &dstTensor, const T &src0Scalar, const LocalTensor<T> &src1Tensor, uint32_t calCount)
{
    detail::power(dstTensor, src1Tensor, src0Scalar, true, {}, calCount);
}
template <typename T, bool isReuseSource = false>
AKGEN_INLINE void Power(const LocalTensor<T> &dstTensor, const T &src0Scalar, const LocalTensor<T> &src1Tensor)
{
    detail::power(dstTensor, src1Tensor, src0Scalar, true, {}, src1Tensor.GetSize());
}

#define AKGEN_CLAMP(Name)                                                                                                  \
    template <typename T, bool isReuseSource = false>                                                                      \
    AKGEN_INLINE void Name(const LocalTensor<T> &dstTensor, const LocalTensor<T> &srcTensor,                               \
                           const LocalTensor<uint8_t> &sharedTmpBuffer, const T scalar, const uint32_t calCount)           \
    {                                                                                                                      \
        detail::Name##_takes<T>();                                                                                         \
        detail::math(akgen::twin::MathOp::Name, dstTensor, srcTensor, {}, detail::view(sharedTmpBuffer),                   \
                     static_cast<float>(scalar), calCount);                                                                \
    }                                                                                                                      \
    template <typename T, bool isReuseSource = false>                                                                      \
    AKGEN_INLINE void Name(const LocalTensor<T> &dstTensor, const LocalTensor<T> &srcTensor, const T scalar,               \
                           const uint32_t calCount)                                                                        \
    {                                                                                                                      \
        detail::Name##_takes<T>();                                                                                         \
        detail::math(akgen::twin::MathOp::Name, dstTensor, srcTensor, {}, {}, static_cast<float>(scalar), calCount);       \
    }
AKGEN_CLAMP(ClampMax)
AKGEN_CLAMP(ClampMin)
#undef AKGEN_CLAMP

template <typename T, bool isReuseSource = false>
AKGEN_INLINE void Xor(const LocalTensor<T> &dstTensor, const LocalTensor<T> &src0Tensor, const LocalTensor<T> &src1Tensor,
                      const LocalTensor<uint8_t> &sharedTmpBuffer, const uint32_t calCount)
{
    detail::Xor_takes<T>();
    akgen::twin::xor_count(detail::dtype_of<T>(), detail::view(dstTensor), detail::view(src0Tensor), detail::view(src1Tensor),
                           detail::view(sharedTmpBuffer), calCount);
}
template <typename T, bool isReuseSource = false>
AKGEN_INLINE void Xor(const LocalTensor<T> &dstTensor, const LocalTensor<T> &src0Tensor, const LocalTensor<T> &src1Tensor,
                      const LocalTensor<uint8_t> &sharedTmpBuffer)
{
    Xor<T, isReuseSource>(dstTensor, src0Tensor, src1Tensor, sharedTmpBuffer, src0Tensor.GetSize());
}
template <typename T, bool isReuseSource = false>
AKGEN_INLINE void Xor(const LocalTensor<T> &dstTensor, const LocalTensor<T> &src0Tensor, const LocalTensor<T> &src1Tensor,
                      const uint32_t calCount)
{
    detail::Xor_takes<T>();
    akgen::twin::xor_count(detail::dtype_of<T>(), detail::view(dstTensor), detail::view(src0Tensor), detail::view(src1Tensor), {},
                           calCount);
}
template <typename T, bool isReuseSource = false>
AKGEN_INLINE void Xor(const LocalTensor<T> &dstTensor, const LocalTensor<T> &src0Tensor, const LocalTensor<T> &src1Tensor)
{
    Xor<T, isReuseSource>(dstTensor, src0Tensor, src1Tensor, src0Tensor.GetSize());
}

template <typename T, typename U, bool isReuseSource = false>
AKGEN_INLINE void Axpy(const LocalTensor<T> &dstTensor, const LocalTensor<U> &srcTensor, const U scalarValue,
                       const LocalTensor<uint8_t> &, const uint32_t calCount)
{
    Axpy(dstTensor, srcTensor, scalarValue, static_cast<int32_t>(calCount));
}

template <typename T>
AKGEN_INLINE void Fma(const LocalTensor<T> &dst, const LocalTensor<T> &src0, const LocalTensor<T> &src1, const LocalTensor<T> &src2,
                      const uint32_t count)
{
    detail::Fma_takes<T>();
    akgen::twin::fma_count(detail::dtype_of<T>(), detail::view(dst), detail::view(src0), detail::view(src1), detail::view(src2), {},
                           count);
}

struct CumSumConfig {
    bool isLastAxis = true;
    bool isReuseSource = false;
    bool outputLastRow = false;
};
struct CumSumInfo {
    uint32_t outter = 0;
    uint32_t inner = 0;
};
constexpr CumSumConfig defaultCumSumConfig = {true, false, true};

template <typename T, const CumSumConfig &config = defaultCumSumConfig>
AKGEN_INLINE void CumSum(const LocalTensor<T> &dstTensor, const LocalTensor<T> &lastRowTensor, const LocalTensor<T> &srcTensor,
                         const LocalTensor<uint8_t> &sharedTmpBuffer, const CumSumInfo &cumSumInfo)
{
    detail::CumSum_takes<T>();
    akgen::twin::cumulative_sum(detail::dtype_of<T>(), detail::view(dstTensor),
                                config.outputLastRow ? detail::view(lastRowTensor) : akgen::twin::View{}, detail::view(srcTensor),
                                detail::view(sharedTmpBuffer), cumSumInfo.outter, cumSumInfo.inner, config.isLastAxis);
}
template <typename T, const CumSumConfig &config = defaultCumSumConfig>
AKGEN_INLINE void CumSum(const LocalTensor<T> &dstTensor, const LocalTensor<T> &lastRowTensor, const LocalTensor<T> &srcTensor,
                         const CumSumInfo &cumSumInfo)
{
    detail::CumSum_takes<T>();
    akgen::twin::cumulative_sum(detail::dtype_of<T>(), detail::view(dstTensor),
                                config.outputLastRow ? detail::view(lastRowTensor) : akgen::twin::View{}, detail::view(srcTensor), {},
                                cumSumInfo.outter, cumSumInfo.inner, config.isLastAxis);
}

template <typename T>
AKGEN_INLINE void LogicalNot(const LocalTensor<T> &dst, const LocalTensor<T> &src, const uint32_t count)
{
    detail::LogicalNot_takes<T>();
    akgen::twin::logical_count("LogicalNot", 0, detail::dtype_of<T>(), detail::view(dst), detail::view(src), {}, count);
}
template <typename T>
AKGEN_INLINE void LogicalAnd(const LocalTensor<T> &dst, const LocalTensor<T> &src0, const LocalTensor<T> &src1, const uint32_t count)
{
    detail::LogicalNot_takes<T>();
    akgen::twin::logical_count("LogicalAnd", 1, detail::dtype_of<T>(), detail::view(dst), detail::view(src0), detail::view(src1), count);
}
template <typename T>
AKGEN_INLINE void LogicalOr(const LocalTensor<T> &dst, const LocalTensor<T> &src0, const LocalTensor<T> &src1, const uint32_t count)
{
    detail::LogicalNot_takes<T>();
    akgen::twin::logical_count("LogicalOr", 2, detail::dtype_of<T>(), detail::view(dst), detail::view(src0), detail::view(src1), count);
}

namespace detail {
template <typename T> AKGEN_INLINE akgen::twin::View where_view(const LocalTensor<T> &tensor) { return view(tensor); }
template <typename T> AKGEN_INLINE akgen::twin::View where_view(const T &) { return {}; }
template <typename T> AKGEN_INLINE uint64_t where_bits(const LocalTensor<T> &) { return 0; }
template <typename T, typename = std::enable_if_t<std::is_arithmetic_v<T> || std::is_same_v<T, half>>>
AKGEN_INLINE uint64_t where_bits(const T &value)
{
    return bits(value);
}
} // namespace detail
// Either source may be a scalar of the element type.
template <typename T, typename U, typename S>
AKGEN_INLINE void Where(const LocalTensor<T> &dst, const U &src0, const S &src1, const LocalTensor<bool> &condition, const uint32_t count)
{
    detail::Where_takes<T>();
    akgen::twin::where_count(detail::dtype_of<T>(), detail::view(dst), detail::where_view(src0), detail::where_view(src1),
                             detail::where_bits(src0), detail::where_bits(src1), detail::view(condition), count);
}

} // namespace AscendC
