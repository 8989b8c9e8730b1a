// The C interface beside the vector unit: bits of scalars, the data cache, atomic copies, flags between cores.
#pragma once
#include "ascendc/c_api_memory.h"

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
