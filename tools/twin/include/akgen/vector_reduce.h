// Runtime entry points of the reductions.
#pragma once
#include "akgen/vector.h"

namespace akgen::twin {

enum class Reduce : uint8_t { MAX, MIN, SUM, COUNT }; // AscendC::ReduceMode as a number

// One result per repeat. `order` is AscendC::ReduceOrder; SUM has one value per repeat. Strides in the API's units.
AKGEN_API void reduce_whole(Reduce op, DType type, View dst, View src, MaskArg mask, int64_t repeat, int64_t dst_repeat,
                            int64_t src_block, int64_t src_repeat, uint8_t order);
AKGEN_API void reduce_whole_as(const char *api, Reduce op, DType type, View dst, View src, MaskArg mask, int64_t repeat,
                               int64_t dst_repeat, int64_t src_block, int64_t src_repeat);
// One result per block of 32 bytes, one result per pair of neighbours.
AKGEN_API void reduce_block(Reduce op, DType type, View dst, View src, MaskArg mask, int64_t repeat, int64_t dst_repeat,
                            int64_t src_block, int64_t src_repeat);
AKGEN_API void reduce_pair(DType type, View dst, View src, MaskArg mask, int64_t repeat, int64_t dst_repeat,
                           int64_t src_block, int64_t src_repeat);
// One result for all: count form, and mask/repeat form. `index`: dst[1] receives the index's bit pattern.
AKGEN_API void reduce_count(Reduce op, DType type, View dst, View src, View work, int64_t count, bool index);
AKGEN_API void reduce_repeat(Reduce op, DType type, View dst, View src, View work, MaskArg mask, int64_t repeat,
                             int64_t src_repeat, bool index);
// Sum of all repeats into the accumulator register.
AKGEN_API void reduce_accumulate(DType type, View src, MaskArg mask, int64_t repeat, int64_t src_block,
                                 int64_t src_repeat);
AKGEN_API uint64_t accumulator();
AKGEN_API void last_extreme(uint64_t &value, uint64_t &index);

// Rows of `last` elements (`first` of them): along the last axis (AR) or along the first (RA).
AKGEN_API void reduce_pattern(Reduce op, DType type, View dst, View src, View work, uint32_t first, uint32_t last,
                              bool rows, bool mean);
enum class Fold : uint8_t { PROD, ANY, ALL, COUNT };
AKGEN_API void reduce_fold(Fold op, DType type, View dst, View src, View work, uint32_t first, uint32_t last,
                           bool rows);
// dst[0] = the sum of src0 ^ src1 over `count` elements of int16_t.
AKGEN_API void reduce_xor_sum(View dst, View src0, View src1, View work, int64_t count);
// Sum: `outer` rows, `inner` elements apart, of which `n` count; one result per row, side by side.
AKGEN_API void sum_rows(const char *api, DType type, View dst, View src, View work, uint32_t outer, uint32_t inner,
                        uint32_t n, float scale);

} // namespace akgen::twin
