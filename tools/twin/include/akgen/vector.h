// Runtime entry points of the element-wise vector instructions. The wrappers in ascendc/vector_*.h resolve dtypes and
// forms and call these; one call is one hardware instruction on pipe V.
#pragma once
#include "akgen/runtime.h"

namespace akgen::twin {

enum class VecOp : uint8_t {
#define AKGEN_UNARY(Name, ...) Name,
#define AKGEN_BINARY(Name, ...) Name,
#define AKGEN_SCALAR(Name, ...) Name,
#define AKGEN_VARIANT(Row, ...) Row,
#include "akgen/tables/vector.def"
    COUNT,
};

// How a call says which lanes of a repeat take part.
enum class MaskForm : uint8_t {
    BITS,     // lo, hi: one bit per lane
    LENGTH,   // lo: the first `lo` lanes of each repeat (in counter mode: of the whole instruction)
    REGISTER, // isSetMask = false: what SetVectorMask left
};
struct MaskArg {
    uint64_t lo, hi;
    MaskForm form;
};
// In blocks of 32 bytes. Order: destination, first source, second source.
struct Strides {
    uint16_t block[3];
    uint16_t repeat[3];
};

// `type` is the type of the sources; `scalar` holds the bit pattern of the scalar operand. Absent operands are {}.
AKGEN_API void vector_count(VecOp op, DType type, View dst, View src0, View src1, uint64_t scalar, int64_t count);
AKGEN_API void vector_repeat(VecOp op, DType type, View dst, View src0, View src1, uint64_t scalar, MaskArg mask,
                             uint32_t repeat, const Strides &strides);

// `round` is AscendC::RoundMode as a number.
AKGEN_API void cast_count(DType to, DType from, View dst, View src, uint8_t round, int64_t count);
AKGEN_API void cast_repeat(DType to, DType from, View dst, View src, uint8_t round, MaskArg mask, uint32_t repeat,
                           const Strides &strides);
AKGEN_API void set_deq_scale(float scale);
// Of arithmetic and conversions: whether half and bfloat16_t, and whether integers of Cast, end at their largest numbers.
AKGEN_API void set_saturation(bool of_casts, bool on);
AKGEN_API bool saturation(bool of_casts);
// Scale, offset and sign for narrowing int16: one of each, or 16 words of them that repeat (scale in the low half, then
// 5 bits, 9 bits of offset, the sign).
AKGEN_API void set_deq(float scale, int16_t offset, bool is_signed);
AKGEN_API void set_deq_table(View table);
// int16 to int8 or uint8: 16 elements fill one half of a block of 32 bytes, the other half stays.
AKGEN_API void narrow_count(DType to, View dst, View src, bool table, bool upper, int64_t count);
AKGEN_API void narrow_repeat(DType to, View dst, View src, bool table, bool upper, MaskArg mask, uint32_t repeat,
                             const Strides &strides);

// The mask register of this core (SetMaskNorm, SetMaskCount, SetVectorMask, ResetMask).
AKGEN_API void mask_mode(bool counter);
AKGEN_API void mask_bits(uint64_t hi, uint64_t lo);
AKGEN_API void mask_length(uint64_t length, DType type, bool counter);

} // namespace akgen::twin
