// Runtime entry points of the SoftMax family: rows of a matrix, one call for all of them.
#pragma once
#include "akgen/vector.h"

namespace akgen::twin {

enum class SoftmaxKind : uint8_t {
#define AKGEN_SOFTMAX(Name, ...) Name,
#include "akgen/tables/library.def"
    COUNT,
};

// Statistics (sum, maximum, ...) have one block of 32 bytes per row, filled with the row's value. Absent tensors are
// {}.
struct SoftmaxCall {
    SoftmaxKind kind;
    DType type;            // of dst and src
    DType statistic;       // of sum and max
    View dst, src, second; // second: grad of SoftmaxGrad
    View sum, max, exp_max, in_sum, in_max;
    View work;
    uint32_t rows, columns; // as stored
    uint32_t valid_rows, valid_columns;
    bool update;
    bool fractal; // NZ: blocks of 16 columns, each with all rows
    bool narrow;  // a row's statistic is one element, else it fills 32 bytes
    View row_max; // of this tile alone, written if `update`
};
AKGEN_API void softmax(const SoftmaxCall &call);

// SoftmaxFlashV3: half rows, cut into `parts` of equal length whose means are shifted towards the row's.
struct ShiftedSoftmax {
    View dst, mean, sum, max, src, exp_max, in_mean, in_sum, in_max, work;
    uint32_t rows, columns, loop, parts;
    float alpha;
    bool update;
};
AKGEN_API void shifted_softmax(const ShiftedSoftmax &call);

// Where a row's statistic has the bit pattern `from`, fill the row of `result` with `to`. True: at least one row had
// it.
AKGEN_API bool adjust_softmax(DType type, DType statistic, View result, View max, uint32_t from, uint64_t to,
                              uint32_t rows, uint32_t columns, bool fractal);

} // namespace akgen::twin
