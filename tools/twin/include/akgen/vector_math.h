// Runtime entry points of the APIs that the library makes of instructions: mathematical functions and activations,
// normalisation, statistics and quantisation, and the SoftMax family, of which one call takes all rows of a matrix. One call
// is the sequence of instructions that the API names.
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

// Rows of `length` elements, `stride` apart. `mean` and `variance` (one element per row) may be absent; without a
// mean the root mean square is used. gamma and beta (`length` elements) may be absent. `statistic` and `factor` are the
// types of mean and variance, and of gamma and beta, NONE: as the rows; `reciprocal`: 1 / sqrt(variance + epsilon) goes
// out in the place of the variance.
struct NormCall {
    DType type;
    View dst, src, gamma, beta, mean, variance, work;
    uint32_t rows, stride, length;
    float epsilon;
    bool centred;
    DType statistic = DType::NONE;
    DType factor = DType::NONE;
    bool reciprocal = false;
};
AKGEN_API void normalise(const NormCall &call);

// int8 = round(src * scale + offset), in half; per-channel: `channels` scales (and offsets) repeat over the elements.
AKGEN_API void quantise(DType type, View dst, View src, View work, View scales, View offsets, float scale, float offset,
                        uint32_t channels, int64_t count);
// dst = int32 * scale, rows of n elements; the scale is a tensor of n, or one value.
AKGEN_API void dequantise(DType to, DType scale_type, View dst, View src, View scales, View work, float scale,
                          uint32_t rows, uint32_t n, uint32_t count);
// dst = (src + offset) * scale for sources of 8 or 4 bits. `across`: scale and offset belong to
// rows of k, else to columns.
AKGEN_API void antiquantise(DType to, DType from, View dst, View src, View offsets, View scales, View work,
                            uint32_t rows, uint32_t columns, bool across);
// The same with one offset and one scale for all elements.
AKGEN_API void antiquantise_all(DType to, DType from, View dst, View src, View work, float offset, float scale,
                                uint64_t count);

// Runtime entry points of the norms other than LayerNorm and RmsNorm, of Welford's method and of LayerNorm's gradient.
// [n, groups * channels, stride]: `length` of `stride` elements count. Statistics per group,
// gamma and beta per channel.
struct GroupNormCall {
    DType type;
    View dst, mean, variance, src, gamma, beta, work;
    float epsilon;
    uint32_t n, groups, channels, length, stride;
};
AKGEN_API void group_norm(const GroupNormCall &call);
// [rows, columns], statistics of each column, gamma and beta of each row.
struct BatchNormCall {
    DType type;
    View dst, mean, variance, src, gamma, beta, work;
    float epsilon;
    uint32_t rows, columns;
};
AKGEN_API void batch_norm(const BatchNormCall &call);
// LayerNorm of alpha * src + gx.
AKGEN_API void deep_norm(const NormCall &call, View gx, float alpha);
// Rows whose mean and variance are known (NormCall: read, not written); `reciprocal`
// takes 1 / sqrt(variance + epsilon).
AKGEN_API void normalise_known(const NormCall &call, View reciprocal);

// dst_mean = mean + (x - mean) * share, dst_sum = sum + (x - mean) * (x - dst_mean), for the first `count` of `length`;
// in_place: the others are handed on.
struct WelfordCall {
    DType type;
    View dst_mean, dst_sum, mean, sum, src, work;
    uint32_t length, count;
    float share;
    bool in_place;
};
AKGEN_API void welford_update(const WelfordCall &call);
// One mean and variance out of `length` of each. Weights are a tensor, or head for the first
// head_length and tail after.
struct WelfordFinal {
    View dst_mean, dst_variance, mean, sum, counts, work;
    uint32_t length, rounds, head, head_length, tail, tail_length;
    float per_length, per_all;
};
AKGEN_API void welford_finalise(const WelfordFinal &call);

struct NormGradCall {
    DType type;
    View dst, for_gamma, dy, src, variance, mean, gamma, work;
    float epsilon;
    uint32_t rows, length, stride;
};
AKGEN_API void norm_grad(const NormGradCall &call);
// gamma = sum of dy * for_gamma over rows, beta = sum of dy.
AKGEN_API void norm_grad_factors(DType type, View dst_gamma, View dst_beta, View for_gamma, View dy, View work,
                                 uint32_t rows, uint32_t length, uint32_t stride);

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
