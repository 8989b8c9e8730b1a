// What each VecOp computes, in float, integer or half.
#pragma once
#include "loops.h"

#include "estimates.h"
#include "fast_math.h"

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
