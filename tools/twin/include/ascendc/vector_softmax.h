// SoftMax and its relatives. The statistics' type may be float for half data.
#pragma once
#include "akgen/vector_math.h"
#include "ascendc/vector_dtypes.h"
#include "kernel_tiling/kernel_tiling.h"

namespace AscendC {
// The host's cut of a flash softmax for a shape that only the kernel knows; `work` elements of scratch.
AKGEN_INLINE constexpr ::SoftMaxTiling SoftMaxFlashV2TilingFuncImpl(uint32_t srcM, uint32_t srcK, uint32_t,
                                                                    uint32_t maxBytes, uint32_t work,
                                                                    bool isUpdate = false, bool = false, bool = false,
                                                                    bool = false)
{
    ::SoftMaxTiling t{};
    t.srcM = srcM;
    t.srcK = srcK;
    t.srcSize = srcM * srcK;
    t.outMaxM = srcM;
    t.outMaxK = 32 / maxBytes;
    t.outMaxSize = srcM * t.outMaxK;
    const uint32_t row = srcK + (isUpdate ? 2 : 1) * t.outMaxK;
    const uint32_t rows = row == 0 || work / row == 0 ? 1 : work / row;
    t.splitM = rows < srcM ? rows : srcM;
    t.splitK = srcK;
    t.splitSize = t.splitM * srcK;
    t.reduceM = t.splitM;
    t.reduceK = t.outMaxK;
    t.reduceSize = t.splitM * t.outMaxK;
    t.rangeM = t.splitM == 0 ? 0 : srcM / t.splitM;
    t.tailM = t.splitM == 0 ? 0 : srcM % t.splitM;
    t.tailSplitSize = t.tailM * srcK;
    t.tailReduceSize = t.tailM * t.outMaxK;
    return t;
}

struct SoftMaxShapeInfo {
    uint32_t srcM = 0;
    uint32_t srcK = 0;
    uint32_t oriSrcM = 0;
    uint32_t oriSrcK = 0;
};
// The same of a shape, with bytes of scratch: the documented form.
AKGEN_INLINE constexpr ::SoftMaxTiling
SoftMaxFlashV2TilingFunc(const SoftMaxShapeInfo &shapeInfo, const uint32_t dataTypeSize1, const uint32_t dataTypeSize2,
                         const uint32_t localWorkSpaceSize, const bool isUpdate = false,
                         const bool isBasicBlock = false, const bool isDataFormatNZ = false,
                         const bool isFlashOutputBrc = false)
{
    return SoftMaxFlashV2TilingFuncImpl(shapeInfo.srcM, shapeInfo.srcK, dataTypeSize1, dataTypeSize2,
                                        localWorkSpaceSize / sizeof(float), isUpdate, isBasicBlock, isDataFormatNZ,
                                        isFlashOutputBrc);
}
enum class SoftmaxMode : uint8_t { SOFTMAX_NORMAL = 0, SOFTMAX_OUTPUT_WITHOUT_BRC = 1 };
struct SoftmaxConfig {
    bool isCheckTiling = true;
    uint32_t oriSrcM = 0;
    uint32_t oriSrcK = 0;
    SoftmaxMode mode = SoftmaxMode::SOFTMAX_NORMAL;
};
constexpr SoftmaxConfig SOFTMAX_DEFAULT_CFG = {true, 0, 0, SoftmaxMode::SOFTMAX_NORMAL};

namespace detail {

// The shape is the caller's, else the tiling's.
template <typename T, typename Tiling>
AKGEN_INLINE akgen::twin::SoftmaxCall softmax_call(akgen::twin::SoftmaxKind kind, const LocalTensor<T> &dst,
                                                   const LocalTensor<T> &src, const Tiling &tiling,
                                                   const SoftMaxShapeInfo &shape, bool fractal)
{
    SoftMax_takes<T>();
    akgen::twin::SoftmaxCall call{};
    call.kind = kind;
    call.type = call.statistic = dtype_of<T>();
    call.dst = view(dst);
    call.src = view(src);
    call.rows = shape.srcM ? shape.srcM : tiling.srcM;
    call.columns = shape.srcK ? shape.srcK : tiling.srcK;
    call.valid_rows = shape.oriSrcM ? shape.oriSrcM : call.rows;
    call.valid_columns = shape.oriSrcK ? shape.oriSrcK : call.columns;
    call.fractal = fractal;
    return call;
}
// SoftmaxFlashV2 alone has the mode in which a row's sum and maxima are one element.
template <const SoftmaxConfig &config, bool fractal> constexpr bool narrow_statistics()
{
    return config.mode == SoftmaxMode::SOFTMAX_OUTPUT_WITHOUT_BRC && !fractal;
}
} // namespace detail

// With or without `const LocalTensor<uint8_t> &sharedTmpBuffer`: W names the parameter, V the view handed on.
#define AKGEN_SOFTMAX_FORMS(W, V)                                                                                      \
    template <typename T, bool isReuseSource = false, bool isBasicBlock = false, bool isDataFormatNZ = false,          \
              const SoftmaxConfig &config = SOFTMAX_DEFAULT_CFG>                                                       \
    AKGEN_INLINE void SoftMax(const LocalTensor<T> &dstTensor, const LocalTensor<T> &sumTensor,                        \
                              const LocalTensor<T> &maxTensor, const LocalTensor<T> &srcTensor,                        \
                              W const SoftMaxTiling &tiling, const SoftMaxShapeInfo &softmaxShapeInfo = {})            \
    {                                                                                                                  \
        auto call = detail::softmax_call(akgen::twin::SoftmaxKind::SoftMax, dstTensor, srcTensor, tiling,              \
                                         softmaxShapeInfo, isDataFormatNZ);                                            \
        call.sum = detail::view(sumTensor);                                                                            \
        call.max = detail::view(maxTensor);                                                                            \
        call.work = V;                                                                                                 \
        akgen::twin::softmax(call);                                                                                    \
    }                                                                                                                  \
    template <typename T, bool isReuseSource = false, bool isBasicBlock = false, bool isDataFormatNZ = false,          \
              const SoftmaxConfig &config = SOFTMAX_DEFAULT_CFG>                                                       \
    AKGEN_INLINE void SoftMax(const LocalTensor<half> &dstTensor, const LocalTensor<float> &sumTensor,                 \
                              const LocalTensor<float> &maxTensor, const LocalTensor<half> &srcTensor,                 \
                              W const SoftMaxTiling &tiling, const SoftMaxShapeInfo &softmaxShapeInfo = {})            \
    {                                                                                                                  \
        auto call = detail::softmax_call(akgen::twin::SoftmaxKind::SoftMax, dstTensor, srcTensor, tiling,              \
                                         softmaxShapeInfo, isDataFormatNZ);                                            \
        call.statistic = akgen::twin::DType::F32;                                                                      \
        call.sum = detail::view(sumTensor);                                                                            \
        call.max = detail::view(maxTensor);                                                                            \
        call.work = V;                                                                                                 \
        akgen::twin::softmax(call);                                                                                    \
    }                                                                                                                  \
    template <typename T, bool isReuseSource = false, bool isBasicBlock = false,                                       \
              const SoftmaxConfig &config = SOFTMAX_DEFAULT_CFG>                                                       \
    AKGEN_INLINE void SoftMax(const LocalTensor<T> &dstTensor, const LocalTensor<T> &srcTensor,                        \
                              W const SoftMaxTiling &tiling, const SoftMaxShapeInfo &softmaxShapeInfo = {})            \
    {                                                                                                                  \
        auto call = detail::softmax_call(akgen::twin::SoftmaxKind::SoftMax, dstTensor, srcTensor, tiling,              \
                                         softmaxShapeInfo, false);                                                     \
        call.work = V;                                                                                                 \
        akgen::twin::softmax(call);                                                                                    \
    }                                                                                                                  \
    template <typename T, bool isReuseSource = false, bool isDataFormatNZ = false>                                     \
    AKGEN_INLINE void LogSoftMax(const LocalTensor<T> &dst, const LocalTensor<T> &sum, const LocalTensor<T> &max,      \
                                 const LocalTensor<T> &src, W const LogSoftMaxTiling &tiling,                          \
                                 const SoftMaxShapeInfo &softmaxShapeInfo = {})                                        \
    {                                                                                                                  \
        auto call = detail::softmax_call(akgen::twin::SoftmaxKind::LogSoftMax, dst, src, tiling, softmaxShapeInfo,     \
                                         isDataFormatNZ);                                                              \
        call.sum = detail::view(sum);                                                                                  \
        call.max = detail::view(max);                                                                                  \
        call.work = V;                                                                                                 \
        akgen::twin::softmax(call);                                                                                    \
    }                                                                                                                  \
    template <typename T, bool isReuseSource = false, bool isBasicBlock = false, bool isDataFormatNZ = false,          \
              const SoftmaxConfig &config = SOFTMAX_DEFAULT_CFG, typename S>                                           \
    AKGEN_INLINE void SimpleSoftMax(const LocalTensor<T> &dst, const LocalTensor<S> &inSum,                            \
                                    const LocalTensor<S> &inMax, const LocalTensor<T> &src,                            \
                                    W const SoftMaxTiling &tiling, const SoftMaxShapeInfo &softmaxShapeInfo = {})      \
    {                                                                                                                  \
        auto call = detail::softmax_call(akgen::twin::SoftmaxKind::SimpleSoftMax, dst, src, tiling, softmaxShapeInfo,  \
                                         isDataFormatNZ);                                                              \
        call.statistic = detail::dtype_of<S>();                                                                        \
        call.sum = detail::view(inSum);                                                                                \
        call.max = detail::view(inMax);                                                                                \
        call.work = V;                                                                                                 \
        akgen::twin::softmax(call);                                                                                    \
    }                                                                                                                  \
    template <typename T, bool isReuseSource = false, bool isBasicBlock = false, bool isDataFormatNZ = false>          \
    AKGEN_INLINE void SoftmaxGrad(const LocalTensor<T> &dstTensor, const LocalTensor<T> &gradTensor,                   \
                                  const LocalTensor<T> &srcTensor, W const SoftMaxTiling &tiling,                      \
                                  bool isFront = false, const SoftMaxShapeInfo &softmaxShapeInfo = {})                 \
    {                                                                                                                  \
        auto call = detail::softmax_call(isFront ? akgen::twin::SoftmaxKind::SoftmaxGradFront                          \
                                                 : akgen::twin::SoftmaxKind::SoftmaxGrad,                              \
                                         dstTensor, srcTensor, tiling, softmaxShapeInfo, isDataFormatNZ);              \
        call.second = detail::view(gradTensor);                                                                        \
        call.work = V;                                                                                                 \
        akgen::twin::softmax(call);                                                                                    \
    }                                                                                                                  \
    template <typename T, bool isBasicBlock = false, bool isDataFormatNZ = false>                                      \
    AKGEN_INLINE void SoftmaxGradFront(const LocalTensor<T> &dstTensor, const LocalTensor<T> &gradTensor,              \
                                       const LocalTensor<T> &srcTensor, W const SoftMaxTiling &tiling,                 \
                                       const SoftMaxShapeInfo &softmaxShapeInfo = {})                                  \
    {                                                                                                                  \
        auto call = detail::softmax_call(akgen::twin::SoftmaxKind::SoftmaxGradFront, dstTensor, srcTensor, tiling,     \
                                         softmaxShapeInfo, isDataFormatNZ);                                            \
        call.second = detail::view(gradTensor);                                                                        \
        call.work = V;                                                                                                 \
        akgen::twin::softmax(call);                                                                                    \
    }

#define AKGEN_WORK const LocalTensor<uint8_t> &sharedTmpBuffer,
AKGEN_SOFTMAX_FORMS(AKGEN_WORK, detail::view(sharedTmpBuffer))
AKGEN_SOFTMAX_FORMS(, akgen::twin::View{})
#undef AKGEN_SOFTMAX_FORMS

// S is the type of the statistics.
#define AKGEN_SOFTMAX_FLASH(Name, Kind, W, V)                                                                          \
    template <typename T, bool isUpdate = false, bool isReuseSource = false, bool isBasicBlock = false,                \
              bool isDataFormatNZ = false, const SoftmaxConfig &config = SOFTMAX_DEFAULT_CFG, typename S>              \
    AKGEN_INLINE void Name(const LocalTensor<T> &dstTensor, const LocalTensor<S> &expSumTensor,                        \
                           const LocalTensor<S> &maxTensor, const LocalTensor<T> &srcTensor,                           \
                           const LocalTensor<T> &expMaxTensor, const LocalTensor<S> &inExpSumTensor,                   \
                           const LocalTensor<S> &inMaxTensor, W const SoftMaxTiling &tiling,                           \
                           const SoftMaxShapeInfo &softmaxShapeInfo = {})                                              \
    {                                                                                                                  \
        auto call = detail::softmax_call(Kind, dstTensor, srcTensor, tiling, softmaxShapeInfo, isDataFormatNZ);        \
        call.statistic = detail::dtype_of<S>();                                                                        \
        call.sum = detail::view(expSumTensor);                                                                         \
        call.max = detail::view(maxTensor);                                                                            \
        call.exp_max = isUpdate ? detail::view(expMaxTensor) : akgen::twin::View{};                                    \
        call.in_sum = detail::view(inExpSumTensor);                                                                    \
        call.in_max = detail::view(inMaxTensor);                                                                       \
        call.update = isUpdate;                                                                                        \
        call.narrow = detail::narrow_statistics<config, isDataFormatNZ>();                                             \
        call.work = V;                                                                                                 \
        akgen::twin::softmax(call);                                                                                    \
    }                                                                                                                  \
    template <typename T, bool isUpdate = false, bool isReuseSource = false, bool isBasicBlock = false,                \
              bool isDataFormatNZ = false, const SoftmaxConfig &config = SOFTMAX_DEFAULT_CFG>                          \
    AKGEN_INLINE void Name(const LocalTensor<T> &dstTensor, const LocalTensor<T> &outReduceMax,                        \
                           const LocalTensor<T> &outExpSum, const LocalTensor<T> &outMax,                              \
                           const LocalTensor<T> &srcTensor, const LocalTensor<T> &outExpMax,                           \
                           const LocalTensor<T> &inExpSum, const LocalTensor<T> &inMax, W const SoftMaxTiling &tiling, \
                           const SoftMaxShapeInfo &softmaxShapeInfo = {})                                              \
    {                                                                                                                  \
        static_assert(detail::narrow_statistics<config, isDataFormatNZ>(),                                             \
                      "AKGEN:WRONG_ARGUMENTS: SoftmaxFlashV2 with outReduceMax computes nothing but with "             \
                      "SoftmaxConfig::mode = SoftmaxMode::SOFTMAX_OUTPUT_WITHOUT_BRC");                                \
        auto call = detail::softmax_call(Kind, dstTensor, srcTensor, tiling, softmaxShapeInfo, false);                 \
        call.sum = detail::view(outExpSum);                                                                            \
        call.max = detail::view(outMax);                                                                               \
        call.exp_max = isUpdate ? detail::view(outExpMax) : akgen::twin::View{};                                       \
        call.in_sum = detail::view(inExpSum);                                                                          \
        call.in_max = detail::view(inMax);                                                                             \
        call.row_max = isUpdate ? detail::view(outReduceMax) : akgen::twin::View{};                                    \
        call.update = isUpdate;                                                                                        \
        call.narrow = true;                                                                                            \
        call.work = V;                                                                                                 \
        akgen::twin::softmax(call);                                                                                    \
    }
AKGEN_SOFTMAX_FLASH(SoftmaxFlashV2, akgen::twin::SoftmaxKind::SoftmaxFlashV2, AKGEN_WORK, detail::view(sharedTmpBuffer))
AKGEN_SOFTMAX_FLASH(SoftmaxFlashV2, akgen::twin::SoftmaxKind::SoftmaxFlashV2, , akgen::twin::View{})
#undef AKGEN_SOFTMAX_FLASH

struct SoftMaxParams {
    uint32_t srcM;
    uint32_t srcK;
    uint32_t oriSrcM;
    uint32_t oriSrcK;
    uint32_t loopCnt;
    uint32_t splitMeanCnt;
    float alpha;
    constexpr SoftMaxParams(uint32_t m = 0, uint32_t k = 0, uint32_t ori_m = 0, uint32_t ori_k = 0, uint32_t loop = 0,
                            uint32_t parts = 8, float a = 0.9375f)
        : srcM(m), srcK(k), oriSrcM(ori_m), oriSrcK(ori_k), loopCnt(loop), splitMeanCnt(parts), alpha(a)
    {
    }
};

// The first version takes `isUpdate` as an argument; the third one shifts means (half only).
#define AKGEN_SOFTMAX_LATER(W, V)                                                                                      \
    template <typename T, bool isReuseSource = false, bool isBasicBlock = false, typename S>                           \
    AKGEN_INLINE void SoftmaxFlash(const LocalTensor<T> &dstTensor, const LocalTensor<S> &sumTensor,                   \
                                   const LocalTensor<S> &maxTensor, const LocalTensor<T> &srcTensor,                   \
                                   const LocalTensor<T> &expMaxTensor, const LocalTensor<S> &inSumTensor,              \
                                   const LocalTensor<S> &inMaxTensor, W const SoftMaxTiling &tiling,                   \
                                   bool isUpdate = false, const SoftMaxShapeInfo &softmaxShapeInfo = {})               \
    {                                                                                                                  \
        auto call = detail::softmax_call(akgen::twin::SoftmaxKind::SoftmaxFlash, dstTensor, srcTensor, tiling,         \
                                         softmaxShapeInfo, false);                                                     \
        call.statistic = detail::dtype_of<S>();                                                                        \
        call.sum = detail::view(sumTensor);                                                                            \
        call.max = detail::view(maxTensor);                                                                            \
        call.exp_max = isUpdate ? detail::view(expMaxTensor) : akgen::twin::View{};                                    \
        call.in_sum = detail::view(inSumTensor);                                                                       \
        call.in_max = detail::view(inMaxTensor);                                                                       \
        call.update = isUpdate;                                                                                        \
        call.work = V;                                                                                                 \
        akgen::twin::softmax(call);                                                                                    \
    }                                                                                                                  \
    template <typename T, typename U, bool isUpdate = false, bool isReuseSource = false, bool isBasicBlock = false,    \
              bool isDataFormatNZ = false, const SoftmaxConfig &config = SOFTMAX_DEFAULT_CFG>                          \
    AKGEN_INLINE void SoftmaxFlashV3(                                                                                  \
        const LocalTensor<T> &dstTensor, const LocalTensor<U> &meanTensor, const LocalTensor<U> &expSumTensor,         \
        const LocalTensor<U> &maxTensor, const LocalTensor<T> &srcTensor, const LocalTensor<T> &expMaxTensor,          \
        const LocalTensor<U> &inMeanTensor, const LocalTensor<U> &inExpSumTensor, const LocalTensor<U> &inMaxTensor,   \
        W [[maybe_unused]] const SoftMaxTiling &tiling, const SoftMaxParams &params)                                   \
    {                                                                                                                  \
        detail::SoftmaxFlashV3_takes<T>();                                                                             \
        static_assert(std::is_same_v<U, float>,                                                                        \
                      "AKGEN:DTYPE_UNSUPPORTED: SoftmaxFlashV3 does not take this dtype for mean, sum and maximum on " \
                      "Ascend910B; supported: float");                                                                 \
        akgen::twin::shifted_softmax({detail::view(dstTensor), detail::view(meanTensor), detail::view(expSumTensor),   \
                                      detail::view(maxTensor), detail::view(srcTensor), detail::view(expMaxTensor),    \
                                      detail::view(inMeanTensor), detail::view(inExpSumTensor),                        \
                                      detail::view(inMaxTensor), V, params.srcM, params.srcK, params.loopCnt,          \
                                      params.splitMeanCnt, params.alpha, isUpdate});                                   \
    }
AKGEN_SOFTMAX_LATER(AKGEN_WORK, detail::view(sharedTmpBuffer))
AKGEN_SOFTMAX_LATER(, akgen::twin::View{})
#undef AKGEN_SOFTMAX_LATER
#undef AKGEN_WORK

template <typename T1, typename T2, bool isDataFormatNZ = false, uint8_t stepSizeMode = 0>
AKGEN_INLINE bool AdjustSoftMaxRes(const LocalTensor<T1> &softMaxRes, const LocalTensor<T2> &maxTensor,
                                   const uint32_t from, const T1 to, const SoftMaxShapeInfo &softmaxShapeInfo)
{
    return akgen::twin::adjust_softmax(detail::dtype_of<T1>(), detail::dtype_of<T2>(), detail::view(softMaxRes),
                                       detail::view(maxTensor), from, detail::bits(to), softmaxShapeInfo.srcM,
                                       softmaxShapeInfo.srcK, isDataFormatNZ);
}

} // namespace AscendC
