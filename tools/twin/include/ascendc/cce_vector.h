// The compiler's own vector intrinsics, as far as public kernels use them. They take addresses, use the mask
// register, and have no tensor bounds: the runtime checks them against the whole buffer memory.
#pragma once
#include "ascendc/vector_cast.h"
#include "ascendc/vector_compare.h"
#include "ascendc/vector_lower.h"
#include "ascendc/vector_reduce.h"
#include "ascendc/vector_transpose.h"

enum ub_addr8_t { VA0 = 0, VA1, VA2, VA3, VA4, VA5, VA6, VA7 };

AKGEN_INLINE void set_mask_count() { akgen::twin::mask_mode(true); }
AKGEN_INLINE void set_mask_norm() { akgen::twin::mask_mode(false); }
AKGEN_INLINE void set_vector_mask(uint64_t high, uint64_t low) { akgen::twin::mask_bits(high, low); }
AKGEN_INLINE void set_deqscale(half scale) { akgen::twin::set_deq_scale(static_cast<float>(scale)); }
AKGEN_INLINE int64_t get_acc_val() { return static_cast<int64_t>(akgen::twin::accumulator()); }

#define AKGEN_CCE_UNARY(Name, Op)                                                                                      \
    template <typename T>                                                                                              \
    AKGEN_INLINE void Name(__ubuf__ T *dst, __ubuf__ T *src, uint8_t repeat, uint16_t dst_block, uint16_t src_block,   \
                           uint16_t dst_repeat, uint16_t src_repeat)                                                   \
    {                                                                                                                  \
        AscendC::detail::Op##_takes<T>();                                                                              \
        akgen::twin::vector_repeat(akgen::twin::VecOp::Op, AscendC::detail::dtype_of<T>(), AscendC::detail::raw(dst),  \
                                   AscendC::detail::raw(src), {}, 0, AscendC::detail::mask_of<false>(uint64_t{0}),     \
                                   repeat, {{dst_block, src_block, 1}, {dst_repeat, src_repeat, 0}});                  \
    }
AKGEN_CCE_UNARY(vexp, Exp)
AKGEN_CCE_UNARY(vln, Ln)
AKGEN_CCE_UNARY(vabs, Abs)
AKGEN_CCE_UNARY(vrec, Reciprocal)
AKGEN_CCE_UNARY(vsqrt, Sqrt)
AKGEN_CCE_UNARY(vrsqrt, Rsqrt)
AKGEN_CCE_UNARY(vrelu, Relu)
AKGEN_CCE_UNARY(vnot, Not)
#undef AKGEN_CCE_UNARY

#define AKGEN_CCE_BINARY(Name, Op)                                                                                     \
    template <typename T>                                                                                              \
    AKGEN_INLINE void Name(__ubuf__ T *dst, __ubuf__ T *src0, __ubuf__ T *src1, uint8_t repeat, uint8_t dst_block,     \
                           uint8_t src0_block, uint8_t src1_block, uint8_t dst_repeat, uint8_t src0_repeat,            \
                           uint8_t src1_repeat)                                                                        \
    {                                                                                                                  \
        AscendC::detail::Op##_takes<T>();                                                                              \
        akgen::twin::vector_repeat(akgen::twin::VecOp::Op, AscendC::detail::dtype_of<T>(), AscendC::detail::raw(dst),  \
                                   AscendC::detail::raw(src0), AscendC::detail::raw(src1), 0,                          \
                                   AscendC::detail::mask_of<false>(uint64_t{0}), repeat,                               \
                                   {{dst_block, src0_block, src1_block}, {dst_repeat, src0_repeat, src1_repeat}});     \
    }
AKGEN_CCE_BINARY(vadd, Add)
AKGEN_CCE_BINARY(vsub, Sub)
AKGEN_CCE_BINARY(vmul, Mul)
AKGEN_CCE_BINARY(vdiv, Div)
AKGEN_CCE_BINARY(vmax, Max)
AKGEN_CCE_BINARY(vmin, Min)
AKGEN_CCE_BINARY(vand, And)
AKGEN_CCE_BINARY(vor, Or)
#undef AKGEN_CCE_BINARY

