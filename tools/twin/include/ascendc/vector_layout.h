// DropOut, Pad and UnPad, Transpose of a shape, ConfusionTranspose.
#pragma once
#include "akgen/vector.h"
#include "ascendc/vector_transpose.h"
#include "kernel_tiling/kernel_tiling.h"

namespace AscendC {
namespace detail {
AKGEN_TAKES(TransposeShape, int8_t, uint8_t, half, int16_t, uint16_t, int32_t, uint32_t, float)
} // namespace detail

enum class TransposeType : uint8_t {
    TRANSPOSE_TYPE_NONE,
    TRANSPOSE_NZ2ND_0213,
    TRANSPOSE_NZ2NZ_0213,
    TRANSPOSE_NZ2NZ_012_WITH_N,
    TRANSPOSE_NZ2ND_012_WITH_N,
    TRANSPOSE_NZ2ND_012_WITHOUT_N,
    TRANSPOSE_NZ2NZ_012_WITHOUT_N,
    TRANSPOSE_ND2ND_ONLY,
    TRANSPOSE_ND_UB_GM,
    TRANSPOSE_GRAD_ND_UB_GM,
    TRANSPOSE_ND2ND_B16,
    TRANSPOSE_NCHW2NHWC,
    TRANSPOSE_NHWC2NCHW
};
struct TransposeParamsExt {
    uint16_t nSize = 0;
    uint16_t cSize = 0;
    uint16_t hSize = 0;
    uint16_t wSize = 0;
    TransposeType transposeType = TransposeType::TRANSPOSE_ND2ND_B16;
};
struct DropOutShapeInfo {
    AKGEN_INLINE DropOutShapeInfo() {} // as the vendor's: braces with values do not make one
    uint32_t firstAxis = 0;
    uint32_t srcLastAxis = 0;
    uint32_t maskLastAxis = 0;
};
struct PadParams {
    uint16_t leftPad = 0;
    uint16_t rightPad = 0;
    int32_t padValue = 0;
    constexpr PadParams() {}
    constexpr PadParams(const uint16_t left, const uint16_t right, const int32_t value)
        : leftPad(left), rightPad(right), padValue(value)
    {
    }
};
struct UnPadParams {
    uint16_t leftPad = 0;
    uint16_t rightPad = 0;
    constexpr UnPadParams() {}
    constexpr UnPadParams(const uint16_t left, const uint16_t right) : leftPad(left), rightPad(right) {}
};

template <typename T>
AKGEN_INLINE void Transpose(const LocalTensor<T> &dst, const LocalTensor<T> &src,
                            const LocalTensor<uint8_t> &sharedTmpBuffer, const TransposeParamsExt &transposeParams)
{
    detail::TransposeShape_takes<T>();
    akgen::twin::transpose_shape(detail::dtype_of<T>(), detail::view(dst), detail::view(src),
                                 detail::view(sharedTmpBuffer), transposeParams.nSize, transposeParams.cSize,
                                 transposeParams.hSize, transposeParams.wSize,
                                 static_cast<uint8_t>(transposeParams.transposeType));
}

// Between NCDHW and NDC1HWC0 or FRACTAL_Z_3D. The plain side's layout has the five axes.
template <typename T, typename U> struct TransDataParams {
    T srcLayout;
    U dstLayout;
};
namespace detail {
template <const TransDataConfig &config, typename T, typename U, typename S>
AKGEN_INLINE void trans_data(const LocalTensor<T> &dst, const LocalTensor<T> &src, const akgen::twin::View &work,
                             const TransDataParams<U, S> &params)
{
    constexpr bool back = config.dstFormat == DataFormat::NCDHW;
    constexpr DataFormat other = back ? config.srcFormat : config.dstFormat;
    static_assert((back || config.srcFormat == DataFormat::NCDHW) &&
                      (other == DataFormat::NDC1HWC0 || other == DataFormat::FRACTAL_Z_3D),
                  "AKGEN:WRONG_ARGUMENTS: TransData goes from NCDHW to NDC1HWC0 or FRACTAL_Z_3D, or back");
    TransData_takes<T>();
    const auto of = [](const auto &shape, uint32_t (&axes)[5]) {
        static_assert(Std::tuple_size<std::decay_t<decltype(shape)>>::value == 5,
                      "AKGEN:WRONG_ARGUMENTS: the NCDHW layout of TransData has five axes");
        axes[0] = static_cast<uint32_t>(Std::get<0>(shape));
        axes[1] = static_cast<uint32_t>(Std::get<1>(shape));
        axes[2] = static_cast<uint32_t>(Std::get<2>(shape));
        axes[3] = static_cast<uint32_t>(Std::get<3>(shape));
        axes[4] = static_cast<uint32_t>(Std::get<4>(shape));
    };
    uint32_t axes[5];
    if constexpr (back) {
        of(params.dstLayout.GetShape(), axes);
    } else {
        of(params.srcLayout.GetShape(), axes);
    }
    akgen::twin::trans_data(dtype_of<T>(), view(dst), view(src), work, axes, other == DataFormat::FRACTAL_Z_3D, back);
}
} // namespace detail
template <const TransDataConfig &config, typename T, typename U, typename S>
AKGEN_INLINE void TransData(const LocalTensor<T> &dstTensor, const LocalTensor<T> &srcTensor,
                            const LocalTensor<uint8_t> &sharedTmpBuffer, const TransDataParams<U, S> &params)
{
    detail::trans_data<config>(dstTensor, srcTensor, detail::view(sharedTmpBuffer), params);
}
template <const TransDataConfig &config, typename T, typename U, typename S>
AKGEN_INLINE void TransData(const LocalTensor<T> &dstTensor, const LocalTensor<T> &srcTensor,
                            const TransDataParams<U, S> &params)
{
    detail::trans_data<config>(dstTensor, srcTensor, {}, params);
}

// W and V as in vector_statistics.h. Mode 0 of DropOut: a mask narrower than the source holds bits.
#define AKGEN_LAYOUTS(W, V)                                                                                            \
    template <typename T, bool isInitBitMode = false, uint32_t dropOutMode = 0>                                        \
    AKGEN_INLINE void DropOut(const LocalTensor<T> &dstLocal, const LocalTensor<T> &srcLocal,                          \
                              const LocalTensor<uint8_t> &maskLocal, W const float keepProb,                           \
                              const DropOutShapeInfo &info)                                                            \
    {                                                                                                                  \
        detail::DropOut_takes<T>();                                                                                    \
        static_assert(dropOutMode <= 4, "dropOutMode is 0 to 4");                                                      \
        const bool bits = dropOutMode >= 3 || (dropOutMode == 0 && info.maskLastAxis < info.srcLastAxis);              \
        akgen::twin::drop_out(detail::dtype_of<T>(), detail::view(dstLocal), detail::view(srcLocal),                   \
                              detail::view(maskLocal), V, keepProb, info.firstAxis, info.srcLastAxis,                  \
                              info.maskLastAxis, bits);                                                                \
    }                                                                                                                  \
    template <typename T>                                                                                              \
    AKGEN_INLINE void Pad(const LocalTensor<T> &dstTensor, const LocalTensor<T> &srcTensor, PadParams &padParams,      \
                          W PadTiling &tiling)                                                                         \
    {                                                                                                                  \
        detail::Pad_takes<T>();                                                                                        \
        akgen::twin::pad_rows(detail::dtype_of<T>(), detail::view(dstTensor), detail::view(srcTensor), V,              \
                              tiling.srcHeight, tiling.srcWidth, tiling.srcOriWidth, padParams.leftPad,                \
                              padParams.rightPad, padParams.padValue);                                                 \
    }                                                                                                                  \
    template <typename T>                                                                                              \
    AKGEN_INLINE void UnPad(const LocalTensor<T> &dstTensor, const LocalTensor<T> &srcTensor,                          \
                            UnPadParams &unPadParams, W UnPadTiling &tiling)                                           \
    {                                                                                                                  \
        detail::UnPad_takes<T>();                                                                                      \
        akgen::twin::unpad_rows(detail::dtype_of<T>(), detail::view(dstTensor), detail::view(srcTensor), V,            \
                                tiling.srcHeight, tiling.srcWidth, unPadParams.rightPad);                              \
    }                                                                                                                  \
    template <typename T>                                                                                              \
    AKGEN_INLINE void ConfusionTranspose(const LocalTensor<T> &dstTensor, const LocalTensor<T> &srcTensor,             \
                                         W TransposeType transposeType, ConfusionTransposeTiling &tiling)              \
    {                                                                                                                  \
        detail::ConfusionTranspose_takes<T>();                                                                         \
        akgen::twin::confusion_transpose(detail::dtype_of<T>(), detail::view(dstTensor), detail::view(srcTensor), V,   \
                                         static_cast<uint8_t>(transposeType), &tiling.param0);                         \
    }                                                                                                                  \
    template <typename T>                                                                                              \
    AKGEN_INLINE void Transpose(const LocalTensor<T> &dst, const LocalTensor<T> &src, W TransposeType transposeType,   \
                                ConfusionTransposeTiling &tiling)                                                      \
    {                                                                                                                  \
        detail::ConfusionTranspose_takes<T>();                                                                         \
        akgen::twin::confusion_transpose(detail::dtype_of<T>(), detail::view(dst), detail::view(src), V,               \
                                         static_cast<uint8_t>(transposeType), &tiling.param0);                         \
    }
#define AKGEN_WORK const LocalTensor<uint8_t> &sharedTmpBuffer,
AKGEN_LAYOUTS(AKGEN_WORK, detail::view(sharedTmpBuffer))
AKGEN_LAYOUTS(, akgen::twin::View{})
#undef AKGEN_WORK
#undef AKGEN_LAYOUTS

} // namespace AscendC
