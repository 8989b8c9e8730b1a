// The C interface's reductions (of each repeat of 256 bytes, of each block of 32 bytes, of each pair of neighbours),
// comparisons, selection, gathering and sorting. Source: vendor documentation, "SIMD API", "C API", pages of the vector
// unit.
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

// One bit for each element, at an address or in the register that asc_get_cmp_mask reads. Bits at an address are
// there for all elements, whatever the mask.
#define AKGEN_C_COMPARE(Name, Mode)                                                                                    \
    template <typename T>                                                                                              \
    AKGEN_INLINE void Name(__ubuf__ uint8_t *dst, __ubuf__ T *src0, __ubuf__ T *src1, uint8_t repeat,                  \
                           uint8_t dst_block_stride, uint8_t src0_block_stride, uint8_t src1_block_stride,             \
                           uint8_t dst_repeat_stride, uint8_t src0_repeat_stride, uint8_t src1_repeat_stride)          \
    {                                                                                                                  \
        AscendC::detail::Compare_takes<T>();                                                                           \
        akgen::twin::compare_repeat(AscendC::detail::dtype_of<T>(), AscendC::detail::raw(dst),                         \
                                    AscendC::detail::raw(src0), AscendC::detail::raw(src1),                            \
                                    static_cast<uint8_t>(AscendC::CMPMODE::Mode),                                      \
                                    AscendC::detail::mask_of<true>(uint64_t{256 / sizeof(T)}), repeat,                 \
                                    {{dst_block_stride, src0_block_stride, src1_block_stride},                         \
                                     {dst_repeat_stride, src0_repeat_stride, src1_repeat_stride}});                    \
    }                                                                                                                  \
    template <typename T>                                                                                              \
    AKGEN_INLINE void Name(__ubuf__ T *src0, __ubuf__ T *src1, uint8_t, uint8_t dst_block_stride,                      \
                           uint8_t src0_block_stride, uint8_t src1_block_stride, uint8_t dst_repeat_stride,            \
                           uint8_t src0_repeat_stride, uint8_t src1_repeat_stride)                                     \
    {                                                                                                                  \
        AscendC::detail::CompareToRegister_takes<T>();                                                                 \
        akgen::twin::compare_register(AscendC::detail::dtype_of<T>(), AscendC::detail::raw(src0),                      \
                                      AscendC::detail::raw(src1), static_cast<uint8_t>(AscendC::CMPMODE::Mode),        \
                                      AscendC::detail::mask_of<false>(uint64_t{0}),                                    \
                                      {{dst_block_stride, src0_block_stride, src1_block_stride},                       \
                                       {dst_repeat_stride, src0_repeat_stride, src1_repeat_stride}});                  \
    }                                                                                                                  \
    template <typename T>                                                                                              \
    AKGEN_INLINE void Name##_scalar(__ubuf__ uint8_t *dst, __ubuf__ T *src, AscendC::detail::Itself<T> value,          \
                                    uint8_t repeat, uint16_t dst_block_stride, uint16_t src_block_stride,              \
                                    uint16_t dst_repeat_stride, uint16_t src_repeat_stride)                            \
    {                                                                                                                  \
        AscendC::detail::Compare_takes<T>();                                                                           \
        akgen::twin::compare_scalar_repeat(                                                                            \
            AscendC::detail::dtype_of<T>(), AscendC::detail::raw(dst), AscendC::detail::raw(src),                      \
            AscendC::detail::bits(value), static_cast<uint8_t>(AscendC::CMPMODE::Mode),                                \
            AscendC::detail::mask_of<true>(uint64_t{256 / sizeof(T)}), repeat,                                         \
            {{dst_block_stride, src_block_stride, 1}, {dst_repeat_stride, src_repeat_stride, 0}});                     \
    }                                                                                                                  \
    AKGEN_C_WAITS(Name)                                                                                                \
    AKGEN_C_WAITS(Name##_scalar)
AKGEN_C_COMPARE(asc_lt, LT)
AKGEN_C_COMPARE(asc_gt, GT)
AKGEN_C_COMPARE(asc_le, LE)
AKGEN_C_COMPARE(asc_ge, GE)
AKGEN_C_COMPARE(asc_eq, EQ)
AKGEN_C_COMPARE(asc_ne, NE)
#undef AKGEN_C_COMPARE
AKGEN_INLINE void asc_get_cmp_mask(__ubuf__ void *dst) { akgen::twin::get_compare_mask(AscendC::detail::raw(dst)); }
AKGEN_INLINE void asc_set_cmp_mask(__ubuf__ void *src) { akgen::twin::set_compare_mask(AscendC::detail::raw(src)); }

template <typename T>
AKGEN_INLINE void asc_select(__ubuf__ T *dst, __ubuf__ T *src0, __ubuf__ T *src1, uint8_t repeat,
                             uint8_t dst_block_stride, uint8_t src0_block_stride, uint8_t src1_block_stride,
                             uint8_t dst_repeat_stride, uint8_t src0_repeat_stride, uint8_t src1_repeat_stride)
{
    AscendC::detail::Select_takes<T>();
    akgen::twin::select_register(AscendC::detail::dtype_of<T>(), AscendC::detail::raw(dst), {},
                                 AscendC::detail::raw(src0), AscendC::detail::raw(src1), 0, repeat,
                                 {{dst_block_stride, src0_block_stride, src1_block_stride},
                                  {dst_repeat_stride, src0_repeat_stride, src1_repeat_stride}});
}
template <typename T> AKGEN_INLINE void asc_select(__ubuf__ T *dst, __ubuf__ T *src0, __ubuf__ T *src1, uint32_t count)
{
    const AscendC::detail::CountedMask counted(count);
    asc_select(dst, src0, src1, 1, 1, 1, 1, 8, 8, 8);
}
AKGEN_C_WAITS(asc_select)

template <typename T>
AKGEN_INLINE void asc_gather(__ubuf__ T *dst, __ubuf__ T *src, __ubuf__ uint32_t *src_offset, uint32_t count)
{
    AscendC::detail::Gather_takes<T>();
    const AscendC::detail::CountedMask counted(count);
    akgen::twin::gather_count(AscendC::detail::dtype_of<T>(), AscendC::detail::raw(dst), AscendC::detail::raw(src),
                              AscendC::detail::raw(src_offset), 0, count);
}
template <typename T>
AKGEN_INLINE void asc_gather(__ubuf__ T *dst, __ubuf__ T *src, __ubuf__ uint32_t *src_offset,
                             uint16_t dst_repeat_stride, uint8_t repeat)
{
    AscendC::detail::Gather_takes<T>();
    akgen::twin::gather_repeat(AscendC::detail::dtype_of<T>(), AscendC::detail::raw(dst), AscendC::detail::raw(src),
                               AscendC::detail::raw(src_offset), 0, AscendC::detail::mask_of<false>(uint64_t{0}),
                               repeat, dst_repeat_stride);
}
AKGEN_C_WAITS(asc_gather)
template <typename T>
AKGEN_INLINE void asc_gather_datablock(__ubuf__ T *dst, __ubuf__ T *src, __ubuf__ uint32_t *src_offset,
                                       uint16_t dst_repeat_stride, uint8_t dst_block_stride, uint8_t repeat)
{
    AscendC::detail::Gatherb_takes<T>();
    akgen::twin::gather_blocks(AscendC::detail::dtype_of<T>(), AscendC::detail::raw(dst), AscendC::detail::raw(src),
                               AscendC::detail::raw(src_offset), repeat, dst_block_stride, dst_repeat_stride);
}
AKGEN_C_WAITS(asc_gather_datablock)
template <typename T>
AKGEN_INLINE void asc_brcb(__ubuf__ T *dst, __ubuf__ T *src, uint16_t dst_block_stride, uint16_t dst_repeat_stride,
                           uint8_t repeat)
{
    AscendC::detail::Brcb_takes<T>();
    akgen::twin::broadcast_blocks(AscendC::detail::dtype_of<T>(), AscendC::detail::raw(dst), AscendC::detail::raw(src),
                                  repeat, dst_block_stride, dst_repeat_stride);
}
AKGEN_C_WAITS(asc_brcb)

// Keep the elements whose bit is set: in src1, or in one of seven built-in patterns.
template <typename T>
AKGEN_INLINE void asc_reduce(__ubuf__ T *dst, __ubuf__ T *src0, __ubuf__ T *src1, uint16_t repeat,
                             uint8_t src0_block_stride, uint8_t pattern_mode, uint16_t src0_repeat_stride,
                             uint8_t src1_repeat_stride)
{
    AscendC::detail::GatherMask_takes<T>();
    akgen::twin::gather_mask(AscendC::detail::dtype_of<T>(), AscendC::detail::raw(dst), AscendC::detail::raw(src0),
                             pattern_mode == 0 ? AscendC::detail::raw(src1) : akgen::twin::View{}, pattern_mode, false,
                             0, src0_block_stride, repeat, src0_repeat_stride, src1_repeat_stride);
}
template <typename T> AKGEN_INLINE void asc_reduce(__ubuf__ T *dst, __ubuf__ T *src0, __ubuf__ T *src1, uint32_t count)
{
    AscendC::detail::GatherMask_takes<T>();
    akgen::twin::gather_mask(AscendC::detail::dtype_of<T>(), AscendC::detail::raw(dst), AscendC::detail::raw(src0),
                             AscendC::detail::raw(src1), 0, true, count, 1, 1, 8, 8);
}
AKGEN_C_WAITS(asc_reduce)
AKGEN_INLINE int64_t asc_get_rsvd_count() { return akgen::twin::gather_mask_rest(); }

template <typename T>
AKGEN_INLINE void asc_bitsort(__ubuf__ T *dst, __ubuf__ T *src0, __ubuf__ uint32_t *src1, int32_t repeat)
{
    AscendC::detail::Sort32_takes<T>();
    akgen::twin::sort_records(AscendC::detail::dtype_of<T>(), AscendC::detail::raw(dst), AscendC::detail::raw(src0),
                              AscendC::detail::raw(src1), repeat);
}
AKGEN_C_WAITS(asc_bitsort)
constexpr int ASC_C_API_MRGSORT_ELEMENT_LEN = 4;
template <typename T>
AKGEN_INLINE void asc_mrgsort4(__ubuf__ T *dst, __ubuf__ T *src[ASC_C_API_MRGSORT_ELEMENT_LEN], uint8_t repeat,
                               uint16_t element_length_0, uint16_t element_length_1, uint16_t element_length_2,
                               uint16_t element_length_3, bool if_exhausted_suspension, uint8_t valid_bit)
{
    AscendC::detail::MrgSort_takes<T>();
    const akgen::twin::MergeLists lists = {{AscendC::detail::raw(src[0]), AscendC::detail::raw(src[1]),
                                            AscendC::detail::raw(src[2]), AscendC::detail::raw(src[3])},
                                           {element_length_0, element_length_1, element_length_2, element_length_3},
                                           valid_bit,
                                           repeat,
                                           if_exhausted_suspension};
    akgen::twin::merge_records(AscendC::detail::dtype_of<T>(), false, AscendC::detail::raw(dst), lists, nullptr);
}
AKGEN_C_WAITS(asc_mrgsort4)
AKGEN_INLINE void asc_get_vms4_sr(uint16_t sorted_num[4]) { akgen::twin::last_merge(sorted_num); }
