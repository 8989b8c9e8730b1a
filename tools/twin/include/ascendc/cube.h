// The cube core's instructions: copies into fractal order, loads into L0, Mmad, Fixpipe.
#pragma once
#include "akgen/cube.h"
#include "ascendc/copy.h"
#include "ascendc/cube_dtypes.h"
#include "ascendc/cube_params.h"

namespace AscendC {

// Row-major global memory to the fractal order of L1.
template <typename T>
AKGEN_INLINE void DataCopy(const LocalTensor<T> &dst, const GlobalTensor<T> &src, const Nd2NzParams &p)
{
    detail::reorders<T>();
    akgen::twin::nd_to_nz(detail::view(dst), detail::address(src),
                          {p.ndNum, p.nValue, p.dValue, p.srcNdMatrixStride, p.srcDValue, p.dstNzC0Stride,
                           p.dstNzNStride, p.dstNzMatrixStride},
                          detail::dtype_of<T>());
}

// The Unified Buffer to the fractal order of L1 by way of the workspace: one column of blocks after the other. Zeros
// fill the last block of a row.
template <typename T>
AKGEN_INLINE void DataCopy(const LocalTensor<T> &dst, const LocalTensor<T> &src, const Nd2NzParams &p)
{
    detail::reorders<T>();
    static_assert(!detail::cube_one_of<T, int4b_t>,
                  "AKGEN:DTYPE_UNSUPPORTED: DataCopy from the Unified Buffer into fractal order does not take int4b_t; "
                  "two go as one int8_t");
    constexpr uint32_t lanes = 32 / sizeof(PrimT<T>);
    for (uint32_t matrix = 0; matrix < p.ndNum; ++matrix) {
        const LocalTensor<T> to = dst[matrix * p.dstNzMatrixStride], from = src[matrix * p.srcNdMatrixStride];
        for (uint32_t column = 0; column < p.dValue; column += lanes) {
            const uint32_t left = p.dValue - column;
            akgen::twin::pad_local(detail::view(to[column * p.dstNzC0Stride]), detail::position(dst),
                                   detail::view(from[column]), detail::position(src),
                                   {p.nValue, static_cast<uint32_t>((left < lanes ? left : lanes) * sizeof(PrimT<T>)),
                                    int64_t{p.dstNzNStride} * 32, static_cast<int64_t>(p.srcDValue * sizeof(PrimT<T>))},
                                   detail::dtype_of<T>());
        }
    }
}

// The same with rows of any length: `params` says how they lie in the Unified Buffer and, on their way, in the workspace.
template <typename T>
AKGEN_INLINE void DataCopyPad(const LocalTensor<T> &dst, const LocalTensor<T> &src, const DataCopyExtParams &params,
                              const Nd2NzParams &p)
{
    constexpr uint32_t lanes = 32 / sizeof(PrimT<T>);
    const uint32_t apart = ((params.blockLen + 31) / 32 + static_cast<uint32_t>(params.srcStride)) * lanes;
    const uint32_t on_the_way = (params.blockLen + static_cast<uint32_t>(params.dstStride)) / sizeof(PrimT<T>);
    for (uint32_t row = 0; row < p.nValue && on_the_way; ++row) {
        const uint32_t at = row * p.srcDValue;
        DataCopy(dst[row * p.dstNzNStride * lanes], src[at / on_the_way * apart + at % on_the_way],
                 Nd2NzParams{1, 1, p.dValue, 0, p.srcDValue, p.dstNzC0Stride, p.dstNzNStride, 0});
    }
}

// -- into L0 ----------------------------------------------------------------------------------------------------------

template <typename T>
AKGEN_INLINE void LoadData(const LocalTensor<T> &dst, const LocalTensor<T> &src, const LoadData2DParams &p)
{
    detail::loads<T>();
    akgen::twin::load_fractals(detail::view(dst), detail::view(src),
                               {p.startIndex, p.repeatTimes, p.srcStride, p.dstGap, p.ifTranspose, p.addrMode != 0},
                               detail::dtype_of<T>());
}
template <typename T>
AKGEN_INLINE void LoadData(const LocalTensor<T> &dst, const GlobalTensor<T> &src, const LoadData2DParams &p)
{
    detail::loads_from_global<T>();
    akgen::twin::load_fractals_global(
        detail::view(dst), detail::address(src),
        {p.startIndex, p.repeatTimes, p.srcStride, p.dstGap, p.ifTranspose, p.addrMode != 0}, detail::dtype_of<T>());
}
template <typename T>
AKGEN_INLINE void LoadDataWithTranspose(const LocalTensor<T> &dst, const LocalTensor<T> &src,
                                        const LoadData2dTransposeParams &p)
{
    detail::loads_transposed<T>();
    akgen::twin::load_squares(detail::view(dst), detail::view(src),
                              {p.startIndex, p.repeatTimes, p.srcStride, p.dstGap, p.dstFracGap, p.addrMode != 0},
                              detail::dtype_of<T>());
}
template <typename T, const IsResetLoad3dConfig &config = IS_RESER_LOAD3D_DEFAULT_CONFIG, typename U = PrimT<T>>
AKGEN_INLINE void LoadData(const LocalTensor<T> &dst, const LocalTensor<T> &src, const LoadData3DParamsV2<U> &p)
{
    detail::loads_image<T>();
    akgen::twin::load_image(detail::view(dst), detail::view(src),
                            {p.l1H, p.l1W, p.channelSize, p.padList[0], p.padList[1], p.padList[2], p.padList[3],
                             p.kExtension, p.mExtension, p.kStartPt, p.mStartPt, p.strideW, p.strideH,
                             p.filterW + (p.filterSizeW ? 256u : 0u), p.filterH + (p.filterSizeH ? 256u : 0u),
                             p.dilationFilterW, p.dilationFilterH, p.enTranspose, detail::bits(p.padValue)},
                            config.isSetFMatrix, config.isSetPadding, detail::dtype_of<T>());
}
namespace detail {
constexpr IsResetLoad3dConfig KEPT = {false, false};
}
template <typename T>
AKGEN_INLINE void LoadData(const LocalTensor<T> &dst, const LocalTensor<T> &src, const LoadData3DParamsV2Pro &p)
{
    LoadData3DParamsV2<PrimT<T>> whole;
    whole.channelSize = p.channelSize;
    whole.kExtension = static_cast<uint16_t>(p.extConfig);
    whole.mExtension = static_cast<uint16_t>(p.extConfig >> 16);
    whole.kStartPt = static_cast<uint16_t>(p.extConfig >> 32);
    whole.mStartPt = static_cast<uint16_t>(p.extConfig >> 48);
    whole.strideW = static_cast<uint8_t>(p.filterConfig);
    whole.strideH = static_cast<uint8_t>(p.filterConfig >> 8);
    whole.filterW = static_cast<uint8_t>(p.filterConfig >> 16);
    whole.filterH = static_cast<uint8_t>(p.filterConfig >> 24);
    whole.dilationFilterW = static_cast<uint8_t>(p.filterConfig >> 32);
    whole.dilationFilterH = static_cast<uint8_t>(p.filterConfig >> 40);
    whole.enTranspose = p.enTranspose;
    whole.enSmallK = p.enSmallK;
    whole.filterSizeW = p.filterSizeW;
    whole.filterSizeH = p.filterSizeH;
    whole.fMatrixCtrl = p.fMatrixCtrl;
    LoadData<T, detail::KEPT>(dst, src, whole);
}
// What LoadData of an image takes where its parameters are not to be set.
AKGEN_INLINE void SetFmatrix(uint16_t l1H, uint16_t l1W, const uint8_t padList[4], const FmatrixMode &)
{
    akgen::twin::image_shape(l1H, l1W, padList);
}
AKGEN_INLINE void SetFmatrix(const SetFMatrixBitModeParams &param, const FmatrixMode &)
{
    const uint64_t c = param.GetConfig0();
    const uint8_t pads[4] = {static_cast<uint8_t>(c >> 32), static_cast<uint8_t>(c >> 40),
                             static_cast<uint8_t>(c >> 48), static_cast<uint8_t>(c >> 56)};
    akgen::twin::image_shape(c & 0xffff, c >> 16 & 0xffff, pads);
}
template <typename T> AKGEN_INLINE void SetLoadDataPaddingValue(const T padValue)
{
    akgen::twin::image_padding(detail::bits(padValue));
}
AKGEN_INLINE void SetLoadDataRepeat(const LoadDataRepeatParam &repeatParams)
{
    akgen::twin::image_repeat({repeatParams.repeatTime, repeatParams.repeatStride, repeatParams.repeatMode != 0});
}
AKGEN_INLINE void SetLoadDataBoundary(uint32_t boundaryValue) { akgen::twin::image_boundary(boundaryValue); }
template <typename T, typename U = PrimT<T>>
AKGEN_INLINE void InitConstValue(const LocalTensor<T> &dst, const InitConstValueParams<U> &p)
{
    akgen::twin::fill_cube(detail::view(dst), p.repeatTimes, p.blockNum, p.dstGap, detail::bits(p.initValue),
                           detail::dtype_of<T>());
}
template <typename T, typename U = PrimT<T>>
AKGEN_INLINE void Fill(const LocalTensor<T> &dst, const InitConstValueParams<U> &p) // its newer name
{
    InitConstValue(dst, p);
}

// -- the multiplication -----------------------------------------------------------------------------------------------

namespace detail {
AKGEN_INLINE akgen::twin::Multiply multiply_of(const MmadParams &p, bool bias)
{
    const bool zero = p.cmatrixInitVal && !p.isBias;
    return {p.m,
            p.n,
            p.k,
            zero,
            bias,
            !bias && !zero && p.cmatrixSource,
            static_cast<uint8_t>(p.unitFlag),
            p.kDirectionAlign,
            p.disableGemv};
}
} // namespace detail
template <typename T, typename U, typename S>
AKGEN_INLINE void Mmad(const LocalTensor<T> &dst, const LocalTensor<U> &fm, const LocalTensor<S> &filter,
                       const MmadParams &mmadParams)
{
    detail::multiplies<T, U, S>();
    akgen::twin::multiply(detail::view(dst), detail::view(fm), detail::view(filter), {nullptr, 0},
                          detail::multiply_of(mmadParams, false), detail::dtype_of<T>(), detail::dtype_of<U>(),
                          detail::dtype_of<S>());
}
template <typename T, typename U, typename S, typename V>
AKGEN_INLINE void Mmad(const LocalTensor<T> &dst, const LocalTensor<U> &fm, const LocalTensor<S> &filter,
                       const LocalTensor<V> &bias, const MmadParams &mmadParams)
{
    detail::multiplies<T, U, S>();
    static_assert(std::is_same_v<PrimT<T>, PrimT<V>>, "AKGEN:DTYPE_UNSUPPORTED: the bias of Mmad has the type of dst");
    akgen::twin::multiply(detail::view(dst), detail::view(fm), detail::view(filter), detail::view(bias),
                          detail::multiply_of(mmadParams, true), detail::dtype_of<T>(), detail::dtype_of<U>(),
                          detail::dtype_of<S>());
}
// B in L0B holds two of every four values along k, and LoadDataWithSparse has brought their places along.
template <typename T = int8_t, typename U = uint8_t>
AKGEN_INLINE void LoadDataWithSparse(const LocalTensor<T> &dst, const LocalTensor<T> &src, const LocalTensor<U> &idx,
                                     const LoadData2dParams &loadDataParam)
{
    static_assert(detail::cube_one_of<T, int8_t> && detail::cube_one_of<U, uint8_t>,
                  "AKGEN:DTYPE_UNSUPPORTED: LoadDataWithSparse takes int8_t fractals and uint8_t indices");
    akgen::twin::load_sparse(detail::view(dst), detail::view(src), detail::view(idx), loadDataParam.startIndex,
                             loadDataParam.repeatTimes);
}
template <typename T = int32_t, typename U = int8_t>
AKGEN_INLINE void MmadWithSparse(const LocalTensor<T> &dst, const LocalTensor<U> &fm, const LocalTensor<U> &filter,
                                 const MmadParams &mmadParams)
{
    static_assert(detail::cube_one_of<T, int32_t> && detail::cube_one_of<U, int8_t>,
                  "AKGEN:DTYPE_UNSUPPORTED: MmadWithSparse takes int32_t x int8_t x int8_t");
    akgen::twin::Multiply p = detail::multiply_of(mmadParams, false);
    p.sparse = true;
    akgen::twin::multiply(detail::view(dst), detail::view(fm), detail::view(filter), {nullptr, 0}, p,
                          detail::dtype_of<T>(), detail::dtype_of<U>(), detail::dtype_of<U>());
}
AKGEN_INLINE void SetHF32Mode(bool hf32Mode) { akgen::twin::multiply_in_hf32(hf32Mode); }
AKGEN_INLINE void SetHF32Mode(HF32Mode hf32Mode) { akgen::twin::multiply_in_hf32(hf32Mode == HF32Mode::ENABLE); }
AKGEN_INLINE void SetHF32TransMode(bool hf32TransMode) { akgen::twin::round_hf32_away(hf32TransMode); }
AKGEN_INLINE void SetHF32TransMode(HF32TransMode mode)
{
    akgen::twin::round_hf32_away(mode == HF32TransMode::NEAREST_ZERO);
}
AKGEN_INLINE void SetMMLayoutTransform(bool) {}
// Which of M and N the results follow first: the same numbers.
AKGEN_INLINE void SetMMRowMajor() {}
AKGEN_INLINE void SetMMColumnMajor() {}

// -- out of L0C -------------------------------------------------------------------------------------------------------

namespace detail {
AKGEN_INLINE akgen::twin::Fix fix_of(const FixpipeParamsV220 &p, const FixpipeConfig &config)
{
    return {p.nSize,
            p.mSize,
            p.srcStride,
            p.dstStride,
            p.ndNum,
            p.srcNdStride,
            p.dstNdStride,
            static_cast<uint8_t>(p.quantPre),
            p.unitFlag,
            p.reluEn,
            config.format == CO2Layout::ROW_MAJOR,
            p.isChannelSplit,
            p.deqScalar};
}
} // namespace detail
template <typename T, typename U, const FixpipeConfig &config = CFG_ROW_MAJOR>
AKGEN_INLINE void Fixpipe(const GlobalTensor<T> &dst, const LocalTensor<U> &src, const FixpipeParamsV220 &intriParams)
{
    detail::leaves<T, U>();
    akgen::twin::fix_out(detail::address(dst), detail::view(src), {nullptr, 0}, detail::fix_of(intriParams, config),
                         detail::dtype_of<T>(), detail::dtype_of<U>());
}
template <typename T, typename U, const FixpipeConfig &config = CFG_ROW_MAJOR, typename S = uint64_t,
          typename = std::enable_if_t<std::is_same_v<PrimT<S>, uint64_t>>>
AKGEN_INLINE void Fixpipe(const GlobalTensor<T> &dst, const LocalTensor<U> &src, const LocalTensor<S> &cbufWorkspace,
                          const FixpipeParamsV220 &intriParams)
{
    detail::leaves<T, U>();
    akgen::twin::fix_out(detail::address(dst), detail::view(src), detail::view(cbufWorkspace),
                         detail::fix_of(intriParams, config), detail::dtype_of<T>(), detail::dtype_of<U>());
}
template <typename T, typename U, const FixpipeConfig &config = CFG_NZ>
AKGEN_INLINE void Fixpipe(const LocalTensor<T> &dst, const LocalTensor<U> &src, const FixpipeParamsV220 &intriParams)
{
    detail::leaves<T, U>();
    akgen::twin::fix_to_l1(detail::view(dst), detail::view(src), {nullptr, 0}, detail::fix_of(intriParams, config),
                           detail::dtype_of<T>(), detail::dtype_of<U>());
}
template <typename T, typename U, const FixpipeConfig &config = CFG_NZ, typename S = uint64_t,
          typename = std::enable_if_t<std::is_same_v<PrimT<S>, uint64_t>>>
AKGEN_INLINE void Fixpipe(const LocalTensor<T> &dst, const LocalTensor<U> &src, const LocalTensor<S> &cbufWorkspace,
                          const FixpipeParamsV220 &intriParams)
{
    detail::leaves<T, U>();
    akgen::twin::fix_to_l1(detail::view(dst), detail::view(src), detail::view(cbufWorkspace),
                           detail::fix_of(intriParams, config), detail::dtype_of<T>(), detail::dtype_of<U>());
}
AKGEN_INLINE void SetFixpipeNz2ndFlag(uint16_t ndNum, uint16_t srcNdStride, uint16_t dstNdStride)
{
    akgen::twin::fix_matrices(ndNum, srcNdStride, dstNdStride);
}
AKGEN_INLINE void SetFixpipePreQuantFlag(uint64_t config) { akgen::twin::fix_scale(config); }
// The tensor of a ReLU is reserved: nothing reads it.
template <typename T, bool setRelu = false>
AKGEN_INLINE void SetFixPipeConfig(const LocalTensor<T> &preData, bool = false)
{
    static_assert(!setRelu, "AKGEN:OTHER_CHIP: SetFixPipeConfig<T, true> does not exist on Ascend910B; "
                            "set reluPre of DataCopyCO12DstParams for a plain ReLU");
    akgen::twin::fix_scales(detail::view(preData));
}
template <typename T>
AKGEN_INLINE void SetFixPipeConfig(const LocalTensor<T> &, const LocalTensor<T> &quantPre, bool = false)
{
    akgen::twin::fix_scales(detail::view(quantPre));
}
namespace detail {
AKGEN_INLINE akgen::twin::Fix fix_of(const DataCopyCO12DstParams &p)
{
    return {p.nSize,    p.mSize,        p.srcStride, p.dstStride,    1, 0, 0, static_cast<uint8_t>(p.quantPre),
            p.unitFlag, p.reluPre != 0, p.nz2ndEn,   p.channelSplit, 0};
}
} // namespace detail
template <typename T, typename U>
AKGEN_INLINE void DataCopy(const GlobalTensor<T> &dst, const LocalTensor<U> &src, const DataCopyCO12DstParams &p)
{
    detail::leaves<T, U>();
    akgen::twin::fix_legacy(detail::address(dst), detail::view(src), detail::fix_of(p), detail::dtype_of<T>(),
                            detail::dtype_of<U>());
}
template <typename T, typename U>
AKGEN_INLINE void DataCopy(const LocalTensor<T> &dst, const LocalTensor<U> &src, const DataCopyCO12DstParams &p)
{
    detail::leaves<T, U>();
    akgen::twin::fix_legacy_to_l1(detail::view(dst), detail::view(src), detail::fix_of(p), detail::dtype_of<T>(),
                                  detail::dtype_of<U>());
}

} // namespace AscendC
