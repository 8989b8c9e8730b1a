// Reductions of one repeat, as the hardware adds them: neighbours first, rounding after every level.
#pragma once
#include "half.h"
#include "walk.h"
#include <vector>

#include "akgen/vector.h"

namespace akgen::twin {

// `lanes` is a power of two, at most 128; inactive lanes hold 0. Destroys `v`. Half rounds after every level.
float tree_sum(float *v, uint32_t lanes, bool half);
// The same for each eighth of the lanes, whose sums come first in `v`.
void tree_sum_blocks(float *v, uint32_t lanes, bool half);
// The largest or smallest of each eighth of the lanes, all of which take part, come first in `v`; a NaN wins.
void extreme_blocks(Reduce op, float *v, uint32_t lanes);
// Sum of n contiguous elements: a tree per repeat, then trees over the results.
float span_sum(DType type, const uint8_t *data, uint64_t n);
inline float sum_of(const float *x, uint64_t n)
{
    return span_sum(DType::F32, reinterpret_cast<const uint8_t *>(x), n);
}
inline float sum_of(const std::vector<float> &v) { return sum_of(v.data(), v.size()); }

struct Extreme {
    float value;
    uint64_t index;
};
// First of equals; a NaN wins.
Extreme span_extreme(Reduce op, DType type, const uint8_t *data, uint64_t n);
inline bool beats(Reduce op, float a, float b) { return b == b && (a != a || (op == Reduce::MAX ? a > b : a < b)); }

inline float load_real(DType type, const uint8_t *data, uint64_t i)
{
    if (type == DType::F16) {
        return widen_half(reinterpret_cast<const uint16_t *>(data)[i]);
    }
    return reinterpret_cast<const float *>(data)[i];
}
inline void store_real(DType type, uint8_t *data, uint64_t i, float value)
{
    if (type == DType::F16) {
        reinterpret_cast<uint16_t *>(data)[i] = narrow_half(value);
    } else {
        reinterpret_cast<float *>(data)[i] = value;
    }
}

// The order of scores.
// A strict order even with NaN, which comes first.
inline bool above(float a, float b) { return a > b || (a != a && b == b); }

} // namespace akgen::twin
