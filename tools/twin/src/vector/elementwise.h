// What each VecOp computes, in float, integer or half.
//
// What the vector unit makes of Reciprocal and Rsqrt: estimates of nine significant bits, from tables of the leading bits,
// for float as for half. Sources: the vendor's pages "vec_rec" and "vec_rsqrt" (TIK API reference, Atlas A2) say that one
// part in ten thousand is not met for float nor one in a thousand for half, and print 0.83203125 for 1 / 1.2017815,
// -0.11401367 for 1 / -8.758528, -0.734375 for 1 / -1.3599057 and 0.998, 0.705, 0.576, 0.499 for the inverse roots of 1 to
// 4. These come out here, and so does the 0.69140625 that a 910B gave for 0.6919. Numbers below the smallest normal one
// are taken as they are; the pages leave 0 and, for Rsqrt, negative numbers open: here IEEE's infinity and NaN.
#pragma once
#include "loops.h"

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

namespace akgen::twin::ops {

// Integer sums and products wrap, as with the control register's default; conversions saturate (cast.cpp).
template <typename T> T wrap_add(T a, T b)
{
    if constexpr (std::is_integral_v<T>) {
        using U = std::make_unsigned_t<T>;
        return static_cast<T>(static_cast<U>(static_cast<U>(a) + static_cast<U>(b)));
    } else {
        return a + b;
    }
}
template <typename T> T wrap_sub(T a, T b)
{
    if constexpr (std::is_integral_v<T>) {
        using U = std::make_unsigned_t<T>;
        return static_cast<T>(static_cast<U>(static_cast<U>(a) - static_cast<U>(b)));
    } else {
        return a - b;
    }
}
template <typename T> T wrap_mul(T a, T b)
{
    if constexpr (std::is_integral_v<T>) {
        return static_cast<T>(static_cast<uint64_t>(a) * static_cast<uint64_t>(b));
    } else {
        return a * b;
    }
}
// NaN in either operand comes out.
template <typename T> T larger(T a, T b) { return (a > b) | (a != a) ? a : b; }
template <typename T> T smaller(T a, T b) { return (a < b) | (a != a) ? a : b; }
template <typename T> T relu(T a) { return a < T{} ? T{} : a; }

// Signed types keep their sign bit: what is shifted out leaves below it. Source: ShiftLeft of the API reference, 9.0.
template <typename T> T shift_left(T a, T by)
{
    using U = std::make_unsigned_t<T>;
    constexpr U sign = std::is_signed_v<T> ? static_cast<U>(U{1} << (sizeof(T) * 8 - 1)) : U{0};
    const bool out = static_cast<int64_t>(by) >= static_cast<int64_t>(sizeof(T) * 8);
    const U moved = out ? U{0} : static_cast<U>(static_cast<uint64_t>(static_cast<U>(a)) << by);
    return static_cast<T>((moved & static_cast<U>(~sign)) | (static_cast<U>(a) & sign));
}
// A shift by at least the width of T leaves zeros, or copies of the sign.
template <typename T> T shift_right(T a, T by, bool rounds)
{
    const int64_t most = static_cast<int64_t>(sizeof(T) * 8);
    const int64_t n = static_cast<int64_t>(by) >= most ? most : static_cast<int64_t>(by);
    const int64_t wide = static_cast<int64_t>(a) + (rounds && n > 0 ? int64_t{1} << (n - 1) : 0);
    return static_cast<T>(wide >> n);
}

#define AKGEN_OP(Name, Uses, Value)                                                                                    \
    struct Name {                                                                                                      \
        static constexpr int uses = Uses;                                                                              \
        template <typename T>                                                                                          \
        static T f([[maybe_unused]] T d, [[maybe_unused]] T a, [[maybe_unused]] T b, [[maybe_unused]] T s)             \
        {                                                                                                              \
            return static_cast<T>(Value);                                                                              \
        }                                                                                                              \
    };

constexpr int reads_dst(Use use) { return use == Use::BOTH ? 1 : 0; }
#define AKGEN_UNARY(Name, dtypes, dst, value, cost) AKGEN_OP(Name, 2 | reads_dst(dst), value)
#define AKGEN_BINARY(Name, dtypes, dst, value, cost) AKGEN_OP(Name, 6 | reads_dst(dst), value)
#define AKGEN_SCALAR(Name, dtypes, dst, value, cost) AKGEN_OP(Name, 2 | reads_dst(dst), value)
#include "akgen/tables/vector.def"

// Of the variants.
AKGEN_OP(ShiftRight, 2, shift_right(a, s, false))
AKGEN_OP(ShiftRightRound, 2, shift_right(a, s, true))
AKGEN_OP(MulAddDst, 7, __builtin_fmaf(a, b, d))
AKGEN_OP(Axpy, 3, __builtin_fmaf(a, s, d))
AKGEN_OP(Duplicate, 0, s)
#undef AKGEN_OP

} // namespace akgen::twin::ops
