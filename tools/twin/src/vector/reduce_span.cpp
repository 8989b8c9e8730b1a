// Sums and extremes of contiguous elements.
#include "loops.h"

#include "reduce.h"
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

} // namespace

float tree_sum(float *v, uint32_t lanes, bool half)
{
    for (uint32_t n = lanes / 2; n >= 1; n /= 2) {
        level(v, n, half);
    }
    return v[0];
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
    Extreme best{load_real(type, data, 0), 0};
    if (type == DType::F32) { // a vector pass for the value, then a search for its place
        const float *x = reinterpret_cast<const float *>(data);
        float run[16];
        for (int k = 0; k < 16; ++k) {
            run[k] = x[0];
        }
        bool nan = false;
        uint64_t i = 0;
        for (; i + 16 <= n; i += 16) {
            for (int k = 0; k < 16; ++k) {
                const float v = x[i + static_cast<uint64_t>(k)];
                run[k] = op == Reduce::MAX ? (v > run[k] ? v : run[k]) : (v < run[k] ? v : run[k]);
                nan |= v != v;
            }
        }
        if (!nan) {
            float value = run[0];
            for (int k = 1; k < 16; ++k) {
                value = beats(op, run[k], value) ? run[k] : value;
            }
            for (; i < n; ++i) {
                value = beats(op, x[i], value) ? x[i] : value;
            }
            for (uint64_t at = 0; at < n; ++at) {
                if (x[at] == value || (value != value && x[at] != x[at])) {
                    return Extreme{value, at};
                }
            }
        }
    }
    for (uint64_t i = 1; i < n; ++i) {
        const float v = load_real(type, data, i);
        if (beats(op, v, best.value)) {
            best = Extreme{v, i};
        }
    }
    return best;
}

} // namespace akgen::twin
