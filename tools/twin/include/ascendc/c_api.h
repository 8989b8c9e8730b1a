// The vendor's C interface of vector cores: calls on addresses of the Unified Buffer, in three forms. One counts
// elements, one repeats with the mask that asc_set_vector_mask has set, and one, _sync, waits for its result.
// Source: vendor documentation, "SIMD API", "C API". Not covered: what cube cores do.
#pragma once
#include "ascendc/c_api_select.h"

// NAME(operands, count) and NAME_sync(operands, count), as one call of the runtime each.
#define AKGEN_C_FORMS(Name, Op, Operands, Dst, Src0, Src1, Scalar)                                                     \
    template <typename T> AKGEN_INLINE void Name(AKGEN_C_LIST Operands, uint32_t count)                                \
    {                                                                                                                  \
        AscendC::detail::Op##_takes<T>();                                                                              \
        const AscendC::detail::CountedMask counted(count);                                                             \
        akgen::twin::vector_count(akgen::twin::VecOp::Op, AscendC::detail::dtype_of<T>(), Dst, Src0, Src1, Scalar,     \
                                  count);                                                                              \
    }                                                                                                                  \
    AKGEN_C_WAITS(Name)
#define AKGEN_C_LIST(...) __VA_ARGS__
#define AKGEN_C_RAW(address) AscendC::detail::raw(address)

#define AKGEN_C_UNARY(Name, Op)                                                                                        \
    AKGEN_C_FORMS(Name, Op, (__ubuf__ T * dst, __ubuf__ T * src), AKGEN_C_RAW(dst), AKGEN_C_RAW(src), {}, 0)           \
    template <typename T>                                                                                              \
    AKGEN_INLINE void Name(__ubuf__ T *dst, __ubuf__ T *src, uint8_t repeat, uint16_t dst_block_stride,                \
                           uint16_t src_block_stride, uint16_t dst_repeat_stride, uint16_t src_repeat_stride)          \
    {                                                                                                                  \
        AscendC::detail::Op##_takes<T>();                                                                              \
        akgen::twin::vector_repeat(                                                                                    \
            akgen::twin::VecOp::Op, AscendC::detail::dtype_of<T>(), AKGEN_C_RAW(dst), AKGEN_C_RAW(src), {}, 0,         \
            AscendC::detail::mask_of<false>(uint64_t{0}), repeat,                                                      \
            {{dst_block_stride, src_block_stride, 1}, {dst_repeat_stride, src_repeat_stride, 0}});                     \
    }
AKGEN_C_UNARY(asc_abs, Abs)
AKGEN_C_UNARY(asc_exp, Exp)
AKGEN_C_UNARY(asc_log, Ln)
AKGEN_C_UNARY(asc_not, Not)
AKGEN_C_UNARY(asc_rcp, Reciprocal)
AKGEN_C_UNARY(asc_relu, Relu)
AKGEN_C_UNARY(asc_rsqrt, Rsqrt)
AKGEN_C_UNARY(asc_sqrt, Sqrt)
#undef AKGEN_C_UNARY

#define AKGEN_C_BINARY(Name, Op)                                                                                       \
    AKGEN_C_FORMS(Name, Op, (__ubuf__ T * dst, __ubuf__ T * src0, __ubuf__ T * src1), AKGEN_C_RAW(dst),                \
                  AKGEN_C_RAW(src0), AKGEN_C_RAW(src1), 0)                                                             \
    template <typename T>                                                                                              \
    AKGEN_INLINE void Name(__ubuf__ T *dst, __ubuf__ T *src0, __ubuf__ T *src1, uint8_t repeat,                        \
                           uint8_t dst_block_stride, uint8_t src0_block_stride, uint8_t src1_block_stride,             \
                           uint8_t dst_repeat_stride, uint8_t src0_repeat_stride, uint8_t src1_repeat_stride)          \
    {                                                                                                                  \
        AscendC::detail::Op##_takes<T>();                                                                              \
        akgen::twin::vector_repeat(akgen::twin::VecOp::Op, AscendC::detail::dtype_of<T>(), AKGEN_C_RAW(dst),           \
                                   AKGEN_C_RAW(src0), AKGEN_C_RAW(src1), 0,                                            \
                                   AscendC::detail::mask_of<false>(uint64_t{0}), repeat,                               \
                                   {{dst_block_stride, src0_block_stride, src1_block_stride},                          \
                                    {dst_repeat_stride, src0_repeat_stride, src1_repeat_stride}});                     \
    }
