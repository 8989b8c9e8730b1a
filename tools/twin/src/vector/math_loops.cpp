// What the mathematical APIs compute: in double, rounded once to float. The chip's polynomials are less exact (about
// 1e-6 relative in float); the twin gives the exact value.
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("no-math-errno", "no-trapping-math")
#endif
#include "libm.h"

#include "math_loops.h"

namespace akgen::twin {
namespace {

// For x = 1 + 2 + ... the recurrence lifts x above 10, where the asymptotic series is exact to double.
double digamma(double x)
{
    if (x <= 0 && x == __builtin_floor(x)) {
        return __builtin_nan("");
    }
    double result = 0;
    if (x < 0) { // reflection
        const double pi = 3.14159265358979323846;
        return digamma(1 - x) - pi / tan(pi * x);
    }
    while (x < 10) {
        result -= 1 / x;
        x += 1;
    }
    const double f = 1 / (x * x);
    const double tail = f * (1.0 / 12 - f * (1.0 / 120 - f * (1.0 / 252 - f * (1.0 / 240 - f * (1.0 / 132)))));
    return result + log(x) - 0.5 / x - tail;
}

constexpr double kSqrt2OverPi = 0.79788456080286535588;

template <typename F> void each(float *dst, const float *x, const float *, float, size_t n, F f)
{
#pragma GCC ivdep
    for (size_t i = 0; i < n; ++i) {
        dst[i] = static_cast<float>(f(static_cast<double>(x[i])));
    }
}
template <typename F> void each2(float *dst, const float *x, const float *y, size_t n, F f)
{
#pragma GCC ivdep
    for (size_t i = 0; i < n; ++i) {
        dst[i] = static_cast<float>(f(static_cast<double>(x[i]), static_cast<double>(y[i])));
    }
}

// 1 / (1 + e^-x); the double exponential neither overflows nor loses the tail of a float.
inline double logistic(double x) { return 1.0 / (1.0 + exp(-x)); }
// x (1 + tanh u) / 2 = x / (1 + e^-2u), which does not cancel for large negative x.
inline double gelu(double x) { return x / (1.0 + exp(-2.0 * kSqrt2OverPi * (x + 0.044715 * x * x * x))); }

} // namespace

void math_loop(MathOp op, float *d, const float *x, const float *y, float scalar, size_t n)
{
    const double s = static_cast<double>(scalar);
#define AKGEN_EACH(Name, Expr)                                                                                         \
    case MathOp::Name: return each(d, x, y, scalar, n, [=](double a) { return Expr; });
#define AKGEN_EACH2(Name, Expr)                                                                                        \
    case MathOp::Name: return each2(d, x, y, n, [=](double a, double b) { return Expr; });
    switch (op) {
        AKGEN_EACH(Tanh, tanh(a))
        AKGEN_EACH(Sin, sin(a))
        AKGEN_EACH(Cos, cos(a))
        AKGEN_EACH(Tan, tan(a))
        AKGEN_EACH(Asin, asin(a))
        AKGEN_EACH(Acos, acos(a))
        AKGEN_EACH(Atan, atan(a))
        AKGEN_EACH(Sinh, sinh(a))
        AKGEN_EACH(Cosh, cosh(a))
        AKGEN_EACH(Asinh, asinh(a))
        AKGEN_EACH(Acosh, acosh(a))
        AKGEN_EACH(Atanh, atanh(a))
        AKGEN_EACH(Erf, erf(a))
        AKGEN_EACH(Erfc, erfc(a))
        AKGEN_EACH(Log, log(a))
        AKGEN_EACH(Log2, log2(a))
        AKGEN_EACH(Log10, log10(a))
        AKGEN_EACH(Exp, exp(a))
        AKGEN_EACH(Floor, __builtin_floor(a))
        AKGEN_EACH(Ceil, __builtin_ceil(a))
        AKGEN_EACH(Round, __builtin_rint(a)) // the API rounds halves to even
        AKGEN_EACH(Trunc, __builtin_trunc(a))
        AKGEN_EACH(Frac, a - __builtin_trunc(a))
        AKGEN_EACH(Sign, (a > 0 ? 1.0 : a < 0 ? -1.0 : a))
        AKGEN_EACH(Lgamma, lgamma(a))
        AKGEN_EACH(Digamma, digamma(a))
        AKGEN_EACH(Sigmoid, logistic(a))
        AKGEN_EACH(Silu, a / (1.0 + exp(-a)))
        AKGEN_EACH(Gelu, gelu(a))
        AKGEN_EACH(FasterGelu, a / (1.0 + exp(-1.702 * a)))
        AKGEN_EACH(FasterGeluV2, a / (1.0 + exp(-1.702 * a)))
        AKGEN_EACH(Swish, a / (1.0 + exp(-s * a)))
        AKGEN_EACH(ClampMax, (a > s ? s : a))
        AKGEN_EACH(ClampMin, (a < s ? s : a))
        AKGEN_EACH2(Power, pow(a, b))
        AKGEN_EACH2(Fmod, fmod(a, b))
        AKGEN_EACH2(ReGlu, a * (b < 0 ? 0.0 : b))
        AKGEN_EACH2(GeGLU, a * gelu(b))
        AKGEN_EACH2(SwiGLU, a * b / (1.0 + exp(-s * b)))
    case MathOp::COUNT: break;
    }
#undef AKGEN_EACH
#undef AKGEN_EACH2
}

} // namespace akgen::twin
