// The compiler's own copy intrinsics, and the names of the level below the API that public kernels use.
#pragma once
#include "ascendc/copy.h"
#include "ascendc/global_memory.h"

namespace AscendC {

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

// Lengths and gaps in 32-byte blocks.
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
AKGEN_INLINE void dsb(mem_dsb_t) { akgen::twin::pipe_barrier(akgen::twin::Pipe::ALL); }
AKGEN_INLINE void dcci(__gm__ void *address, uint64_t whole, uint64_t = 0)
{
    akgen::twin::clean_cache(static_cast<uint8_t *>(address), whole != 0);
}
