// Runtime entry points of the norms other than LayerNorm and RmsNorm, of Welford's method and of LayerNorm's gradient.
#pragma once
#include "akgen/vector_norm.h"

namespace akgen::twin {

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