AKGEN_C_BINARY(asc_add, Add)
AKGEN_C_BINARY(asc_sub, Sub)
AKGEN_C_BINARY(asc_mul, Mul)
AKGEN_C_BINARY(asc_div, Div)
AKGEN_C_BINARY(asc_max, Max)
AKGEN_C_BINARY(asc_min, Min)
AKGEN_C_BINARY(asc_and, And)
AKGEN_C_BINARY(asc_or, Or)
AKGEN_C_BINARY(asc_add_relu, AddRelu)
AKGEN_C_BINARY(asc_sub_relu, SubRelu)
AKGEN_C_BINARY(asc_mul_add, FusedMulAdd)
AKGEN_C_BINARY(asc_mul_add_relu, FusedMulAddRelu)
#undef AKGEN_C_BINARY

// The scalar has the elements' type; a number of bits is a number.
#define AKGEN_C_SCALAR(Name, Op, Value)                                                                                \
    AKGEN_C_FORMS(Name, Op, (__ubuf__ T * dst, __ubuf__ T * src, Value value), AKGEN_C_RAW(dst), AKGEN_C_RAW(src), {}, \
                  AscendC::detail::bits(static_cast<T>(value)))                                                        \
    template <typename T>                                                                                              \
    AKGEN_INLINE void Name(__ubuf__ T *dst, __ubuf__ T *src, Value value, uint8_t repeat, uint16_t dst_block_stride,   \
                           uint16_t src_block_stride, uint16_t dst_repeat_stride, uint16_t src_repeat_stride)          \
    {                                                                                                                  \
        AscendC::detail::Op##_takes<T>();                                                                              \
        akgen::twin::vector_repeat(                                                                                    \
            akgen::twin::VecOp::Op, AscendC::detail::dtype_of<T>(), AKGEN_C_RAW(dst), AKGEN_C_RAW(src), {},            \
            AscendC::detail::bits(static_cast<T>(value)), AscendC::detail::mask_of<false>(uint64_t{0}), repeat,        \
            {{dst_block_stride, src_block_stride, 1}, {dst_repeat_stride, src_repeat_stride, 0}});                     \
    }
AKGEN_C_SCALAR(asc_add_scalar, Adds, AscendC::detail::Itself<T>)
AKGEN_C_SCALAR(asc_mul_scalar, Muls, AscendC::detail::Itself<T>)
AKGEN_C_SCALAR(asc_max_scalar, Maxs, AscendC::detail::Itself<T>)
AKGEN_C_SCALAR(asc_min_scalar, Mins, AscendC::detail::Itself<T>)
AKGEN_C_SCALAR(asc_leakyrelu, LeakyRelu, AscendC::detail::Itself<T>)
AKGEN_C_SCALAR(asc_shiftleft, ShiftLeft, uint32_t)
AKGEN_C_SCALAR(asc_shiftright, ShiftRight, int32_t)
#undef AKGEN_C_SCALAR
#undef AKGEN_C_FORMS

template <typename T>
AKGEN_INLINE void asc_sub_scalar(__ubuf__ T *dst, __ubuf__ T *src, AscendC::detail::Itself<T> value, uint32_t count)
{
    asc_add_scalar(dst, src, static_cast<T>(-value), count);
}
template <typename T>
AKGEN_INLINE void asc_sub_scalar(__ubuf__ T *dst, __ubuf__ T *src, AscendC::detail::Itself<T> value, uint8_t repeat,
                                 uint16_t dst_block_stride, uint16_t src_block_stride, uint16_t dst_repeat_stride,
                                 uint16_t src_repeat_stride)
{
    asc_add_scalar(dst, src, static_cast<T>(-value), repeat, dst_block_stride, src_block_stride, dst_repeat_stride,
                   src_repeat_stride);
}
AKGEN_C_WAITS(asc_sub_scalar)

