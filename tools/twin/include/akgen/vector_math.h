// Runtime entry points of the mathematical and activation APIs: one call is the sequence of instructions that the API
// is made of.
#pragma once
#include "akgen/vector.h"

namespace akgen::twin {

enum class MathOp : uint8_t {
#define AKGEN_MATH(Name, ...) Name,
#define AKGEN_MATH_PAIR(Name, ...) Name,
#define AKGEN_CLAMP(Name, ...) Name,
#define AKGEN_GELU(Name, ...) Name,
#define AKGEN_GATED(Name, ...) Name,
#define AKGEN_MATH_VARIANT(Name, ...) Name,
#include "akgen/tables/math.def"
    COUNT,
};

// `work` is the API's shared temporary buffer, {} where the API takes its own from the free end of UB.
AKGEN_API void math_count(MathOp op, DType type, View dst, View src0, View src1, View work, float scalar,
                          int64_t count);
// A scalar of the element type (its bit pattern) stands for one operand of Power; `first`: for the base.
AKGEN_API void power_scalar(DType type, View dst, View src, View work, uint64_t scalar, bool first, int64_t count);
AKGEN_API void power_integer(View dst, View src0, View src1, View work, int64_t count);

AKGEN_API void xor_count(DType type, View dst, View src0, View src1, View work, int64_t count);
AKGEN_API void cumulative_sum(DType type, View dst, View last_row, View src, View work, uint32_t outer, uint32_t inner,
                              bool last_axis);

} // namespace akgen::twin
