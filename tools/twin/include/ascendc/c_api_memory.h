// The C interface beside the vector unit: copies, synchronisation, masks, atomics, what a core is told of itself, bits of
// scalars, the data cache, flags between cores.
#pragma once
#include "ascendc/c_api_memory.h"
#include "kernel_operator.h"

AKGEN_INLINE void asc_init() {}
AKGEN_INLINE int64_t asc_get_block_idx() { return akgen::twin::raw_block_idx(); }
AKGEN_INLINE int64_t asc_get_block_num() { return akgen::twin::block_num(); }
AKGEN_INLINE int64_t asc_get_sub_block_id() { return akgen::twin::sub_block_idx(); }
AKGEN_INLINE int64_t asc_get_sub_block_num() { return akgen::twin::sub_block_num(); }

AKGEN_INLINE void asc_sync() { akgen::twin::pipe_barrier(akgen::twin::Pipe::ALL); }
AKGEN_INLINE void asc_sync_pipe(pipe_t pipe) { pipe_barrier(pipe); }
AKGEN_INLINE void asc_sync_vec() { pipe_barrier(PIPE_V); }
AKGEN_INLINE void asc_sync_mte2(int) { pipe_barrier(PIPE_MTE2); }
AKGEN_INLINE void asc_sync_mte3(int) { pipe_barrier(PIPE_MTE3); }
AKGEN_INLINE void asc_sync_notify(pipe_t pipe, pipe_t tpipe, event_t id) { set_flag(pipe, tpipe, id); }
AKGEN_INLINE void asc_sync_wait(pipe_t pipe, pipe_t tpipe, event_t id) { wait_flag(pipe, tpipe, id); }

AKGEN_INLINE void asc_set_mask_count() { set_mask_count(); }
AKGEN_INLINE void asc_set_mask_norm() { set_mask_norm(); }
AKGEN_INLINE void asc_set_vector_mask(uint64_t mask1, uint64_t mask0) { set_vector_mask(mask1, mask0); }
AKGEN_INLINE void asc_set_deq_scale(half scale) { set_deqscale(scale); }

// Lengths in bytes, of whole blocks of 32; or in such blocks, with gaps from end to start.
#define AKGEN_C_COPY(Name, To, From, intrinsic)                                                                        \
    AKGEN_INLINE void Name(To void *dst, From void *src, uint16_t n_burst, uint16_t len_burst, uint16_t src_gap,       \
                           uint16_t dst_gap)                                                                           \
    {                                                                                                                  \
        intrinsic(static_cast<To uint8_t *>(dst), static_cast<From uint8_t *>(src), 0, n_burst, len_burst, src_gap,    \
                  dst_gap);                                                                                            \
    }                                                                                                                  \
    AKGEN_INLINE void Name(To void *dst, From void *src, uint32_t size)                                                \
    {                                                                                                                  \
        intrinsic(static_cast<To uint8_t *>(dst), static_cast<From uint8_t *>(src), 0, 1,                              \
                  static_cast<uint16_t>(size / 32), 0, 0);                                                             \
    }                                                                                                                  \
    AKGEN_INLINE void Name##_sync(To void *dst, From void *src, uint32_t size)                                         \
    {                                                                                                                  \
        Name(dst, src, size);                                                                                          \
        asc_sync();                                                                                                    \
    }
AKGEN_C_COPY(asc_copy_gm2ub, __ubuf__, __gm__, copy_gm_to_ubuf)
AKGEN_C_COPY(asc_copy_ub2gm, __gm__, __ubuf__, copy_ubuf_to_gm)
AKGEN_C_COPY(asc_copy_ub2ub, __ubuf__, __ubuf__, copy_ubuf_to_ubuf)
#undef AKGEN_C_COPY

// Any length in bytes; gaps in bytes in global memory, in blocks of 32 bytes in the Unified Buffer.
#define AKGEN_C_ALIGNED(Name, To, From, Direction)                                                                     \
    template <typename T>                                                                                              \
    AKGEN_INLINE void Name(To T *dst, From T *src, uint16_t n_burst, uint32_t len_burst, uint8_t left_padding_num,     \
                           uint8_t right_padding_num, uint32_t src_gap, uint32_t dst_gap)                              \
    {                                                                                                                  \
        static_assert(sizeof(T) == 1 || sizeof(T) == 2 || sizeof(T) == 4,                                              \
                      "AKGEN:DTYPE_UNSUPPORTED: " #Name " takes elements of 1, 2 and 4 bytes here");                   \
        if constexpr (sizeof(T) == 1) {                                                                                \
            copy_##Direction##_align_b8(dst, src, 0, n_burst, len_burst, left_padding_num, right_padding_num, src_gap, \
                                        dst_gap);                                                                      \
        } else if constexpr (sizeof(T) == 2) {                                                                         \
            copy_##Direction##_align_b16(dst, src, 0, n_burst, len_burst, left_padding_num, right_padding_num,         \
                                         src_gap, dst_gap);                                                            \
        } else {                                                                                                       \
            copy_##Direction##_align_b32(dst, src, 0, n_burst, len_burst, left_padding_num, right_padding_num,         \
                                         src_gap, dst_gap);                                                            \
        }                                                                                                              \
    }                                                                                                                  \
    template <typename T> AKGEN_INLINE void Name(To T *dst, From T *src, uint32_t size)                                \
    {                                                                                                                  \
        Name(dst, src, 1, size, 0, 0, 0, 0);                                                                           \
    }                                                                                                                  \
    template <typename T> AKGEN_INLINE void Name##_sync(To T *dst, From T *src, uint32_t size)                         \
    {                                                                                                                  \
        Name(dst, src, 1, size, 0, 0, 0, 0);                                                                           \
        asc_sync();                                                                                                    \
    }
