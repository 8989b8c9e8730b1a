// Norms other than those that most kernels use: GroupNorm, BatchNorm, DeepNorm, Normalize, LayerNorm with reciprocals,
// its gradient, and Welford's method.
#pragma once
#include "akgen/vector_math.h"
#include "ascendc/vector_norm.h"
#include "kernel_tiling/kernel_tiling.h"

namespace AscendC {
namespace detail {

// gamma and beta are as precise as the rows, or more.
template <typename T, typename U> constexpr void factors_take()
{
    static_assert(one_of<U, T, float>,
                  "AKGEN:DTYPE_UNSUPPORTED: gamma and beta take no dtype less precise than the input; supported: the "
                  "input's dtype, float");
}
} // namespace detail

#ifndef AKGEN_REDUCE_PATTERN // host code and kernels may share a file
#define AKGEN_REDUCE_PATTERN
enum class ReducePattern : uint32_t { AR = 0, RA = 1 };
#endif
struct NormalizeConfig {
    ReducePattern reducePattern = ReducePattern::AR;
    int32_t aLength = -1;
    bool isNoBeta = false;
    bool isNoGamma = false;
    bool isOnlyOutput = false;
};
constexpr NormalizeConfig NLCFG_NORM = {ReducePattern::AR, -1, false, false, false};
struct NormalizePara {
    uint32_t aLength;
    uint32_t rLength;
    uint32_t rLengthWithPadding;
};
struct LayerNormConfig {
    bool isNoBeta = false;
    bool isNoGamma = false;
    bool isOnlyOutput = false;
    bool isOutputRstd = true;
};
constexpr LayerNormConfig GetLayerNormNormalConfig(bool isOnlyOutput = false)
{
    return {false, false, isOnlyOutput, true};
}
constexpr LayerNormConfig LNCFG_NORM = {false, false, false, true};
struct LayerNormPara {
    uint32_t aLength;
    uint32_t rLength;
    uint32_t rLengthWithPadding;
};
struct LayerNormGradShapeInfo {
    DataFormat dataFormat = DataFormat::ND; // the only one
};
struct WelfordUpdateConfig {
    constexpr WelfordUpdateConfig(const bool inplace) : isInplace(inplace) {}
    bool isInplace = false;
};
constexpr WelfordUpdateConfig WFUPDATE_DEFAULT_CFG = {false};
struct WelfordFinalizeConfig {
    bool isCorrection = false;
};
constexpr WelfordFinalizeConfig WFFINALIZE_DEFAULT_CFG = {false};
struct WelfordUpdateParam {
    uint32_t rnLength;
    uint32_t abLength;
    uint32_t abComputeLength;
    float nRec;
};
struct WelfordFinalizePara {
    uint32_t rnLength;
    uint32_t abLength;
    uint32_t headCount;
    uint32_t headCountLength;
    uint32_t tailCount;
    uint32_t tailCountLength;
    float abRec;
    float rRec;
};

// With or without `const LocalTensor<uint8_t> &sharedTmpBuffer`: W names the parameter, V the view handed on.
#define AKGEN_STATISTICS(W, V)                                                                                         \
    template <typename T, bool isReuseSource = false>                                                                  \
    AKGEN_INLINE void GroupNorm(const LocalTensor<T> &output, const LocalTensor<T> &outputMean,                        \
                                const LocalTensor<T> &outputVariance, const LocalTensor<T> &inputX,                    \
                                const LocalTensor<T> &gamma, const LocalTensor<T> &beta, W const T epsilon,            \
                                GroupNormTiling &tiling)                                                               \
    {                                                                                                                  \
        detail::GroupNorm_takes<T>();                                                                                  \
        akgen::twin::group_norm({detail::dtype_of<T>(), detail::view(output), detail::view(outputMean),                \
                                 detail::view(outputVariance), detail::view(inputX), detail::view(gamma),              \
                                 detail::view(beta), V, static_cast<float>(epsilon), tiling.n, tiling.g, tiling.d,     \
                                 tiling.hw, tiling.hwAlignSize});                                                      \
    }                                                                                                                  \
    template <typename T, bool isReuseSource = false, bool isBasicBlock = false>                                       \
    AKGEN_INLINE void BatchNorm(const LocalTensor<T> &output, const LocalTensor<T> &outputMean,                        \
                                const LocalTensor<T> &outputVariance, const LocalTensor<T> &inputX,                    \
                                const LocalTensor<T> &gamm, const LocalTensor<T> &beta, W const T epsilon,             \
                                BatchNormTiling &tiling)                                                               \
    {                                                                                                                  \
        detail::BatchNorm_takes<T>();                                                                                  \
        akgen::twin::batch_norm({detail::dtype_of<T>(), detail::view(output), detail::view(outputMean),                \
                                 detail::view(outputVariance), detail::view(inputX), detail::view(gamm),               \
                                 detail::view(beta), V, static_cast<float>(epsilon), tiling.originalBLength,           \
                                 tiling.meanVarSize});                                                                 \
    }                                                                                                                  \
    template <typename T, bool isReuseSrc = false, bool isBasicBlock = false>                                          \
    AKGEN_INLINE void DeepNorm(                                                                                        \
        const LocalTensor<T> &dstLocal, const LocalTensor<T> &meanLocal, const LocalTensor<T> &rstdLocal,              \
        const LocalTensor<T> &srcLocal, const LocalTensor<T> &gxLocal, const LocalTensor<T> &betaLocal,                \
        const LocalTensor<T> &gammaLocal, W const T alpha, const T epsilon, DeepNormTiling &tiling)                    \
    {                                                                                                                  \
        detail::DeepNorm_takes<T>();                                                                                   \
        akgen::twin::deep_norm({detail::dtype_of<T>(), detail::view(dstLocal), detail::view(srcLocal),                 \
                                detail::view(gammaLocal), detail::view(betaLocal), detail::view(meanLocal),            \
                                detail::view(rstdLocal), V, tiling.bLength * tiling.sLength, tiling.hLength,           \
                                detail::row_length(tiling), static_cast<float>(epsilon), true},                        \
                               detail::view(gxLocal), static_cast<float>(alpha));                                      \
    }                                                                                                                  \
    template <typename U, typename T, bool isReuseSource = false, const NormalizeConfig &config = NLCFG_NORM>          \
    AKGEN_INLINE void Normalize(const LocalTensor<T> &output, const LocalTensor<float> &outputRstd,                    \
                                const LocalTensor<float> &inputMean, const LocalTensor<float> &inputVariance,          \
                                const LocalTensor<T> &inputX, const LocalTensor<U> &gamma, const LocalTensor<U> &beta, \
                                W const float epsilon, const NormalizePara &para)                                      \
    {                                                                                                                  \
        detail::Normalize_takes<T>();                                                                                  \
        detail::factors_take<T, U>();                                                                                  \
        static_assert(config.reducePattern == ReducePattern::AR && !config.isOnlyOutput,                               \
                      "Normalize reduces the last axis and writes the reciprocals on Ascend910B");                     \
        const akgen::twin::View none{};                                                                                \
        akgen::twin::normalise_known({detail::dtype_of<T>(), detail::view(output), detail::view(inputX),               \
                                      config.isNoGamma ? none : detail::view(gamma),                                   \
                                      config.isNoBeta ? none : detail::view(beta), detail::view(inputMean),            \
                                      detail::view(inputVariance), V, para.aLength, para.rLengthWithPadding,           \
                                      para.rLength, epsilon, true, akgen::twin::DType::F32, detail::dtype_of<U>()},    \
                                     detail::view(outputRstd));                                                        \
    }                                                                                                                  \
    template <typename T, bool isReuseSource = false>                                                                  \
    AKGEN_INLINE void LayerNormGrad(const LocalTensor<T> &outputPdX, const LocalTensor<T> &resForGamma,                \
                                    const LocalTensor<T> &inputDy, const LocalTensor<T> &inputX,                       \
                                    const LocalTensor<T> &inputVariance, const LocalTensor<T> &inputMean,              \
                                    const LocalTensor<T> &inputGamma, W T epsilon, LayerNormGradTiling &tiling,        \
                                    [[maybe_unused]] const LayerNormGradShapeInfo &shapeInfo = {})                     \
    {                                                                                                                  \
        detail::LayerNormGrad_takes<T>();                                                                              \
        akgen::twin::norm_grad({detail::dtype_of<T>(), detail::view(outputPdX), detail::view(resForGamma),             \
                                detail::view(inputDy), detail::view(inputX), detail::view(inputVariance),              \
                                detail::view(inputMean), detail::view(inputGamma), V, static_cast<float>(epsilon),     \
                                tiling.bLength * tiling.sLength, detail::row_length(tiling), tiling.hLength});         \
    }                                                                                                                  \
    template <typename T, bool isReuseSource = false>                                                                  \
    AKGEN_INLINE void LayerNormGradBeta(const LocalTensor<T> &outputPdGamma, const LocalTensor<T> &outputPdBeta,       \
                                        const LocalTensor<T> &resForGamma, const LocalTensor<T> &inputDy,              \
                                        W const LayerNormGradBetaTiling &tiling)                                       \
    {                                                                                                                  \
        detail::LayerNormGradBeta_takes<T>();                                                                          \
        akgen::twin::norm_grad_factors(detail::dtype_of<T>(), detail::view(outputPdGamma), detail::view(outputPdBeta), \
                                       detail::view(resForGamma), detail::view(inputDy), V,                            \
                                       tiling.bLength * tiling.sLength, detail::row_length(tiling), tiling.hLength);   \
    }                                                                                                                  \
    template <typename T, typename U, bool isReuseSource = false,                                                      \
              const WelfordUpdateConfig &config = WFUPDATE_DEFAULT_CFG>                                                \
    AKGEN_INLINE void WelfordUpdate(const LocalTensor<U> &outputMean, const LocalTensor<U> &outputVariance,            \
                                    const LocalTensor<U> &inputMean, const LocalTensor<U> &inputVariance,              \
                                    const LocalTensor<T> &inputX, W const WelfordUpdateParam &para)                    \
    {                                                                                                                  \
        detail::WelfordUpdate_takes<T>();                                                                              \
        static_assert(std::is_same_v<U, float>,                                                                        \
                      "AKGEN:DTYPE_UNSUPPORTED: WelfordUpdate does not take this dtype for mean and variance on "      \
                      "Ascend910B; supported: float");                                                                 \
        akgen::twin::welford_update({detail::dtype_of<T>(), detail::view(outputMean), detail::view(outputVariance),    \
                                     detail::view(inputMean), detail::view(inputVariance), detail::view(inputX), V,    \
                                     para.abLength, para.abComputeLength, para.nRec, config.isInplace});               \
    }                                                                                                                  \
    template <bool isReuseSource = false, const WelfordFinalizeConfig &config = WFFINALIZE_DEFAULT_CFG>                \
    AKGEN_INLINE void WelfordFinalize(const LocalTensor<float> &outputMean, const LocalTensor<float> &outputVariance,  \
                                      const LocalTensor<float> &inputMean, const LocalTensor<float> &inputVariance,    \
                                      W WelfordFinalizePara &para)                                                     \
    {                                                                                                                  \
        static_assert(!config.isCorrection, "WelfordFinalize divides by the count on Ascend910B");                     \
        detail::welford_final(outputMean, outputVariance, inputMean, inputVariance, {}, V, para);                      \
    }                                                                                                                  \
    template <bool isReuseSource = false, const WelfordFinalizeConfig &config = WFFINALIZE_DEFAULT_CFG>                \
    AKGEN_INLINE void WelfordFinalize(const LocalTensor<float> &outputMean, const LocalTensor<float> &outputVariance,  \
                                      const LocalTensor<float> &inputMean, const LocalTensor<float> &inputVariance,    \
                                      const LocalTensor<int32_t> &counts, W WelfordFinalizePara &para)                 \
    {                                                                                                                  \
        static_assert(!config.isCorrection, "WelfordFinalize divides by the count on Ascend910B");                     \
        detail::welford_final(outputMean, outputVariance, inputMean, inputVariance, detail::view(counts), V, para);    \
    }                                                                                                                  \
    template <typename U, typename T, bool isReuseSource = false, const LayerNormConfig &config = LNCFG_NORM>          \
    AKGEN_INLINE void LayerNorm(const LocalTensor<T> &output, const LocalTensor<float> &outputMean,                    \
                                const LocalTensor<float> &outputRstd, const LocalTensor<T> &inputX,                    \
                                const LocalTensor<U> &gamma, const LocalTensor<U> &beta, const float epsilon,          \
                                W const LayerNormPara &para, [[maybe_unused]] const LayerNormSeparateTiling &tiling)   \
    {                                                                                                                  \
        detail::LayerNorm_takes<T>();                                                                                  \
        detail::factors_take<T, U>();                                                                                  \
        static_assert(config.isOutputRstd && !config.isOnlyOutput,                                                     \
                      "LayerNorm writes mean and reciprocals on Ascend910B");                                          \
        const akgen::twin::View none{};                                                                                \
        akgen::twin::normalise({detail::dtype_of<T>(), detail::view(output), detail::view(inputX),                     \
                                config.isNoGamma ? none : detail::view(gamma),                                         \
                                config.isNoBeta ? none : detail::view(beta), detail::view(outputMean),                 \
                                detail::view(outputRstd), V, para.aLength, para.rLengthWithPadding, para.rLength,      \
                                epsilon, true, akgen::twin::DType::F32, detail::dtype_of<U>(), true});                 \
    }

namespace detail {
AKGEN_INLINE void welford_final(const LocalTensor<float> &outputMean, const LocalTensor<float> &outputVariance,
                                const LocalTensor<float> &inputMean, const LocalTensor<float> &inputVariance,
                                akgen::twin::View counts, akgen::twin::View work, const WelfordFinalizePara &para)
{
    akgen::twin::welford_finalise({view(outputMean), view(outputVariance), view(inputMean), view(inputVariance), counts,
                                   work, para.abLength, para.rnLength, para.headCount, para.headCountLength,
                                   para.tailCount, para.tailCountLength, para.abRec, para.rRec});
}
} // namespace detail

#define AKGEN_WORK const LocalTensor<uint8_t> &sharedTmpBuffer,
AKGEN_STATISTICS(AKGEN_WORK, detail::view(sharedTmpBuffer))
AKGEN_STATISTICS(, akgen::twin::View{})
#undef AKGEN_WORK
#undef AKGEN_STATISTICS

} // namespace AscendC