// dst += src0 * src1 and dst += src * value; a sum in float of halves is one instruction, too.
template <typename T, typename U>
AKGEN_INLINE void asc_fma(__ubuf__ T *dst, __ubuf__ U *src0, __ubuf__ U *src1, uint32_t count)
{
    AscendC::detail::MulAddDst_pair<T, U>();
    const AscendC::detail::CountedMask counted(count);
    akgen::twin::vector_count(std::is_same_v<T, U> ? akgen::twin::VecOp::MulAddDst : akgen::twin::VecOp::MulAddDstWide,
                              AscendC::detail::dtype_of<U>(), AKGEN_C_RAW(dst), AKGEN_C_RAW(src0), AKGEN_C_RAW(src1), 0,
                              count);
}
template <typename T, typename U>
AKGEN_INLINE void asc_axpy(__ubuf__ T *dst, __ubuf__ U *src, AscendC::detail::Itself<U> value, uint32_t count)
{
    AscendC::detail::Axpy_pair<T, U>();
    const AscendC::detail::CountedMask counted(count);
    akgen::twin::vector_count(std::is_same_v<T, U> ? akgen::twin::VecOp::Axpy : akgen::twin::VecOp::AxpyWide,
                              AscendC::detail::dtype_of<U>(), AKGEN_C_RAW(dst), AKGEN_C_RAW(src), {},
                              AscendC::detail::bits(value), count);
}
AKGEN_C_WAITS(asc_fma)
AKGEN_C_WAITS(asc_axpy)

template <typename T> AKGEN_INLINE void asc_duplicate(__ubuf__ T *dst, AscendC::detail::Itself<T> src, uint32_t count)
{
    AscendC::detail::Duplicate_takes<T>();
    const AscendC::detail::CountedMask counted(count);
    akgen::twin::vector_count(akgen::twin::VecOp::Duplicate, AscendC::detail::dtype_of<T>(), AKGEN_C_RAW(dst), {}, {},
                              AscendC::detail::bits(src), count);
}
template <typename T>
AKGEN_INLINE void asc_duplicate(__ubuf__ T *dst, AscendC::detail::Itself<T> src, uint8_t repeat,
                                uint16_t dst_block_stride, uint16_t dst_repeat_stride)
{
    AscendC::detail::Duplicate_takes<T>();
    akgen::twin::vector_repeat(akgen::twin::VecOp::Duplicate, AscendC::detail::dtype_of<T>(), AKGEN_C_RAW(dst), {}, {},
                               AscendC::detail::bits(src), AscendC::detail::mask_of<false>(uint64_t{0}), repeat,
                               {{dst_block_stride, 1, 1}, {dst_repeat_stride, 0, 0}});
}
AKGEN_C_WAITS(asc_duplicate)

template <typename T>
AKGEN_INLINE void asc_copy(__ubuf__ T *dst, __ubuf__ T *src, uint8_t repeat, uint16_t dst_block_stride,
                           uint16_t src_block_stride, uint16_t dst_repeat_stride, uint16_t src_repeat_stride)
{
    AscendC::detail::Copy_takes<T>();
    akgen::twin::copy_repeats(AKGEN_C_RAW(dst), AKGEN_C_RAW(src), 0, 0, true, repeat, dst_block_stride,
                              src_block_stride, dst_repeat_stride, src_repeat_stride, AscendC::detail::dtype_of<T>());
}
template <typename T> AKGEN_INLINE void asc_copy(__ubuf__ T *dst, __ubuf__ T *src, uint32_t count)
{
    const AscendC::detail::CountedMask counted(count);
    asc_copy(dst, src, uint8_t{1}, 1, 1, 8, 8);
}
AKGEN_C_WAITS(asc_copy)
// 16 rows of 16 elements.
template <typename T> AKGEN_INLINE void asc_transpose(__ubuf__ T *dst, __ubuf__ T *src)
{
    AscendC::detail::Transpose_takes<T>();
    akgen::twin::transpose_square("asc_transpose", AKGEN_C_RAW(dst), AKGEN_C_RAW(src));
}
AKGEN_C_WAITS(asc_transpose)

// What stands behind a conversion's name says how it rounds.
#define AKGEN_C_CONVERT(Name, To, From, Mode)                                                                          \
    AKGEN_INLINE void Name(__ubuf__ To *dst, __ubuf__ From *src, uint32_t count)                                       \
    {                                                                                                                  \
        const AscendC::detail::CountedMask counted(count);                                                             \
        akgen::twin::cast_count(AscendC::detail::dtype_of<To>(), AscendC::detail::dtype_of<From>(), AKGEN_C_RAW(dst),  \
                                AKGEN_C_RAW(src), static_cast<uint8_t>(AscendC::RoundMode::Mode), count);              \
    }                                                                                                                  \
    AKGEN_INLINE void Name(__ubuf__ To *dst, __ubuf__ From *src, uint8_t repeat, uint16_t dst_block_stride,            \
                           uint16_t src_block_stride, uint16_t dst_repeat_stride, uint16_t src_repeat_stride)          \
    {                                                                                                                  \
        akgen::twin::cast_repeat(                                                                                      \
            AscendC::detail::dtype_of<To>(), AscendC::detail::dtype_of<From>(), AKGEN_C_RAW(dst), AKGEN_C_RAW(src),    \
            static_cast<uint8_t>(AscendC::RoundMode::Mode), AscendC::detail::mask_of<false>(uint64_t{0}), repeat,      \
            {{dst_block_stride, src_block_stride, 1}, {dst_repeat_stride, src_repeat_stride, 0}});                     \
    }                                                                                                                  \
    AKGEN_C_WAITS(Name)
