// What each VecOp computes, in float, integer or half.
#pragma once
#include "loops.h"

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

#define AKGEN_OP(Name, Uses, Expr)                                                                                   \
    struct Name {                                                                                                    \
        static constexpr int uses = Uses;                                                                            \
        template <typename T>                                                                                        \
        static T f([[maybe_unused]] T d, [[maybe_unused]] T a, [[maybe_unused]] T b, [[maybe_unused]] T s)           \
        {                                                                                                            \
            return static_cast<T>(Expr);                                                                             \
        }                                                                                                            \
    };

AKGEN_OP(Exp, 2, fast_exp(a))
AKGEN_OP(Ln, 2, fast_ln(a))
AKGEN_OP(Abs, 2, __builtin_fabsf(a)) // clears the sign bit, of a NaN, too: kernels pass integers through it
AKGEN_OP(Reciprocal, 2, T(1) / a)
AKGEN_OP(Sqrt, 2, __builtin_sqrtf(a))
AKGEN_OP(Rsqrt, 2, 1.0f / __builtin_sqrtf(a))
AKGEN_OP(Relu, 2, relu(a))
AKGEN_OP(Not, 2, ~a)
AKGEN_OP(Add, 6, wrap_add(a, b))
AKGEN_OP(Sub, 6, wrap_sub(a, b))
AKGEN_OP(Mul, 6, wrap_mul(a, b))
AKGEN_OP(Div, 6, a / b)
AKGEN_OP(Max, 6, larger(a, b))
AKGEN_OP(Min, 6, smaller(a, b))
AKGEN_OP(And, 6, a &b)
AKGEN_OP(Or, 6, a | b)
AKGEN_OP(AddRelu, 6, relu(wrap_add(a, b)))
AKGEN_OP(SubRelu, 6, relu(wrap_sub(a, b)))
AKGEN_OP(MulAddDst, 7, __builtin_fmaf(a, b, d))
AKGEN_OP(FusedMulAdd, 7, __builtin_fmaf(a, d, b))
AKGEN_OP(FusedMulAddRelu, 7, relu(__builtin_fmaf(a, d, b)))
AKGEN_OP(Adds, 2, wrap_add(a, s))
AKGEN_OP(Muls, 2, wrap_mul(a, s))
AKGEN_OP(Maxs, 2, larger(a, s))
AKGEN_OP(Mins, 2, smaller(a, s))
AKGEN_OP(LeakyRelu, 2, a >= T{} ? a : a * s)
AKGEN_OP(Axpy, 3, __builtin_fmaf(a, s, d))
AKGEN_OP(Duplicate, 0, s)
AKGEN_OP(Copy, 2, a)

} // namespace akgen::twin::ops
