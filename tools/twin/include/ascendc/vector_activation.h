// Activations over `dataSize` elements.
#pragma once
#include "ascendc/vector_math.h"

namespace AscendC {
namespace detail {
AKGEN_TAKES(Silu, half, float)
AKGEN_TAKES(Swish, half, float)
AKGEN_TAKES(SwiGLU, half, float)
} // namespace detail

#define AKGEN_GELU(Name, ...)                                                                                          \
    template <typename T, bool highPrecision = false, bool highPerformance = false>                                    \
    AKGEN_INLINE void Name(const LocalTensor<T> &dstLocal, const LocalTensor<T> &srcLocal,                             \
                           const LocalTensor<uint8_t> &sharedTmpBuffer, const uint32_t dataSize)                       \
    {                                                                                                                  \
        detail::Name##_takes<T>();                                                                                     \
        detail::math(akgen::twin::MathOp::Name, dstLocal, srcLocal, {}, detail::view(sharedTmpBuffer), 0.0f,           \
                     dataSize);                                                                                        \
    }                                                                                                                  \
    template <typename T, bool highPrecision = false, bool highPerformance = false>                                    \
    AKGEN_INLINE void Name(const LocalTensor<T> &dstLocal, const LocalTensor<T> &srcLocal, const uint32_t dataSize)    \
    {                                                                                                                  \
        detail::Name##_takes<T>();                                                                                     \
        detail::math(akgen::twin::MathOp::Name, dstLocal, srcLocal, {}, {}, 0.0f, dataSize);                           \
    }

template <typename T, bool isReuseSource = false>
AKGEN_INLINE void Silu(const LocalTensor<T> &dstLocal, const LocalTensor<T> &srcLocal, uint32_t dataSize)
{
    detail::Silu_takes<T>();
    detail::math(akgen::twin::MathOp::Silu, dstLocal, srcLocal, {}, {}, 0.0f, dataSize);
}
template <typename T, bool isReuseSource = false>
AKGEN_INLINE void Swish(const LocalTensor<T> &dstLocal, const LocalTensor<T> &srcLocal, uint32_t dataSize,
                        const T &scalarValue)
{
    detail::Swish_takes<T>();
    detail::math(akgen::twin::MathOp::Swish, dstLocal, srcLocal, {}, {}, static_cast<float>(scalarValue), dataSize);
}

#define AKGEN_GATED(Name, ...)                                                                                         \
    template <typename T, bool isReuseSource = false>                                                                  \
    AKGEN_INLINE void Name(const LocalTensor<T> &dstTensor, const LocalTensor<T> &srcTensor0,                          \
                           const LocalTensor<T> &srcTensor1, const LocalTensor<uint8_t> &sharedTmpBuffer,              \
                           const uint32_t calCount)                                                                    \
    {                                                                                                                  \
        detail::Name##_takes<T>();                                                                                     \
        detail::math(akgen::twin::MathOp::Name, dstTensor, srcTensor0, detail::view(srcTensor1),                       \
                     detail::view(sharedTmpBuffer), 0.0f, calCount);                                                   \
    }                                                                                                                  \
    template <typename T, bool isReuseSource = false>                                                                  \
    AKGEN_INLINE void Name(const LocalTensor<T> &dstTensor, const LocalTensor<T> &srcTensor0,                          \
                           const LocalTensor<T> &srcTensor1, const uint32_t calCount)                                  \
    {                                                                                                                  \
        detail::Name##_takes<T>();                                                                                     \
        detail::math(akgen::twin::MathOp::Name, dstTensor, srcTensor0, detail::view(srcTensor1), {}, 0.0f, calCount);  \
    }                                                                                                                  \
    template <typename T, bool isReuseSource = false, typename = detail::IfWhole<T, akgen::twin::MathOp::Name>>        \
    AKGEN_INLINE void Name(const LocalTensor<T> &dstTensor, const LocalTensor<T> &srcTensor0,                          \
                           const LocalTensor<T> &srcTensor1)                                                           \
    {                                                                                                                  \
        Name<T, isReuseSource>(dstTensor, srcTensor0, srcTensor1, srcTensor0.GetSize());                               \
    }
#include "akgen/tables/math.def"

template <typename T, bool isReuseSource = false>
AKGEN_INLINE void GeGLU(const LocalTensor<T> &dstTensor, const LocalTensor<T> &srcTensor0,
                        const LocalTensor<T> &srcTensor1, const LocalTensor<uint8_t> &sharedTmpBuffer)
{
    GeGLU<T, isReuseSource>(dstTensor, srcTensor0, srcTensor1, sharedTmpBuffer, srcTensor0.GetSize());
}

template <typename T, bool isReuseSource = false>
AKGEN_INLINE void SwiGLU(LocalTensor<T> &dstTensor, const LocalTensor<T> &srcTensor0, const LocalTensor<T> &srcTensor1,
                         const float &scalarValue, const LocalTensor<uint8_t> &sharedTmpBuffer, const uint32_t calCount)
{
    detail::SwiGLU_takes<T>();
    detail::math(akgen::twin::MathOp::SwiGLU, dstTensor, srcTensor0, detail::view(srcTensor1),
                 detail::view(sharedTmpBuffer), scalarValue, calCount);
}
template <typename T, bool isReuseSource = false>
AKGEN_INLINE void SwiGLU(LocalTensor<T> &dstTensor, const LocalTensor<T> &srcTensor0, const LocalTensor<T> &srcTensor1,
                         const float &scalarValue, const LocalTensor<uint8_t> &sharedTmpBuffer)
{
    SwiGLU<T, isReuseSource>(dstTensor, srcTensor0, srcTensor1, scalarValue, sharedTmpBuffer, srcTensor0.GetSize());
}
template <typename T, bool isReuseSource = false>
AKGEN_INLINE void SwiGLU(LocalTensor<T> &dstTensor, const LocalTensor<T> &srcTensor0, const LocalTensor<T> &srcTensor1,
                         const float &scalarValue, const uint32_t calCount)
{
    detail::SwiGLU_takes<T>();
    detail::math(akgen::twin::MathOp::SwiGLU, dstTensor, srcTensor0, detail::view(srcTensor1), {}, scalarValue,
                 calCount);
}
template <typename T, bool isReuseSource = false>
AKGEN_INLINE void SwiGLU(LocalTensor<T> &dstTensor, LocalTensor<T> &srcTensor0, LocalTensor<T> &srcTensor1,
                         const float &scalarValue)
{
    SwiGLU<T, isReuseSource>(dstTensor, srcTensor0, srcTensor1, scalarValue, srcTensor0.GetSize());
}

} // namespace AscendC