#define AKGEN_CCE_SCALAR(Name, Op)                                                                                     \
    template <typename T>                                                                                              \
    AKGEN_INLINE void Name(__ubuf__ T *dst, __ubuf__ T *src, T scalar, uint8_t repeat, uint16_t dst_block,             \
                           uint16_t src_block, uint16_t dst_repeat, uint16_t src_repeat)                               \
    {                                                                                                                  \
        AscendC::detail::Op##_takes<T>();                                                                              \
        akgen::twin::vector_repeat(akgen::twin::VecOp::Op, AscendC::detail::dtype_of<T>(), AscendC::detail::raw(dst),  \
                                   AscendC::detail::raw(src), {}, AscendC::detail::bits(scalar),                       \
                                   AscendC::detail::mask_of<false>(uint64_t{0}), repeat,                               \
                                   {{dst_block, src_block, 1}, {dst_repeat, src_repeat, 0}});                          \
    }
AKGEN_CCE_SCALAR(vadds, Adds)
AKGEN_CCE_SCALAR(vmuls, Muls)
AKGEN_CCE_SCALAR(vmaxs, Maxs)
AKGEN_CCE_SCALAR(vmins, Mins)
#undef AKGEN_CCE_SCALAR

template <typename T>
AKGEN_INLINE void vector_dup(__ubuf__ T *dst, T value, uint8_t repeat, uint16_t dst_block, uint16_t,
                             uint16_t dst_repeat, uint16_t)
{
    AscendC::detail::Duplicate_takes<T>();
    akgen::twin::vector_repeat(akgen::twin::VecOp::Duplicate, AscendC::detail::dtype_of<T>(), AscendC::detail::raw(dst),
                               {}, {}, AscendC::detail::bits(value), AscendC::detail::mask_of<false>(uint64_t{0}),
                               repeat, {{dst_block, 1, 1}, {dst_repeat, 0, 0}});
}

// mode: the sum of all repeats goes to the accumulator, and there is no destination.
#define AKGEN_CCE_SUM(T)                                                                                               \
    AKGEN_INLINE void vcadd(__ubuf__ T *dst, __ubuf__ T *src, uint8_t repeat, uint16_t dst_repeat, uint16_t src_block, \
                            uint16_t src_repeat, bool mode)                                                            \
    {                                                                                                                  \
        if (mode) {                                                                                                    \
            akgen::twin::reduce_accumulate(AscendC::detail::dtype_of<T>(), AscendC::detail::raw(src),                  \
                                           AscendC::detail::mask_of<false>(uint64_t{0}), repeat, src_block,            \
                                           src_repeat);                                                                \
        } else {                                                                                                       \
            akgen::twin::reduce_whole_as("vcadd", akgen::twin::Reduce::SUM, AscendC::detail::dtype_of<T>(),            \
                                         AscendC::detail::raw(dst), AscendC::detail::raw(src),                         \
                                         AscendC::detail::mask_of<false>(uint64_t{0}), repeat, dst_repeat, src_block,  \
                                         src_repeat);                                                                  \
        }                                                                                                              \
    }
AKGEN_CCE_SUM(float)
AKGEN_CCE_SUM(half)
#undef AKGEN_CCE_SUM

// What comes out of a maximum or minimum, and in which order.
enum Order_t { VALUE_INDEX = 0, INDEX_VALUE, ONLY_VALUE, ONLY_INDEX };
#define AKGEN_CCE_EXTREME(Name, Op)                                                                                    \
    template <typename T>                                                                                              \
    AKGEN_INLINE void Name(__ubuf__ T *dst, __ubuf__ T *src, uint8_t repeat, uint16_t dst_repeat, uint16_t src_block,  \
                           uint16_t src_repeat, Order_t order = VALUE_INDEX)                                           \
    {                                                                                                                  \
        AscendC::detail::WholeReduceMax_takes<T>();                                                                    \
        akgen::twin::reduce_whole(akgen::twin::Reduce::Op, AscendC::detail::dtype_of<T>(), AscendC::detail::raw(dst),  \
                                  AscendC::detail::raw(src), AscendC::detail::mask_of<false>(uint64_t{0}), repeat,     \
                                  dst_repeat, src_block, src_repeat, static_cast<uint8_t>(order));                     \
    }
