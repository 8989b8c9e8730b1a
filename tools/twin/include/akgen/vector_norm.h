// Runtime entry points of normalisation and quantisation.
#pragma once
#include "akgen/vector.h"

namespace akgen::twin {

// Rows of `length` elements, `stride` apart. `mean` and `variance` (one element per row) may be absent; without a
// mean the root mean square is used. gamma and beta (`length` elements) may be absent. `statistic` and `factor` are the
// types of mean and variance, and of gamma and beta, NONE: as the rows; `reciprocal`: 1 / sqrt(variance + epsilon) goes
// out in the place of the variance.
struct NormCall {
    const char *api;
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

} // namespace akgen::twin
