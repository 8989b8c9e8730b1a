// Runtime entry points of Compare and Select.
#pragma once
#include "akgen/vector.h"

namespace akgen::twin {

// AscendC::CMPMODE
enum class CompareMode : uint8_t {
#define AKGEN_CMPMODE(Mode, symbol) Mode,
#include "akgen/tables/compare.def"
    COUNT,
};

// Warn COMPARE_MASK: the destination has elements that are no bits.
AKGEN_API void compare_into(DType dst);
// `mode` is AscendC::CMPMODE as a number. One bit per element, least significant first.
AKGEN_API void compare_count(DType type, View dst, View src0, View src1, uint8_t mode, int64_t count);
AKGEN_API void compare_repeat(DType type, View dst, View src0, View src1, uint8_t mode, MaskArg mask, uint32_t repeat,
                              const Strides &strides);
AKGEN_API void compare_scalar_count(DType type, View dst, View src, uint64_t scalar, uint8_t mode, int64_t count);
AKGEN_API void compare_scalar_repeat(DType type, View dst, View src, uint64_t scalar, uint8_t mode, MaskArg mask,
                                     uint32_t repeat, const Strides &strides);
// Into the comparison register, one repeat.
AKGEN_API void compare_register(DType type, View src0, View src1, uint8_t mode, MaskArg mask, const Strides &strides);
AKGEN_API void get_compare_mask(View dst);
AKGEN_API void set_compare_mask(View src);

// `mode` is AscendC::SELMODE as a number. Where a bit is 1 src0 is taken, else src1 or the scalar.
AKGEN_API void select_count(DType type, View dst, View bits, View src0, View src1, uint64_t scalar, uint8_t mode,
                            bool scalar_form, int64_t count);
AKGEN_API void select_repeat(DType type, View dst, View bits, View src0, View src1, uint64_t scalar, uint8_t mode,
                             bool scalar_form, MaskArg mask, uint32_t repeat, const Strides &strides);
// The comparison register holds the bits (VSEL_CMPMASK_SPR), the scalar (VSEL_TENSOR_SCALAR_MODE) or the low half of the
// address of the bits (VSEL_TENSOR_TENSOR_MODE).
AKGEN_API void select_register(DType type, View dst, View bits, View src0, View src1, uint8_t mode, uint32_t repeat,
                               const Strides &strides);

// dst = flags[i] ? src1 : src0; one source is a scalar (its View is then {}). Rows of `mask_last` flags, `flag_bytes`
// wide, hold `src_last` meaningful ones.
AKGEN_API void select_bytes(DType type, View dst, View src0, View src1, uint64_t scalar, View flags,
                            uint32_t flag_bytes, View work, uint32_t first, uint32_t src_last, uint32_t mask_last);

} // namespace akgen::twin
