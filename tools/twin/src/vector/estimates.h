// What the vector unit makes of Reciprocal and Rsqrt: estimates of nine significant bits, from tables of the leading bits,
// for float as for half. Sources: the vendor's pages "vec_rec" and "vec_rsqrt" (TIK API reference, Atlas A2) say that one
// part in ten thousand is not met for float nor one in a thousand for half, and print 0.83203125 for 1 / 1.2017815,
// -0.11401367 for 1 / -8.758528, -0.734375 for 1 / -1.3599057 and 0.998, 0.705, 0.576, 0.499 for the inverse roots of 1 to
// 4. These come out here, and so does the 0.69140625 that a 910B gave for 0.6919. Numbers below the smallest normal one
// are taken as they are; the pages leave 0 and, for Rsqrt, negative numbers open: here IEEE's infinity and NaN.
#pragma once
#include "fast_math.h"

namespace akgen::twin {

struct Estimates {
    float reciprocal[256]{}; // of 1.m, by the leading 8 bits of m: that of the middle of the step
    float root[256]{};       // inverse roots: of [2, 4) by the leading 7 bits of m, then of [1, 2)
};

constexpr Estimates make_estimates()
{
    Estimates made;
    for (uint32_t m = 0; m < 256; ++m) {
        const uint32_t middle = 2 * (256 + m) + 1;
        made.reciprocal[m] = static_cast<float>(((1u << 19) / middle + 1) / 2) / 512.0f;
    }
    for (uint32_t m = 0; m < 256; ++m) {
        const uint32_t middle = m < 128 ? 2 * (257 + 2 * m) : 2 * m + 1;
        uint32_t root = 512;
        while (middle * (root + 1) * (root + 1) < 1u << 28) {
            ++root;
        }
        made.root[m] = static_cast<float>((root + 1) / 2) / 512.0f;
    }
    return made;
}
inline constexpr Estimates estimates = make_estimates();

constexpr float smallest_normal = 1.17549435e-38f;
constexpr float lift = 16777216.0f, root_of_lift = 4096.0f;

inline float reciprocal_estimate(float x)
{
    const bool tiny = __builtin_fabsf(x) < smallest_normal;
    const float scaled = tiny ? x * lift : x;
    const uint32_t word = bits_of(scaled);
    const float power = float_of(word & 0xff800000u); // with the sign
    const float y = estimates.reciprocal[word >> 15 & 0xffu] / power * (tiny ? lift : 1.0f);
    return x != x ? x : y;
}

inline float rsqrt_estimate(float x)
{
    const bool tiny = __builtin_fabsf(x) < smallest_normal;
    const uint32_t word = bits_of(tiny ? x * lift : x);
    const int32_t half = (static_cast<int32_t>(word >> 23) - 127) >> 1; // of the exponent
    const float power = float_of(static_cast<uint32_t>(127 - half) << 23);
    float y = estimates.root[word >> 16 & 0xffu] * power * (tiny ? root_of_lift : 1.0f);
    y = x < 0.0f ? __builtin_nanf("") : y;
    y = x == __builtin_inff() ? 0.0f : y;
    return x != x ? x : x == 0.0f ? 1.0f / x : y;
}

} // namespace akgen::twin