#define AKGEN_C_ROUNDED(Name, To, From)                                                                                \
    AKGEN_C_CONVERT(Name##_rn, To, From, CAST_RINT)                                                                    \
    AKGEN_C_CONVERT(Name##_rna, To, From, CAST_ROUND)                                                                  \
    AKGEN_C_CONVERT(Name##_rd, To, From, CAST_FLOOR)                                                                   \
    AKGEN_C_CONVERT(Name##_ru, To, From, CAST_CEIL)                                                                    \
    AKGEN_C_CONVERT(Name##_rz, To, From, CAST_TRUNC)
AKGEN_C_CONVERT(asc_half2float, float, half, CAST_NONE)
AKGEN_C_CONVERT(asc_bfloat162float, float, bfloat16_t, CAST_NONE)
AKGEN_C_CONVERT(asc_int162float, float, int16_t, CAST_NONE)
AKGEN_C_CONVERT(asc_int322float, float, int32_t, CAST_NONE)
AKGEN_C_CONVERT(asc_int162half, half, int16_t, CAST_NONE)
AKGEN_C_CONVERT(asc_int82half, half, int8_t, CAST_NONE)
AKGEN_C_CONVERT(asc_uint82half, half, uint8_t, CAST_NONE)
AKGEN_C_CONVERT(asc_int42half, half, AscendC::int4b_t, CAST_NONE)
AKGEN_C_CONVERT(asc_half2int4, AscendC::int4b_t, half, CAST_NONE)
AKGEN_C_CONVERT(asc_float2half, half, float, CAST_NONE)
AKGEN_C_CONVERT(asc_float2half_ro, half, float, CAST_ODD)
AKGEN_C_CONVERT(asc_half2int8, int8_t, half, CAST_NONE)
AKGEN_C_CONVERT(asc_half2uint8, uint8_t, half, CAST_NONE)
AKGEN_C_CONVERT(asc_int322int16, int16_t, int32_t, CAST_NONE)
AKGEN_C_CONVERT(asc_int322int64, int64_t, int32_t, CAST_NONE)
AKGEN_C_CONVERT(asc_int642int32, int32_t, int64_t, CAST_NONE)
AKGEN_C_CONVERT(asc_deq_int322half, half, int32_t, CAST_NONE)
AKGEN_C_ROUNDED(asc_float2half, half, float)
AKGEN_C_ROUNDED(asc_float2bfloat16, bfloat16_t, float)
AKGEN_C_ROUNDED(asc_float2float, float, float)
AKGEN_C_ROUNDED(asc_float2int16, int16_t, float)
AKGEN_C_ROUNDED(asc_float2int32, int32_t, float)
AKGEN_C_ROUNDED(asc_float2int64, int64_t, float)
AKGEN_C_ROUNDED(asc_half2int4, AscendC::int4b_t, half)
AKGEN_C_ROUNDED(asc_half2int8, int8_t, half)
AKGEN_C_ROUNDED(asc_half2uint8, uint8_t, half)
AKGEN_C_ROUNDED(asc_half2int16, int16_t, half)
AKGEN_C_ROUNDED(asc_half2int32, int32_t, half)
AKGEN_C_ROUNDED(asc_bfloat162int32, int32_t, bfloat16_t)
AKGEN_C_ROUNDED(asc_int162half, half, int16_t)
AKGEN_C_ROUNDED(asc_int322float, float, int32_t)
AKGEN_C_ROUNDED(asc_int642float, float, int64_t)
#undef AKGEN_C_ROUNDED
#undef AKGEN_C_CONVERT
#undef AKGEN_C_RAW
#undef AKGEN_C_LIST
#undef AKGEN_C_WAITS
