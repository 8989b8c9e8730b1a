// From L0C's float and int32 to what a kernel stores.
#pragma once
#include "akgen/runtime.h"

namespace akgen::twin {

// By the values of AscendC's QuantMode_t.
enum Quant : uint8_t {
    no_quant = 0,
    float_to_half = 1,
    float_to_8_by_column = 2,
    float_to_8 = 3,
    int_to_half_by_column = 4,
    int_to_half = 5,
    int_to_8_by_column = 8,
    int_to_8 = 9,
    float_to_brain_16 = 16,
};

struct Scale {
    float factor;
    int32_t offset;
    bool is_signed;
};
// A scale's word: a float of 19 bits in the low half, a 9-bit offset from bit 37 on, the result's sign in bit 46.
Scale scale_of(uint64_t word);
bool by_column(uint8_t quant);
bool converts(uint8_t quant, DType to, DType from);
// One element of four bytes into the destination's type.
void convert_sum(uint8_t *to, const uint8_t *from, uint8_t quant, bool relu, const Scale &scale, DType type);
// What Mmad leaves in L0C where results are to end at the largest number.
void saturate_sums(float *sums, uint64_t count);

} // namespace akgen::twin
