// Runtime entry points of normalisation, statistics and quantisation.
#pragma once
#include "akgen/vector.h"

namespace akgen::twin {

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

} // namespace akgen::twin