AKGEN_CCE_EXTREME(vcmax, MAX)
AKGEN_CCE_EXTREME(vcmin, MIN)
#undef AKGEN_CCE_EXTREME

AKGEN_INLINE void vtranspose(__ubuf__ uint16_t *dst, __ubuf__ uint16_t *src)
{
    akgen::twin::transpose_square("vtranspose", AscendC::detail::raw(dst), AscendC::detail::raw(src));
}
AKGEN_INLINE void set_va_reg_sb(ub_addr8_t number, uint64_t *addresses)
{
    akgen::twin::set_address_register(static_cast<uint32_t>(number), addresses);
}
AKGEN_INLINE void scatter_vnchwconv_b16(ub_addr8_t dst, ub_addr8_t src, uint8_t repeat, uint16_t dst_repeat,
                                        uint16_t src_repeat)
{
    akgen::twin::transpose_registers(static_cast<uint32_t>(dst), static_cast<uint32_t>(src), repeat, dst_repeat,
                                     src_repeat);
}

#define AKGEN_CCE_CONVERT(Name, To, From, Mode)                                                                        \
    AKGEN_INLINE void Name(__ubuf__ To *dst, __ubuf__ From *src, uint8_t repeat, uint16_t dst_block,                   \
                           uint16_t src_block, uint16_t dst_repeat, uint16_t src_repeat)                               \
    {                                                                                                                  \
        akgen::twin::cast_repeat(AscendC::detail::dtype_of<To>(), AscendC::detail::dtype_of<From>(),                   \
                                 AscendC::detail::raw(dst), AscendC::detail::raw(src),                                 \
                                 static_cast<uint8_t>(AscendC::RoundMode::Mode),                                       \
                                 AscendC::detail::mask_of<false>(uint64_t{0}), repeat,                                 \
                                 {{dst_block, src_block, 1}, {dst_repeat, src_repeat, 0}});                            \
    }
AKGEN_CCE_CONVERT(vconv_f162f32, float, half, CAST_NONE)
AKGEN_CCE_CONVERT(vconv_bf162f32, float, bfloat16_t, CAST_NONE)
AKGEN_CCE_CONVERT(vconv_s162f32, float, int16_t, CAST_NONE)
AKGEN_CCE_CONVERT(vconv_s322f32, float, int32_t, CAST_NONE)
AKGEN_CCE_CONVERT(vconv_s162f16, half, int16_t, CAST_NONE)
AKGEN_CCE_CONVERT(vconv_s82f16, half, int8_t, CAST_NONE)
AKGEN_CCE_CONVERT(vconv_u82f16, half, uint8_t, CAST_NONE)
AKGEN_CCE_CONVERT(vconv_f322f16, half, float, CAST_NONE)
AKGEN_CCE_CONVERT(vconv_f322f16r, half, float, CAST_RINT)
AKGEN_CCE_CONVERT(vconv_f322bf16r, bfloat16_t, float, CAST_RINT)
AKGEN_CCE_CONVERT(vconv_f322s32r, int32_t, float, CAST_RINT)
AKGEN_CCE_CONVERT(vconv_f322s32f, int32_t, float, CAST_FLOOR)
AKGEN_CCE_CONVERT(vconv_f322s16r, int16_t, float, CAST_RINT)
AKGEN_CCE_CONVERT(vconv_f162s32r, int32_t, half, CAST_RINT)
AKGEN_CCE_CONVERT(vconv_f162s8, int8_t, half, CAST_NONE)
#undef AKGEN_CCE_CONVERT

AKGEN_INLINE void vconv_s42f16(__ubuf__ half *dst, __ubuf__ void *src, uint8_t repeat, uint16_t dst_block,
                               uint16_t src_block, uint16_t dst_repeat, uint16_t src_repeat)
{
    akgen::twin::cast_repeat(akgen::twin::DType::F16, akgen::twin::DType::I4, AscendC::detail::raw(dst),
                             AscendC::detail::raw(src), static_cast<uint8_t>(AscendC::RoundMode::CAST_NONE),
                             AscendC::detail::mask_of<false>(uint64_t{0}), repeat,
                             {{dst_block, src_block, 1}, {dst_repeat, src_repeat, 0}});
}

