// exp and ln for float, written so that a loop over them becomes vector code: no branches, no table, no libm.
// Error about 1 ulp over the whole range; infinities, NaN, zero, negative and subnormal arguments as in IEEE.
#pragma once
#include <cstdint>
#include <cstring>

namespace akgen::twin {

inline float float_of(uint32_t bits)
{
    float value;
    std::memcpy(&value, &bits, sizeof value);
    return value;
}
inline uint32_t bits_of(float value)
{
    uint32_t bits;
    std::memcpy(&bits, &value, sizeof bits);
    return bits;
}

inline float fast_exp(float x)
{
    // e^x = 2^n e^r, |r| <= ln2 / 2. Clamping keeps n within reach of two exponent factors; the comparisons let NaN
    // pass.
    float c = x > 89.0f ? 89.0f : x;
    c = c < -104.0f ? -104.0f : c;
    const float shifted = c * 1.44269504088896341f + 12582912.0f; // rounds to the nearest integer in the low bits
    const float n = shifted - 12582912.0f;
    float r = __builtin_fmaf(n, -0.693145751953125f, c);
    r = __builtin_fmaf(n, -1.428606765330187045e-06f, r);
    float p = 1.9875691500e-4f;
    p = __builtin_fmaf(p, r, 1.3981999507e-3f);
    p = __builtin_fmaf(p, r, 8.3334519073e-3f);
    p = __builtin_fmaf(p, r, 4.1665795894e-2f);
    p = __builtin_fmaf(p, r, 1.6666665459e-1f);
    p = __builtin_fmaf(p, r, 5.0000001201e-1f);
    p = __builtin_fmaf(p * r, r, r) + 1.0f;
    // 2^n as 2^h * 2^(n - h): one factor alone would overflow or lose subnormals.
    const int32_t whole = static_cast<int32_t>(bits_of(shifted)) - 0x4b400000;
    const int32_t h = whole >> 1;
    const float first = float_of(static_cast<uint32_t>(h + 127) << 23);
    const float second = float_of(static_cast<uint32_t>(whole - h + 127) << 23);
    const float y = p * first * second;
    return x != x ? x : y;
}

inline float fast_ln(float x)
{
    const bool tiny = x < 1.17549435e-38f;
    const float scaled = tiny ? x * 8388608.0f : x;
    const uint32_t word = bits_of(scaled);
    // mantissa in [sqrt(1/2), sqrt(2))
    const int32_t e = static_cast<int32_t>((word - 0x3f3504f3u) & 0xff800000u);
    const float m = float_of(word - static_cast<uint32_t>(e));
    const float n = static_cast<float>(e >> 23) - (tiny ? 23.0f : 0.0f);
    const float t = m - 1.0f;
    const float t2 = t * t;
    float p = 7.0376836292e-2f;
    p = __builtin_fmaf(p, t, -1.1514610310e-1f);
    p = __builtin_fmaf(p, t, 1.1676998740e-1f);
    p = __builtin_fmaf(p, t, -1.2420140846e-1f);
    p = __builtin_fmaf(p, t, 1.4249322787e-1f);
    p = __builtin_fmaf(p, t, -1.6668057665e-1f);
    p = __builtin_fmaf(p, t, 2.0000714765e-1f);
    p = __builtin_fmaf(p, t, -2.4999993993e-1f);
    p = __builtin_fmaf(p, t, 3.3333331174e-1f);
    float y = p * t * t2;
    y = __builtin_fmaf(n, -2.12194440e-4f, y);
    y = __builtin_fmaf(-0.5f, t2, y);
    float z = t + y;
    z = __builtin_fmaf(n, 0.693359375f, z);
    z = x == 0.0f ? -__builtin_inff() : z;
    z = x < 0.0f ? __builtin_nanf("") : z;
    return (x != x || x == __builtin_inff()) ? x : z;
}

} // namespace akgen::twin
