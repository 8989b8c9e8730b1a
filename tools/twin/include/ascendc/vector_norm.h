// LayerNorm, RmsNorm, and quantisation.
#pragma once
#include "akgen/vector_math.h"
#include "ascendc/vector_dtypes.h"
#include "kernel_tiling/kernel_tiling.h"

namespace AscendC {
namespace detail {
AKGEN_TAKES(AscendDequantScale, uint64_t, float, bfloat16_t)
AKGEN_TAKES(AscendAntiQuantSource, int8_t, int4b_t)

template <typename Tiling> AKGEN_INLINE uint32_t row_length(const Tiling &tiling)
{
    return tiling.originalHLength ? tiling.originalHLength : tiling.hLength;
}
} // namespace detail

// H hands the buffer on to another form.
#define AKGEN_NORM_FORMS(W, V, H)                                                                                      \
    template <typename T, bool isReuseSource = false>                                                                  \
    AKGEN_INLINE void LayerNorm(const LocalTensor<T> &output, const LocalTensor<T> &outputMean,                        \
                                const LocalTensor<T> &outputVariance, const LocalTensor<T> &inputX,                    \
                                const LocalTensor<T> &gamma, const LocalTensor<T> &beta, W const T epsilon,            \
                                LayerNormTiling &tiling)                                                               \
    {                                                                                                                  \
        detail::LayerNorm_takes<T>();                                                                                  \
        akgen::twin::normalise({detail::dtype_of<T>(), detail::view(output), detail::view(inputX),                     \
                                detail::view(gamma), detail::view(beta), detail::view(outputMean),                     \
                                detail::view(outputVariance), V, tiling.bLength * tiling.sLength, tiling.hLength,      \
                                detail::row_length(tiling), static_cast<float>(epsilon), true});                       \
    }                                                                                                                  \
    template <typename T, bool isBasicBlock = false>                                                                   \
    AKGEN_INLINE void RmsNorm(const LocalTensor<T> &dstLocal, const LocalTensor<T> &srcLocal,                          \
                              const LocalTensor<T> &gammaLocal, W const T epsilon, const RmsNormTiling &tiling)        \
    {                                                                                                                  \
        detail::RmsNorm_takes<T>();                                                                                    \
        akgen::twin::normalise({detail::dtype_of<T>(),                                                                 \
                                detail::view(dstLocal),                                                                \
                                detail::view(srcLocal),                                                                \
                                detail::view(gammaLocal),                                                              \
                                {},                                                                                    \
                                {},                                                                                    \
                                {},                                                                                    \
                                V,                                                                                     \
                                tiling.bLength * tiling.sLength,                                                       \
                                tiling.hLength,                                                                        \
                                detail::row_length(tiling),                                                            \
                                static_cast<float>(epsilon),                                                           \
                                false});                                                                               \
    }                                                                                                                  \
    template <typename T, bool isReuseSource = false>                                                                  \
    AKGEN_INLINE void AscendQuant(const LocalTensor<int8_t> &dstTensor, const LocalTensor<T> &srcTensor,               \
                                  W const float scale, const float offset, const uint32_t calCount)                    \
    {                                                                                                                  \
        detail::AscendQuant_takes<T>();                                                                                \
        akgen::twin::quantise(detail::dtype_of<T>(), detail::view(dstTensor), detail::view(srcTensor), V, {}, {},      \
                              scale, offset, 1, calCount);                                                             \
    }                                                                                                                  \
    template <typename T, bool isReuseSource = false>                                                                  \
    AKGEN_INLINE void AscendQuant(const LocalTensor<int8_t> &dstTensor, const LocalTensor<T> &srcTensor,               \
                                  W const float scale, const float offset)                                             \
    {                                                                                                                  \
        detail::AscendQuant_takes<T>();                                                                                \
        akgen::twin::quantise(detail::dtype_of<T>(), detail::view(dstTensor), detail::view(srcTensor), V, {}, {},      \
                              scale, offset, 1, srcTensor.GetSize());                                                  \
    }                                                                                                                  \
    template <typename T, bool isReuseSource = false>                                                                  \
    AKGEN_INLINE void AscendQuant(const LocalTensor<int8_t> &dstTensor, const LocalTensor<T> &srcTensor,               \
                                  W const LocalTensor<T> &scaleTensor, const LocalTensor<T> &offsetTensor,             \
                                  const uint32_t scaleCount, [[maybe_unused]] const uint32_t offsetCount,              \
                                  const uint32_t calCount)                                                             \
    {                                                                                                                  \
        detail::AscendQuant_takes<T>();                                                                                \
        akgen::twin::quantise(detail::dtype_of<T>(), detail::view(dstTensor), detail::view(srcTensor), V,              \
                              detail::view(scaleTensor), detail::view(offsetTensor), 1.0f, 0.0f, scaleCount,           \
                              calCount);                                                                               \
    }                                                                                                                  \
    template <typename T, typename S, DeQuantMode mode = DeQuantMode::DEQUANT_WITH_SINGLE_ROW>                         \
    AKGEN_INLINE void AscendDequant(const LocalTensor<T> &dstTensor, const LocalTensor<int32_t> &srcTensor,            \
                                    const LocalTensor<S> &deqScale, W DequantParams params)                            \
    {                                                                                                                  \
        detail::AscendDequant_takes<T>();                                                                              \
        detail::AscendDequantScale_takes<S>();                                                                         \
        params = detail::rows_of<T, mode>(params);                                                                     \
        akgen::twin::dequantise(detail::dtype_of<T>(), detail::dtype_of<S>(), detail::view(dstTensor),                 \
                                detail::view(srcTensor), detail::view(deqScale), V, 1.0f, params.m, params.n,          \
                                params.calCount);                                                                      \
    }                                                                                                                  \
    template <typename T, typename S, DeQuantMode mode = DeQuantMode::DEQUANT_WITH_SINGLE_ROW,                         \
              typename = std::enable_if_t<detail::one_of<S, float, bfloat16_t>>>                                       \
    AKGEN_INLINE void AscendDequant(const LocalTensor<T> &dstTensor, const LocalTensor<int32_t> &srcTensor,            \
                                    const S deqScale, W DequantParams params)                                          \
    {                                                                                                                  \
        detail::AscendDequant_takes<T>();                                                                              \
        params = detail::rows_of<T, mode>(params);                                                                     \
        akgen::twin::dequantise(detail::dtype_of<T>(), akgen::twin::DType::F32, detail::view(dstTensor),               \
                                detail::view(srcTensor), {}, V, static_cast<float>(deqScale), params.m, params.n,      \
                                params.calCount);                                                                      \
    }                                                                                                                  \
    /* One row; the scales repeat over its elements. */                                                                \
    template <typename T, typename S, DeQuantMode mode = DeQuantMode::DEQUANT_WITH_SINGLE_ROW>                         \
    AKGEN_INLINE void AscendDequant(const LocalTensor<T> &dstTensor, const LocalTensor<int32_t> &srcTensor,            \
                                    const LocalTensor<S> &deqScale, W const uint32_t calCount)                         \
    {                                                                                                                  \
        AscendDequant<T, S, mode>(dstTensor, srcTensor, deqScale, H DequantParams{1, calCount, deqScale.GetSize()});   \
    }                                                                                                                  \
    template <typename T, bool isReuseSource = false>                                                                  \
    AKGEN_INLINE void AscendQuant(const LocalTensor<int8_t> &dstTensor, const LocalTensor<T> &srcTensor,               \
                                  W const LocalTensor<T> &scaleTensor, const T offset, const uint32_t scaleCount,      \
                                  const uint32_t calCount)                                                             \
    {                                                                                                                  \
        detail::AscendQuant_takes<T>();                                                                                \
        akgen::twin::quantise(detail::dtype_of<T>(), detail::view(dstTensor), detail::view(srcTensor), V,              \
                              detail::view(scaleTensor), {}, 1.0f, static_cast<float>(offset), scaleCount, calCount);  \
    }                                                                                                                  \
    template <typename T, bool isReuseSource = false>                                                                  \
    AKGEN_INLINE void AscendQuant(const LocalTensor<int8_t> &dstTensor, const LocalTensor<T> &srcTensor,               \
                                  W const LocalTensor<T> &scaleTensor, const T offset)                                 \
    {                                                                                                                  \
        AscendQuant<T, isReuseSource>(dstTensor, srcTensor, H scaleTensor, offset, scaleTensor.GetSize(),              \
                                      srcTensor.GetSize());                                                            \
    }                                                                                                                  \
    template <typename T, bool isReuseSource = false>                                                                  \
    AKGEN_INLINE void AscendQuant(const LocalTensor<int8_t> &dstTensor, const LocalTensor<T> &srcTensor,               \
                                  W const LocalTensor<T> &scaleTensor, const LocalTensor<T> &offsetTensor)             \
    {                                                                                                                  \
        AscendQuant<T, isReuseSource>(dstTensor, srcTensor, H scaleTensor, offsetTensor, scaleTensor.GetSize(),        \
                                      offsetTensor.GetSize(), srcTensor.GetSize());                                    \
    }                                                                                                                  \
    template <typename U, typename T, bool isTranspose>                                                                \
    AKGEN_INLINE void AscendAntiQuant(const LocalTensor<T> &dst, const LocalTensor<U> &src,                            \
                                      const LocalTensor<T> &offset, const LocalTensor<T> &scale, W const uint32_t k,   \
                                      [[maybe_unused]] const AntiQuantShapeInfo &shapeInfo = {})                       \
    {                                                                                                                  \
        detail::AscendAntiQuant_takes<T>();                                                                            \
        detail::AscendAntiQuantSource_takes<U>();                                                                      \
        const uint32_t size = src.GetSize();                                                                           \
        akgen::twin::antiquantise(detail::dtype_of<T>(), detail::dtype_of<U>(), detail::view(dst), detail::view(src),  \
                                  detail::view(offset), detail::view(scale), V, isTranspose ? size / k : k,            \
                                  isTranspose ? k : size / k, isTranspose);                                            \
    }                                                                                                                  \
    template <typename U, typename T, bool isTranspose>                                                                \
    AKGEN_INLINE void AscendAntiQuant(const LocalTensor<T> &dst, const LocalTensor<U> &src,                            \
                                      const LocalTensor<T> &scale, W const uint32_t k,                                 \
                                      [[maybe_unused]] const AntiQuantShapeInfo &shapeInfo = {})                       \
    {                                                                                                                  \
        detail::AscendAntiQuant_takes<T>();                                                                            \
        detail::AscendAntiQuantSource_takes<U>();                                                                      \
        const uint32_t size = src.GetSize();                                                                           \
        akgen::twin::antiquantise(detail::dtype_of<T>(), detail::dtype_of<U>(), detail::view(dst), detail::view(src),  \
                                  {}, detail::view(scale), V, isTranspose ? size / k : k, isTranspose ? k : size / k,  \
                                  isTranspose);                                                                        \
    }                                                                                                                  \
    template <typename U, typename T, bool isTranspose>                                                                \
    AKGEN_INLINE void AscendAntiQuant(const LocalTensor<T> &dst, const LocalTensor<U> &src, const T offset,            \
                                      const T scale, W [[maybe_unused]] const uint32_t k,                              \
                                      [[maybe_unused]] const AntiQuantShapeInfo &shapeInfo = {})                       \
    {                                                                                                                  \
        detail::AscendAntiQuant_takes<T>();                                                                            \
        detail::AscendAntiQuantSource_takes<U>();                                                                      \
        akgen::twin::antiquantise_all(detail::dtype_of<T>(), detail::dtype_of<U>(), detail::view(dst),                 \
                                      detail::view(src), V, static_cast<float>(offset), static_cast<float>(scale),     \
                                      src.GetSize());                                                                  \
    }                                                                                                                  \
    template <typename U, typename T, bool isTranspose>                                                                \
    AKGEN_INLINE void AscendAntiQuant(const LocalTensor<T> &dst, const LocalTensor<U> &src, const T scale,             \
                                      W const uint32_t k, const AntiQuantShapeInfo &shapeInfo = {})                    \
    {                                                                                                                  \
        AscendAntiQuant<U, T, isTranspose>(dst, src, static_cast<T>(0.0f), scale, H k, shapeInfo);                     \
    }

enum class DeQuantMode { DEQUANT_WITH_SINGLE_ROW, DEQUANT_WITH_MULTI_ROW };
struct DequantParams {
    uint32_t m = 0;
    uint32_t n = 0;
    uint32_t calCount = 0;
};
namespace detail {
// A single row that holds whole runs of calCount elements is as many rows.
template <typename T, DeQuantMode mode> AKGEN_INLINE DequantParams rows_of(const DequantParams &p)
{
    const bool runs = mode == DeQuantMode::DEQUANT_WITH_SINGLE_ROW && p.m == 1 && p.calCount != 0 &&
                      p.calCount % (ONE_BLK_SIZE / sizeof(PrimT<T>)) == 0 && p.n % p.calCount == 0;
    return runs ? DequantParams{p.n / p.calCount, p.calCount, p.calCount} : p;
}
} // namespace detail
struct AntiQuantShapeInfo {
    uint32_t offsetHeight = 0;
    uint32_t offsetWidth = 0;
    uint32_t scaleHeight = 0;
    uint32_t scaleWidth = 0;
};

#define AKGEN_WORK const LocalTensor<uint8_t> &sharedTmpBuffer,
#define AKGEN_HAND_ON sharedTmpBuffer,
AKGEN_NORM_FORMS(AKGEN_WORK, detail::view(sharedTmpBuffer), AKGEN_HAND_ON)
AKGEN_NORM_FORMS(, akgen::twin::View{}, )
#undef AKGEN_HAND_ON
#undef AKGEN_WORK
#undef AKGEN_NORM_FORMS

template <typename T, typename S, DeQuantMode mode = DeQuantMode::DEQUANT_WITH_SINGLE_ROW>
AKGEN_INLINE void AscendDequant(const LocalTensor<T> &dstTensor, const LocalTensor<int32_t> &srcTensor,
                                const LocalTensor<S> &deqScale, const LocalTensor<uint8_t> &sharedTmpBuffer)
{
    AscendDequant<T, S, mode>(dstTensor, srcTensor, deqScale, sharedTmpBuffer, srcTensor.GetSize());
}
template <typename T, typename S, DeQuantMode mode = DeQuantMode::DEQUANT_WITH_SINGLE_ROW>
AKGEN_INLINE void AscendDequant(const LocalTensor<T> &dstTensor, const LocalTensor<int32_t> &srcTensor,
                                const LocalTensor<S> &deqScale)
{
    AscendDequant<T, S, mode>(dstTensor, srcTensor, deqScale, srcTensor.GetSize());
}

} // namespace AscendC