// One repeat, into the comparison register; vsel takes the first source where its bit is set.
#define AKGEN_CCE_COMPARE_REGISTER(Name, Mode)                                                                         \
    template <typename T>                                                                                              \
    AKGEN_INLINE void Name(__ubuf__ T *src0, __ubuf__ T *src1, uint8_t, uint8_t dst_block, uint8_t src0_block,         \
                           uint8_t src1_block, uint8_t dst_repeat, uint8_t src0_repeat, uint8_t src1_repeat)           \
    {                                                                                                                  \
        AscendC::detail::Compare_takes<T>();                                                                           \
        akgen::twin::compare_register(AscendC::detail::dtype_of<T>(), AscendC::detail::raw(src0),                      \
                                      AscendC::detail::raw(src1), static_cast<uint8_t>(AscendC::CMPMODE::Mode),        \
                                      AscendC::detail::mask_of<false>(uint64_t{0}),                                    \
                                      {{dst_block, src0_block, src1_block}, {dst_repeat, src0_repeat, src1_repeat}});  \
    }
AKGEN_CCE_COMPARE_REGISTER(vcmp_lt, LT)
AKGEN_CCE_COMPARE_REGISTER(vcmp_gt, GT)
AKGEN_CCE_COMPARE_REGISTER(vcmp_eq, EQ)
AKGEN_CCE_COMPARE_REGISTER(vcmp_le, LE)
AKGEN_CCE_COMPARE_REGISTER(vcmp_ge, GE)
AKGEN_CCE_COMPARE_REGISTER(vcmp_ne, NE)
#undef AKGEN_CCE_COMPARE_REGISTER
template <typename T>
AKGEN_INLINE void vsel(__ubuf__ T *dst, __ubuf__ T *src0, __ubuf__ T *src1, uint8_t repeat, uint8_t dst_block,
                       uint8_t src0_block, uint8_t src1_block, uint8_t dst_repeat, uint8_t src0_repeat,
                       uint8_t src1_repeat)
{
    AscendC::detail::Select_takes<T>();
    akgen::twin::select_register(AscendC::detail::dtype_of<T>(), AscendC::detail::raw(dst), {},
                                 AscendC::detail::raw(src0), AscendC::detail::raw(src1), 0, repeat,
                                 {{dst_block, src0_block, src1_block}, {dst_repeat, src0_repeat, src1_repeat}});
}

// One bit per element into dst, 256 bytes of sources per repeat.
#define AKGEN_CCE_COMPARE(Name, Mode)                                                                                  \
    template <typename T>                                                                                              \
    AKGEN_INLINE void Name(__ubuf__ uint8_t *dst, __ubuf__ T *src0, __ubuf__ T *src1, uint8_t repeat,                  \
                           uint8_t dst_block, uint8_t src0_block, uint8_t src1_block, uint8_t dst_repeat,              \
                           uint8_t src0_repeat, uint8_t src1_repeat)                                                   \
    {                                                                                                                  \
        AscendC::detail::Compare_takes<T>();                                                                           \
        akgen::twin::compare_repeat(AscendC::detail::dtype_of<T>(), AscendC::detail::raw(dst),                         \
                                    AscendC::detail::raw(src0), AscendC::detail::raw(src1),                            \
                                    static_cast<uint8_t>(AscendC::CMPMODE::Mode),                                      \
                                    AscendC::detail::mask_of<false>(uint64_t{0}), repeat,                              \
                                    {{dst_block, src0_block, src1_block}, {dst_repeat, src0_repeat, src1_repeat}});    \
    }
AKGEN_CCE_COMPARE(vcmpv_lt, LT)
AKGEN_CCE_COMPARE(vcmpv_gt, GT)
AKGEN_CCE_COMPARE(vcmpv_eq, EQ)
AKGEN_CCE_COMPARE(vcmpv_le, LE)
AKGEN_CCE_COMPARE(vcmpv_ge, GE)
AKGEN_CCE_COMPARE(vcmpv_ne, NE)
#undef AKGEN_CCE_COMPARE
