// Sums and extremes of contiguous elements.
#include "loops.h"

#include "reduce.h"
#include <algorithm>
#include <cstring>
#include <vector>

namespace akgen::twin {
namespace {

void level(float *v, uint32_t n, bool half)
{
    for (uint32_t i = 0; i < n; ++i) {
        v[i] = v[2 * i] + v[2 * i + 1];
    }
    if (half) {
        uint16_t rounded[64];
        narrow_half(v, rounded, n);
        widen_half(rounded, v, n);
    }
}

// 64 floats at a time, the levels side by side over whole repeats.
void repeat_sums(const float *data, uint64_t repeats, float *out)
{
    for (uint64_t r = 0; r < repeats; ++r) {
        const float *x = data + r * 64;
        float a[32], b[16], c[8];
        for (int i = 0; i < 32; ++i) {
            a[i] = x[2 * i] + x[2 * i + 1];
        }
        for (int i = 0; i < 16; ++i) {
            b[i] = a[2 * i] + a[2 * i + 1];
        }
        for (int i = 0; i < 8; ++i) {
            c[i] = b[2 * i] + b[2 * i + 1];
        }
        out[r] = ((c[0] + c[1]) + (c[2] + c[3])) + ((c[4] + c[5]) + (c[6] + c[7]));
    }
}

// Pairs of neighbours. Of equals the first stays, and a NaN.
template <bool largest> void extreme_level(float *v, uint32_t n)
{
    float first[64], second[64];
    for (uint32_t i = 0; i < n; ++i) {
        first[i] = v[2 * i];
        second[i] = v[2 * i + 1];
    }
    for (uint32_t i = 0; i < n; ++i) {
        const bool more = largest ? second[i] > first[i] : second[i] < first[i];
        v[i] = (first[i] == first[i]) & (more | (second[i] != second[i])) ? second[i] : first[i];
    }
}

// Until one of each eighth is left.
template <bool largest> void extreme_levels(float *v, uint32_t lanes)
{
    if (lanes == 64) { // of constant lengths: the compiler makes shuffles of it
        extreme_level<largest>(v, 32);
        extreme_level<largest>(v, 16);
        extreme_level<largest>(v, 8);
        return;
    }
    for (uint32_t n = lanes / 2; n >= 8; n /= 2) {
        extreme_level<largest>(v, n);
    }
}

// As many floats as the widest vectors take; the compiler splits them where they are narrower.
constexpr uint64_t wide = 16;
typedef float Floats __attribute__((vector_size(wide * sizeof(float))));
typedef int32_t Mask __attribute__((vector_size(wide * sizeof(float)))); // all ones where a comparison holds

Floats load(const float *x)
{
    Floats v;
    std::memcpy(&v, x, sizeof v);
    return v;
}
bool any(const Mask &m)
{
    int32_t all = 0;
    for (uint64_t k = 0; k < wide; ++k) {
        all |= m[k];
    }
    return all != 0;
}

// The largest or smallest of `n`, at least 1; any NaN if there is one.
template <bool largest> float extreme_value(const float *x, uint64_t n)
{
    constexpr uint64_t chains = 4; // comparisons under way at the same time
    float value = x[0];
    uint64_t i = 0;
    if (n >= wide * chains) {
        Floats run[chains];
        Mask nan = {};
        for (uint64_t c = 0; c < chains; ++c) {
            run[c] = load(x + c * wide);
        }
        for (; i + wide * chains <= n; i += wide * chains) {
            for (uint64_t c = 0; c < chains; ++c) {
                const Floats v = load(x + i + c * wide);
                run[c] = (largest ? v > run[c] : v < run[c]) ? v : run[c];
                nan |= v != v;
            }
        }
        if (any(nan)) {
            return NAN;
        }
        for (uint64_t k = 0; k < wide * chains; ++k) {
            const float v = run[k / wide][k % wide];
            value = (largest ? v > value : v < value) ? v : value;
        }
    }
    for (; i < n; ++i) {
        value = beats(largest ? Reduce::MAX : Reduce::MIN, x[i], value) ? x[i] : value;
    }
    return value;
}

// The first element that equals `value`, of those before `n` that do; NaN equals NaN.
uint64_t place_of(float value, const float *x, uint64_t n)
{
    uint64_t at = 0;
    if (value == value) {
        const auto equal = [&](uint64_t c) { return load(x + at + c * wide) == value; };
        while (at + 4 * wide <= n && !any(equal(0) | equal(1) | equal(2) | equal(3))) {
            at += 4 * wide;
        }
    }
    while (at < n - 1 && !(x[at] == value || (value != value && x[at] != x[at]))) {
        ++at;
    }
    return at;
}

// First of equals; the first NaN before all.
Extreme extreme(Reduce op, const float *x, uint64_t n)
{
    const float value = op == Reduce::MAX ? extreme_value<true>(x, n) : extreme_value<false>(x, n);
    const uint64_t at = place_of(value, x, n);
    return Extreme{x[at], at};
}

} // namespace

void tree_sum_blocks(float *v, uint32_t lanes, bool half)
{
    if (!half && lanes == 64) { // of constant length: the compiler makes shuffles of it
        float a[32], b[16];
        for (int i = 0; i < 32; ++i) {
            a[i] = v[2 * i] + v[2 * i + 1];
        }
        for (int i = 0; i < 16; ++i) {
            b[i] = a[2 * i] + a[2 * i + 1];
        }
        for (int i = 0; i < 8; ++i) {
            v[i] = b[2 * i] + b[2 * i + 1];
        }
        return;
    }
    for (uint32_t n = lanes / 2; n >= 8; n /= 2) {
        level(v, n, half);
    }
}

float tree_sum(float *v, uint32_t lanes, bool half)
{
    if (!half && lanes == 64) {
        tree_sum_blocks(v, lanes, half);
        return ((v[0] + v[1]) + (v[2] + v[3])) + ((v[4] + v[5]) + (v[6] + v[7]));
    }
    for (uint32_t n = lanes / 2; n >= 1; n /= 2) {
        level(v, n, half);
    }
    return v[0];
}

void extreme_blocks(Reduce op, float *v, uint32_t lanes)
{
    if (op == Reduce::MAX) {
        extreme_levels<true>(v, lanes);
    } else {
        extreme_levels<false>(v, lanes);
    }
}

float span_sum(DType type, const uint8_t *data, uint64_t n)
{
    const bool half = type == DType::F16;
    const uint32_t lanes = half ? 128 : 64;
    std::vector<float> sums((n + lanes - 1) / lanes + 1);
    const uint64_t whole = n / lanes;
    float lane[128];
    if (!half) {
        repeat_sums(reinterpret_cast<const float *>(data), whole, sums.data());
    } else {
        for (uint64_t r = 0; r < whole; ++r) {
            widen_half(reinterpret_cast<const uint16_t *>(data) + r * lanes, lane, lanes);
            sums[r] = tree_sum(lane, lanes, true);
        }
    }
    uint64_t left = whole;
    if (n % lanes) {
        for (uint32_t i = 0; i < lanes; ++i) {
            lane[i] = i < n % lanes ? load_real(type, data, whole * lanes + i) : 0.0f;
        }
        sums[left++] = tree_sum(lane, lanes, half);
    }
    while (left > 1) { // the results of one pass are the elements of the next
        uint64_t next = 0;
        for (uint64_t at = 0; at < left; at += lanes) {
            for (uint32_t i = 0; i < lanes; ++i) {
                lane[i] = at + i < left ? sums[at + i] : 0.0f;
            }
            sums[next++] = tree_sum(lane, lanes, half);
        }
        left = next;
    }
    return left ? sums[0] : 0.0f;
}

Extreme span_extreme(Reduce op, DType type, const uint8_t *data, uint64_t n)
{
    if (type == DType::F32) {
        return extreme(op, reinterpret_cast<const float *>(data), n);
    }
    Extreme best{load_real(type, data, 0), 0};
    float values[chunk_elements];
    for (uint64_t at = 0; at < n; at += chunk_elements) {
        const uint64_t m = std::min<uint64_t>(n - at, chunk_elements);
        widen_half(reinterpret_cast<const uint16_t *>(data) + at, values, m);
        const Extreme e = extreme(op, values, m);
        if (beats(op, e.value, best.value)) {
            best = Extreme{e.value, at + e.index};
        }
    }
    return best;
}

} // namespace akgen::twin
