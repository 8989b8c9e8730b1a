// DataCopy, DataCopyPad and Copy between memories. Slices and fractals are in copy_layout.h.
#pragma once
#include "akgen/copy.h"
#include "ascendc/vector_dtypes.h"

namespace AscendC {
namespace detail {
using akgen::twin::Pad;
using akgen::twin::Rows;

template <PaddingMode mode> constexpr void rows_are_padded()
{
    static_assert(mode == PaddingMode::Normal,
                  "AKGEN:OTHER_CHIP: PaddingMode::Compact exists on later chips; Ascend910B pads rows to 32 bytes");
}
template <typename T> AKGEN_INLINE uint8_t position(const LocalTensor<T> &tensor) { return tensor.GetAddr().logicPos; }
// Lengths and gaps in 32-byte blocks, gaps from end to start.
AKGEN_INLINE Rows block_rows(const DataCopyParams &p)
{
    const uint32_t bytes = p.blockLen * ONE_BLK_SIZE;
    return Rows{p.blockCount, bytes, static_cast<int64_t>(bytes) + p.dstGap * 32,
                static_cast<int64_t>(bytes) + p.srcGap * 32};
}
constexpr uint32_t padded(uint32_t bytes) { return (bytes + 31) / 32 * 32; }
// GM side: gap in bytes. On-chip side: rows padded to 32 bytes, gap in blocks.
AKGEN_INLINE Rows rows_in(uint32_t count, uint32_t len, int64_t gm_gap, int64_t ub_gap, uint32_t left, uint32_t right)
{
    return Rows{count, len, static_cast<int64_t>(padded(len + left + right)) + ub_gap * 32,
                static_cast<int64_t>(len) + gm_gap};
}
AKGEN_INLINE Rows rows_out(uint32_t count, uint32_t len, int64_t ub_gap, int64_t gm_gap)
{
    return Rows{count, len, static_cast<int64_t>(len) + gm_gap, static_cast<int64_t>(padded(len)) + ub_gap * 32};
}
} // namespace detail

// -- count form ------------------------------------------------------------------------------------------------------

template <typename T>
AKGEN_INLINE void DataCopy(const LocalTensor<T> &dst, const GlobalTensor<T> &src, const uint32_t count)
{
    akgen::twin::copy_in(detail::view(dst), detail::position(dst), detail::address(src), count, detail::dtype_of<T>());
}
template <typename T>
AKGEN_INLINE void DataCopy(const GlobalTensor<T> &dst, const LocalTensor<T> &src, const uint32_t count)
{
    akgen::twin::copy_out(detail::address(dst), detail::view(src), detail::position(src), count, detail::dtype_of<T>());
}
template <typename T>
AKGEN_INLINE void DataCopy(const LocalTensor<T> &dst, const LocalTensor<T> &src, const uint32_t count)
{
    akgen::twin::copy_local(detail::view(dst), detail::position(dst), detail::view(src), detail::position(src), count,
                            detail::dtype_of<T>());
}

// -- block form: DataCopyParams --------------------------------------------------------------------------------------

template <typename T>
AKGEN_INLINE void DataCopy(const LocalTensor<T> &dst, const GlobalTensor<T> &src, const DataCopyParams &params)
{
    akgen::twin::copy_in_rows(detail::view(dst), detail::position(dst), detail::address(src),
                              detail::block_rows(params), detail::dtype_of<T>());
}
template <typename T>
AKGEN_INLINE void DataCopy(const GlobalTensor<T> &dst, const LocalTensor<T> &src, const DataCopyParams &params)
{
    akgen::twin::copy_out_rows(detail::address(dst), detail::view(src), detail::position(src),
                               detail::block_rows(params), detail::dtype_of<T>());
}
template <typename T, typename U>
AKGEN_INLINE void DataCopy(const LocalTensor<T> &dst, const LocalTensor<U> &src, const DataCopyParams &params)
{
    akgen::twin::copy_local_rows(detail::view(dst), detail::position(dst), detail::view(src), detail::position(src),
                                 detail::block_rows(params), detail::dtype_of<U>());
}

// -- enhanced form: what it adds concerns copies out of L0C on older chips --------------------------------------------

template <typename T>
AKGEN_INLINE void DataCopy(const LocalTensor<T> &dst, const GlobalTensor<T> &src, const DataCopyParams &params,
                           const DataCopyEnhancedParams &)
{
    DataCopy(dst, src, params);
}
template <typename T>
AKGEN_INLINE void DataCopy(const GlobalTensor<T> &dst, const LocalTensor<T> &src, const DataCopyParams &params,
                           const DataCopyEnhancedParams &)
{
    DataCopy(dst, src, params);
}
template <typename T>
AKGEN_INLINE void DataCopy(const LocalTensor<T> &dst, const LocalTensor<T> &src, const DataCopyParams &params,
                           const DataCopyEnhancedParams &)
{
    DataCopy(dst, src, params);
}

// -- DataCopyPad: lengths in bytes ------------------------------------------------------------------------------------

template <typename T, PaddingMode mode = PaddingMode::Normal>
AKGEN_INLINE void DataCopyPad(const LocalTensor<T> &dst, const GlobalTensor<T> &src, const DataCopyExtParams &params,
                              const DataCopyPadExtParams<PrimT<T>> &pad)
{
    detail::rows_are_padded<mode>();
    const uint32_t left = pad.isPad ? pad.leftPadding * sizeof(PrimT<T>) : 0;
    const uint32_t right = pad.isPad ? pad.rightPadding * sizeof(PrimT<T>) : 0;
    akgen::twin::pad_in(
        detail::view(dst), detail::position(dst), detail::address(src),
        detail::rows_in(params.blockCount, params.blockLen, params.srcStride, params.dstStride, left, right),
        detail::Pad{pad.isPad, pad.leftPadding, pad.rightPadding, sizeof(PrimT<T>), detail::bits(pad.paddingValue)},
        detail::dtype_of<T>());
}
template <typename T, PaddingMode mode = PaddingMode::Normal>
AKGEN_INLINE void DataCopyPad(const LocalTensor<T> &dst, const GlobalTensor<T> &src, const DataCopyParams &params,
                              const DataCopyPadParams &pad)
{
    detail::rows_are_padded<mode>();
    const uint32_t left = pad.isPad ? pad.leftPadding * sizeof(PrimT<T>) : 0;
    const uint32_t right = pad.isPad ? pad.rightPadding * sizeof(PrimT<T>) : 0;
    akgen::twin::pad_in(
        detail::view(dst), detail::position(dst), detail::address(src),
        detail::rows_in(params.blockCount, params.blockLen, params.srcStride, params.dstStride, left, right),
        detail::Pad{pad.isPad, pad.leftPadding, pad.rightPadding, sizeof(PrimT<T>), pad.paddingValue},
        detail::dtype_of<T>());
}
template <typename T, PaddingMode mode = PaddingMode::Normal>
AKGEN_INLINE void DataCopyPad(const GlobalTensor<T> &dst, const LocalTensor<T> &src, const DataCopyExtParams &params)
{
    detail::rows_are_padded<mode>();
    akgen::twin::pad_out(detail::address(dst), detail::view(src), detail::position(src),
                         detail::rows_out(params.blockCount, params.blockLen, params.srcStride, params.dstStride),
                         detail::dtype_of<T>());
}
template <typename T, PaddingMode mode = PaddingMode::Normal>
AKGEN_INLINE void DataCopyPad(const GlobalTensor<T> &dst, const LocalTensor<T> &src, const DataCopyParams &params)
{
    detail::rows_are_padded<mode>();
    akgen::twin::pad_out(detail::address(dst), detail::view(src), detail::position(src),
                         detail::rows_out(params.blockCount, params.blockLen, params.srcStride, params.dstStride),
                         detail::dtype_of<T>());
}

// Padding that a copy names itself comes first.
template <typename T, TPosition pos = TPosition::MAX> AKGEN_INLINE void SetPadValue(T paddingValue)
{
    static_assert(pos == TPosition::MAX || pos == TPosition::VECIN || pos == TPosition::VECOUT,
                  "SetPadValue is for copies to VECIN and VECOUT");
    akgen::twin::set_filler(detail::bits(paddingValue));
}

// -- Copy: the vector unit moves `repeatTime` repeats of `mask` elements within the Unified Buffer --------------------

namespace detail {
template <typename T>
AKGEN_INLINE void copy_repeats(const LocalTensor<T> &dst, const LocalTensor<T> &src, uint64_t lo, uint64_t hi,
                               bool counted, uint32_t repeats, const CopyRepeatParams &p)
{
    Copy_takes<T>();
    akgen::twin::copy_repeats(view(dst), view(src), lo, hi, counted, repeats, p.dstStride, p.srcStride, p.dstRepeatSize,
                              p.srcRepeatSize, dtype_of<T>());
}
} // namespace detail
template <typename T, bool isSetMask = true>
AKGEN_INLINE void Copy(const LocalTensor<T> &dst, const LocalTensor<T> &src, const uint64_t mask,
                       const uint8_t repeatTime, const CopyRepeatParams &repeatParams)
{
    detail::copy_repeats(dst, src, isSetMask ? mask : 0, 0, true, repeatTime, repeatParams);
}
template <typename T, bool isSetMask = true>
AKGEN_INLINE void Copy(const LocalTensor<T> &dst, const LocalTensor<T> &src, const uint64_t mask[],
                       const uint8_t repeatTime, const CopyRepeatParams &repeatParams)
{
    detail::copy_repeats(dst, src, isSetMask ? mask[0] : 0, isSetMask ? mask[1] : 0, !isSetMask, repeatTime,
                         repeatParams);
}
template <typename T> AKGEN_INLINE void Copy(const LocalTensor<T> &dst, const LocalTensor<T> &src, const uint32_t count)
{
    akgen::twin::copy_local(detail::view(dst), detail::position(dst), detail::view(src), detail::position(src), count,
                            detail::dtype_of<T>());
}

} // namespace AscendC
