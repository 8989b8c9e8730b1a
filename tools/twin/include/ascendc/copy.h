// DataCopy, DataCopyPad, Copy between memories; atomics; filling and cache maintenance of global memory.
#pragma once
#include "akgen/copy.h"
#include "ascendc/vector_dtypes.h"

namespace AscendC {
namespace detail {
AKGEN_TAKES(Copy, half, bfloat16_t, float, int16_t, uint16_t, int32_t, uint32_t)
AKGEN_TAKES(SetAtomicAdd, half, bfloat16_t, float, int8_t, int16_t, int32_t)
AKGEN_TAKES(SetAtomicMax, half, bfloat16_t, float, int8_t, int16_t, int32_t)
AKGEN_TAKES(SetAtomicMin, half, bfloat16_t, float, int8_t, int16_t, int32_t)
AKGEN_TAKES(SetAtomicType, half, bfloat16_t, float, int8_t, int16_t, int32_t)
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
template <typename T> AKGEN_INLINE uint64_t bits_of(T value)
{
    uint64_t bits = 0;
    __builtin_memcpy(&bits, &value, sizeof(T));
    return bits;
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

// -- slice form: a box of a row-major array, innermost dimension first ------------------------------------------------

namespace detail {
// One axis of a slice: elements or rows [startIndex, endIndex] of shapeValue, in bursts of
// burstLen blocks `stride` apart.
template <typename Dst, typename Src>
AKGEN_INLINE void copy_slices(const Dst &dst, const Src &src, const SliceInfo dstSlices[], const SliceInfo srcSlices[],
                              uint32_t dims, uint32_t element_bytes)
{
    uint32_t burst_elements = dstSlices[0].burstLen * ONE_BLK_SIZE / element_bytes;
    uint32_t bursts = (srcSlices[0].endIndex - srcSlices[0].startIndex + 1 + srcSlices[0].stride) /
                      (burst_elements + srcSlices[0].stride);
    const DataCopyParams params{static_cast<uint16_t>(bursts), static_cast<uint16_t>(dstSlices[0].burstLen),
                                static_cast<uint16_t>(srcSlices[0].stride * element_bytes / ONE_BLK_SIZE),
                                static_cast<uint16_t>(dstSlices[0].stride * element_bytes / ONE_BLK_SIZE)};
    uint32_t rows = 1;
    for (uint32_t d = 1; d < dims; ++d) {
        rows *= srcSlices[d].endIndex - srcSlices[d].startIndex + 1;
    }
    for (uint32_t row = 0; row < rows; ++row) {
        uint64_t dst_offset = dstSlices[0].startIndex;
        uint64_t src_offset = srcSlices[0].startIndex;
        uint64_t dst_pitch = dstSlices[0].shapeValue;
        uint64_t src_pitch = srcSlices[0].shapeValue;
        uint32_t rest = row;
        for (uint32_t d = 1; d < dims; ++d) {
            const uint32_t extent = srcSlices[d].endIndex - srcSlices[d].startIndex + 1;
            dst_offset += (dstSlices[d].startIndex + rest % extent) * dst_pitch;
            src_offset += (srcSlices[d].startIndex + rest % extent) * src_pitch;
            dst_pitch *= dstSlices[d].shapeValue;
            src_pitch *= srcSlices[d].shapeValue;
            rest /= extent;
        }
        DataCopy(dst[dst_offset], src[src_offset], params);
    }
}
} // namespace detail
template <typename T>
AKGEN_INLINE void DataCopy(const LocalTensor<T> &dst, const GlobalTensor<T> &src, const SliceInfo dstSliceInfo[],
                           const SliceInfo srcSliceInfo[], const uint32_t dimValue = 1)
{
    detail::copy_slices(dst, src, dstSliceInfo, srcSliceInfo, dimValue, sizeof(T));
}
template <typename T>
AKGEN_INLINE void DataCopy(const GlobalTensor<T> &dst, const LocalTensor<T> &src, const SliceInfo dstSliceInfo[],
                           const SliceInfo srcSliceInfo[], const uint32_t dimValue = 1)
{
    detail::copy_slices(dst, src, dstSliceInfo, srcSliceInfo, dimValue, sizeof(T));
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
        detail::Pad{pad.isPad, pad.leftPadding, pad.rightPadding, sizeof(PrimT<T>), detail::bits_of(pad.paddingValue)},
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
    akgen::twin::set_filler(detail::bits_of(paddingValue));
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

// -- atomics: what a copy out of the core does to global memory -------------------------------------------------------

template <typename T> AKGEN_INLINE void SetAtomicAdd()
{
    detail::SetAtomicAdd_takes<T>();
    akgen::twin::set_atomic(akgen::twin::Atomic::add, detail::dtype_of<T>());
}
template <typename T> AKGEN_INLINE void SetAtomicMax()
{
    detail::SetAtomicMax_takes<T>();
    akgen::twin::set_atomic(akgen::twin::Atomic::max, detail::dtype_of<T>());
}
template <typename T> AKGEN_INLINE void SetAtomicMin()
{
    detail::SetAtomicMin_takes<T>();
    akgen::twin::set_atomic(akgen::twin::Atomic::min, detail::dtype_of<T>());
}
AKGEN_INLINE void SetAtomicNone() { akgen::twin::set_atomic(akgen::twin::Atomic::none, akgen::twin::DType::NONE); }
template <typename T> AKGEN_INLINE void SetAtomicType()
{
    detail::SetAtomicType_takes<T>();
    akgen::twin::set_atomic_type(detail::dtype_of<T>());
}
template <AtomicDtype type, AtomicOp op> AKGEN_INLINE void SetStoreAtomicConfig()
{
    using akgen::twin::DType;
    constexpr DType types[] = {DType::NONE, DType::F32, DType::F16, DType::I16, DType::I32, DType::I8, DType::BF16};
    constexpr DType dtype = types[static_cast<uint8_t>(type)];
    akgen::twin::set_atomic(dtype == DType::NONE ? akgen::twin::Atomic::none : akgen::twin::Atomic::add, dtype);
}
AKGEN_INLINE void GetStoreAtomicConfig(uint16_t &atomicType, uint16_t &atomicOp)
{
    using akgen::twin::DType;
    const DType type = akgen::twin::atomic_type();
    const AtomicDtype said = type == DType::F32    ? AtomicDtype::ATOMIC_F32
                             : type == DType::F16  ? AtomicDtype::ATOMIC_F16
                             : type == DType::I16  ? AtomicDtype::ATOMIC_S16
                             : type == DType::I32  ? AtomicDtype::ATOMIC_S32
                             : type == DType::I8   ? AtomicDtype::ATOMIC_S8
                             : type == DType::BF16 ? AtomicDtype::ATOMIC_BF16
                                                   : AtomicDtype::ATOMIC_NONE;
    atomicType = static_cast<uint16_t>(said);
    atomicOp = static_cast<uint16_t>(AtomicOp::ATOMIC_SUM);
}
AKGEN_INLINE void DisableDmaAtomic() { SetAtomicNone(); }

// -- global memory ----------------------------------------------------------------------------------------------------

template <typename T, CacheLine entireType, DcciDst dcciDst>
AKGEN_INLINE void DataCacheCleanAndInvalid(const GlobalTensor<T> &dst)
{
    akgen::twin::clean_cache(detail::address(dst), entireType == CacheLine::ENTIRE_DATA_CACHE);
}
template <typename T, CacheLine entireType> AKGEN_INLINE void DataCacheCleanAndInvalid(const GlobalTensor<T> &dst)
{
    akgen::twin::clean_cache(detail::address(dst), entireType == CacheLine::ENTIRE_DATA_CACHE);
}
template <typename T, CacheLine entireType, DcciDst dcciDst>
AKGEN_INLINE void DataCacheCleanAndInvalid(const LocalTensor<T> &)
{
}
template <typename T> AKGEN_INLINE void DataCachePreload(const GlobalTensor<T> &, const int64_t) {}

// A value of global memory past the data cache.
template <typename T> AKGEN_INLINE T ReadGmByPassDCache(__gm__ T *addr)
{
    return *reinterpret_cast<T *>(
        akgen::twin::global_scalar_direct(reinterpret_cast<uint8_t *>(addr), sizeof(T), false));
}
template <typename T> AKGEN_INLINE void WriteGmByPassDCache(__gm__ T *addr, T value)
{
    *reinterpret_cast<T *>(akgen::twin::global_scalar_direct(reinterpret_cast<uint8_t *>(addr), sizeof(T), true)) =
        value;
}

template <typename T>
AKGEN_INLINE void InitGlobalMemory(GlobalTensor<T> &gmWorkspaceAddr, const uint64_t size, const T value)
{
    akgen::twin::fill_global(detail::address(gmWorkspaceAddr), size, sizeof(T), detail::bits_of(value));
}
template <typename T> AKGEN_INLINE void InitOutput(GlobalTensor<T> gmWorkspaceAddr, uint32_t size, T value = T(0))
{
    akgen::twin::fill_global(detail::address(gmWorkspaceAddr), size, sizeof(T), detail::bits_of(value));
}
template <typename T> AKGEN_INLINE void Fill(GlobalTensor<T> &gmWorkspaceAddr, const uint64_t size, const T value)
{
    akgen::twin::fill_global(detail::address(gmWorkspaceAddr), size, sizeof(T), detail::bits_of(value));
}

template <typename T> AKGEN_INLINE void DataCopyUB2GMImpl(__gm__ T *dst, __ubuf__ T *src, const DataCopyParams &params)
{
    akgen::twin::copy_out_rows(reinterpret_cast<uint8_t *>(dst), akgen::twin::View{reinterpret_cast<uint8_t *>(src), 0},
                               0, detail::block_rows(params), detail::dtype_of<T>());
}
template <typename T> AKGEN_INLINE void DataCopyGM2UBImpl(__ubuf__ T *dst, __gm__ T *src, const DataCopyParams &params)
{
    akgen::twin::copy_in_rows(akgen::twin::View{reinterpret_cast<uint8_t *>(dst), 0}, 0,
                              reinterpret_cast<uint8_t *>(src), detail::block_rows(params), detail::dtype_of<T>());
}

} // namespace AscendC

// The compiler's own copy intrinsics: lengths and gaps in 32-byte blocks.
template <typename T>
AKGEN_INLINE void copy_gm_to_ubuf(__ubuf__ T *dst, __gm__ T *src, uint8_t, uint16_t count, uint16_t len,
                                  uint16_t src_gap, uint16_t dst_gap)
{
    AscendC::DataCopyGM2UBImpl(dst, src, {count, len, src_gap, dst_gap});
}
template <typename T>
AKGEN_INLINE void copy_ubuf_to_gm(__gm__ T *dst, __ubuf__ T *src, uint8_t, uint16_t count, uint16_t len,
                                  uint16_t src_gap, uint16_t dst_gap)
{
    AscendC::DataCopyUB2GMImpl(dst, src, {count, len, src_gap, dst_gap});
}
template <typename T>
AKGEN_INLINE void copy_ubuf_to_ubuf(__ubuf__ T *dst, __ubuf__ T *src, uint8_t, uint16_t count, uint16_t len,
                                    uint16_t src_gap, uint16_t dst_gap)
{
    akgen::twin::copy_local_rows(akgen::twin::View{reinterpret_cast<uint8_t *>(dst), 0}, 0,
                                 akgen::twin::View{reinterpret_cast<uint8_t *>(src), 0}, 0,
                                 AscendC::detail::block_rows({count, len, src_gap, dst_gap}),
                                 AscendC::detail::dtype_of<T>());
}

// Lengths in bytes, gaps in global memory in bytes, in the Unified Buffer in 32-byte blocks; padding in elements.
AKGEN_INLINE void set_mov_pad_val(uint64_t value) { akgen::twin::set_filler(value); }
#define AKGEN_ALIGNED_COPIES(Bits, Type, Kind)                                                                         \
    AKGEN_INLINE void copy_gm_to_ubuf_align_##Bits(__ubuf__ void *dst, __gm__ void *src, uint8_t, uint16_t count,      \
                                                   uint32_t len, uint8_t left, uint8_t right, uint32_t src_gap,        \
                                                   uint32_t dst_gap)                                                   \
    {                                                                                                                  \
        const uint32_t row = (len + (left + right) * sizeof(Type) + 31) / 32 * 32;                                     \
        akgen::twin::pad_in(akgen::twin::View{static_cast<uint8_t *>(dst), 0}, 0, static_cast<uint8_t *>(src),         \
                            {count, len, int64_t{row} + int64_t{dst_gap} * 32, int64_t{len} + src_gap},                \
                            {left + right > 0, left, right, sizeof(Type), akgen::twin::filler()},                      \
                            akgen::twin::DType::Kind);                                                                 \
    }                                                                                                                  \
    AKGEN_INLINE void copy_ubuf_to_gm_align_##Bits(__gm__ void *dst, __ubuf__ void *src, uint8_t, uint16_t count,      \
                                                   uint32_t len, uint8_t, uint8_t, uint32_t src_gap, uint32_t dst_gap) \
    {                                                                                                                  \
        const int64_t row = (int64_t{len} + 31) / 32 * 32 + int64_t{src_gap} * 32;                                     \
        akgen::twin::pad_out(static_cast<uint8_t *>(dst), akgen::twin::View{static_cast<uint8_t *>(src), 0}, 0,        \
                             {count, len, int64_t{len} + dst_gap, row}, akgen::twin::DType::Kind);                     \
    }
AKGEN_ALIGNED_COPIES(b8, uint8_t, U8)
AKGEN_ALIGNED_COPIES(b16, uint16_t, U16)
AKGEN_ALIGNED_COPIES(b32, uint32_t, U32)
#undef AKGEN_ALIGNED_COPIES

AKGEN_INLINE void set_atomic_none() { AscendC::SetAtomicNone(); }
AKGEN_INLINE void set_atomic_add() { akgen::twin::set_atomic_op(akgen::twin::Atomic::add); }
AKGEN_INLINE void set_atomic_f32() { AscendC::SetAtomicType<float>(); }
AKGEN_INLINE void set_atomic_f16() { AscendC::SetAtomicType<half>(); }
AKGEN_INLINE void set_atomic_s32() { AscendC::SetAtomicType<int32_t>(); }
AKGEN_INLINE void set_atomic_s16() { AscendC::SetAtomicType<int16_t>(); }
AKGEN_INLINE void dcci(__gm__ void *address, uint64_t whole, uint64_t = 0)
{
    akgen::twin::clean_cache(static_cast<uint8_t *>(address), whole != 0);
}
