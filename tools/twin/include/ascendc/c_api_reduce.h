// The C interface's reductions: of each repeat of 256 bytes, of each block of 32 bytes, of each pair of neighbours.
// Source: vendor documentation, "SIMD API", "C API", pages of the vector unit's reductions.
#pragma once
#include "ascendc/c_api_memory.h"

namespace AscendC::detail {
// As the count forms do it: the mask counts elements while the instruction is issued, and its number stays behind.
struct CountedMask {
    AKGEN_INLINE explicit CountedMask(uint32_t count)
    {
        set_mask_count();
        set_vector_mask(0, count);
    }
    AKGEN_INLINE ~CountedMask() { set_mask_norm(); }
};

// A number that takes the type of the elements, and does not say which that is.
template <typename T> struct ItselfOf {
    using type = T;
};
template <typename T> using Itself = typename ItselfOf<T>::type;
} // namespace AscendC::detail

// What waits for its result takes the same arguments.
#define AKGEN_C_WAITS(Name)                                                                                            \
    template <typename... Arguments> AKGEN_INLINE void Name##_sync(Arguments... arguments)                             \
    {                                                                                                                  \
        Name(arguments...);                                                                                            \
        asc_sync();                                                                                                    \
    }

#define AKGEN_C_REDUCTION(Name, Api, call)                                                                             \
    template <typename T>                                                                                              \
    AKGEN_INLINE void Name(__ubuf__ T *dst, __ubuf__ T *src, uint8_t repeat, uint16_t dst_repeat_stride,               \
                           uint16_t src_block_stride, uint16_t src_repeat_stride)                                      \
    {                                                                                                                  \
        AscendC::detail::Api##_takes<T>();                                                                             \
        const auto type = AscendC::detail::dtype_of<T>();                                                              \
        const auto to = AscendC::detail::raw(dst), from = AscendC::detail::raw(src);                                   \
        const auto mask = AscendC::detail::mask_of<false>(uint64_t{0});                                                \
        call;                                                                                                          \
    }                                                                                                                  \
    template <typename T> AKGEN_INLINE void Name(__ubuf__ T *dst, __ubuf__ T *src, uint32_t count)                     \
    {                                                                                                                  \
        const AscendC::detail::CountedMask counted(count);                                                             \
        Name(dst, src, 1, 1, 1, 8);                                                                                    \
    }                                                                                                                  \
    AKGEN_C_WAITS(Name)
#define AKGEN_C_STRIDES repeat, dst_repeat_stride, src_block_stride, src_repeat_stride

#define AKGEN_C_WHOLE(Name, Api, op, order)                                                                            \
    AKGEN_C_REDUCTION(Name, Api,                                                                                       \
                      akgen::twin::reduce_whole(akgen::twin::Reduce::op, type, to, from, mask, AKGEN_C_STRIDES,        \
                                                static_cast<uint8_t>(AscendC::ReduceOrder::order)))
AKGEN_C_WHOLE(asc_repeat_reduce_sum, WholeReduceSum, SUM, ORDER_VALUE_INDEX)
#define AKGEN_C_EXTREME(Name, Api, op)                                                                                 \
    AKGEN_C_WHOLE(Name##_value_index, Api, op, ORDER_VALUE_INDEX)                                                      \
    AKGEN_C_WHOLE(Name##_index_value, Api, op, ORDER_INDEX_VALUE)                                                      \
    AKGEN_C_WHOLE(Name##_only_value, Api, op, ORDER_ONLY_VALUE)                                                        \
    AKGEN_C_WHOLE(Name##_only_index, Api, op, ORDER_ONLY_INDEX)
AKGEN_C_EXTREME(asc_repeat_reduce_max, WholeReduceMax, MAX)
AKGEN_C_EXTREME(asc_repeat_reduce_min, WholeReduceMin, MIN)
#undef AKGEN_C_EXTREME
#undef AKGEN_C_WHOLE

#define AKGEN_C_BLOCKS(Name, Api, op)                                                                                  \
    AKGEN_C_REDUCTION(Name, Api,                                                                                       \
                      akgen::twin::reduce_block(akgen::twin::Reduce::op, type, to, from, mask, AKGEN_C_STRIDES))
AKGEN_C_BLOCKS(asc_datablock_reduce_sum, BlockReduceSum, SUM)
AKGEN_C_BLOCKS(asc_datablock_reduce_max, BlockReduceMax, MAX)
AKGEN_C_BLOCKS(asc_datablock_reduce_min, BlockReduceMin, MIN)
#undef AKGEN_C_BLOCKS
AKGEN_C_REDUCTION(asc_pair_reduce_sum, PairReduceSum, akgen::twin::reduce_pair(type, to, from, mask, AKGEN_C_STRIDES))
#undef AKGEN_C_STRIDES
#undef AKGEN_C_REDUCTION

template <typename T> AKGEN_INLINE void asc_get_reduce_max_cnt(T &val, uint32_t &index)
{
    uint64_t value = 0, place = 0;
    akgen::twin::last_extreme(value, place);
    val = AscendC::detail::from_bits<T>(value);
    index = static_cast<uint32_t>(place);
}
template <typename T> AKGEN_INLINE void asc_get_reduce_min_cnt(T &val, uint32_t &index)
{
    asc_get_reduce_max_cnt(val, index);
}
AKGEN_INLINE int64_t asc_get_acc_val() { return get_acc_val(); }