AKGEN_C_ALIGNED(asc_copy_gm2ub_align, __ubuf__, __gm__, gm_to_ubuf)
AKGEN_C_ALIGNED(asc_copy_ub2gm_align, __gm__, __ubuf__, ubuf_to_gm)
#undef AKGEN_C_ALIGNED

AKGEN_INLINE int64_t asc_popc(uint64_t value) { return AscendC::GetBitCount<1>(value); }
AKGEN_INLINE int64_t asc_zero_bits_cnt(uint64_t value) { return AscendC::GetBitCount<0>(value); }
AKGEN_INLINE int64_t asc_clz(uint64_t value_in) { return AscendC::CountLeadingZero(value_in); }
AKGEN_INLINE int64_t asc_ffs(uint64_t value) { return AscendC::GetSFFValue<1>(value); }
AKGEN_INLINE int64_t asc_ffz(uint64_t value) { return AscendC::GetSFFValue<0>(value); }
AKGEN_INLINE int64_t asc_sflbits(int64_t value) { return AscendC::CountBitsCntSameAsSignBit(value); }
AKGEN_INLINE uint64_t asc_set_nthbit(uint64_t bits, int64_t idx) { return bits | uint64_t{1} << (idx & 63); }
AKGEN_INLINE uint64_t asc_clear_nthbit(uint64_t bits, int64_t idx) { return bits & ~(uint64_t{1} << (idx & 63)); }
AKGEN_INLINE int64_t asc_get_system_cycle() { return AscendC::GetSystemCycle(); }

// A line, or all of the cache; the Unified Buffer has none to write back to.
AKGEN_INLINE void asc_dcci_single(__gm__ void *dst) { akgen::twin::clean_cache(static_cast<uint8_t *>(dst), false); }
AKGEN_INLINE void asc_dcci_entire_out() { akgen::twin::clean_cache(nullptr, true); }
AKGEN_INLINE void asc_dcci_entire_all() { akgen::twin::clean_cache(nullptr, true); }
AKGEN_INLINE void asc_dcci_entire_atomic() { akgen::twin::clean_cache(nullptr, true); }
AKGEN_INLINE void asc_dcci_entire_ub() {}
AKGEN_INLINE void asc_ub_dcci_single(__ubuf__ void *) {}
AKGEN_INLINE void asc_datacache_preload(__gm__ uint64_t *, int64_t) {}
AKGEN_INLINE void asc_icache_preload(const void *, int64_t) {}

#define AKGEN_C_ATOMICS(name, Type)                                                                                    \
    AKGEN_INLINE void asc_set_atomic_add_##name() { AscendC::SetAtomicAdd<Type>(); }                                   \
    AKGEN_INLINE void asc_set_atomic_max_##name() { AscendC::SetAtomicMax<Type>(); }                                   \
    AKGEN_INLINE void asc_set_atomic_min_##name() { AscendC::SetAtomicMin<Type>(); }
AKGEN_C_ATOMICS(float, float)
AKGEN_C_ATOMICS(float16, half)
AKGEN_C_ATOMICS(bfloat, bfloat16_t)
AKGEN_C_ATOMICS(int, int32_t)
AKGEN_C_ATOMICS(int16, int16_t)
AKGEN_C_ATOMICS(int8, int8_t)
#undef AKGEN_C_ATOMICS
AKGEN_INLINE void asc_set_atomic_none() { AscendC::SetAtomicNone(); }

// Inter: all cores of a kind. Subblock: the vector cores of a block. Block: its cube core and its vector cores.
#define AKGEN_C_FLAGS(name, mode)                                                                                      \
    AKGEN_INLINE void asc_sync_##name##_arrive(pipe_t pipe, int64_t flag_id)                                           \
    {                                                                                                                  \
        akgen::twin::cross_core_set(mode, AscendC::detail::pipe_of(pipe), static_cast<uint16_t>(flag_id));             \
    }                                                                                                                  \
    AKGEN_INLINE void asc_sync_##name##_wait(pipe_t, int64_t flag_id)                                                  \
    {                                                                                                                  \
        akgen::twin::cross_core_wait(static_cast<uint16_t>(flag_id));                                                  \
    }
AKGEN_C_FLAGS(inter, 0)
AKGEN_C_FLAGS(subblock, 1)
AKGEN_C_FLAGS(block, 2)
#undef AKGEN_C_FLAGS
AKGEN_INLINE void asc_set_ffts_base_addr(uint64_t) {} // where the flags lie: the runtime's matter
