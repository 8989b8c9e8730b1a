// What the mathematical APIs compute: in double, rounded once to float. The chip's polynomials are less exact (about
// 1e-6 relative in float); the twin gives the exact value.
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("no-math-errno", "no-trapping-math")
#endif
#include "libm.h"

#include "facts.h"

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

constexpr double sqrt_2_over_pi = 0.79788456080286535588;

template <int sources, typename F> void each(float *dst, const float *x, const float *y, size_t n, F f)
{
#pragma GCC ivdep
    for (size_t i = 0; i < n; ++i) {
        dst[i] = static_cast<float>(f(static_cast<double>(x[i]), sources > 1 ? static_cast<double>(y[i]) : 0.0));
    }
}

// 1 / (1 + e^-x); the double exponential neither overflows nor loses the tail of a float.
inline double logistic(double x) { return 1.0 / (1.0 + exp(-x)); }
// x (1 + tanh u) / 2 = x / (1 + e^-2u), which does not cancel for large negative x.
inline double gelu(double x) { return x / (1.0 + exp(-2.0 * sqrt_2_over_pi * (x + 0.044715 * x * x * x))); }
// x (1 + erf(x / sqrt 2)) / 2 with erf as a parabola up to 1.769 and as 1 beyond; within 0.01 of the exact one.
inline double quadratic_gelu(double x)
{
    const double u = __builtin_fmin(__builtin_fabs(0.7071 * x), 1.769) - 1.769;
    return x * (__builtin_copysign(0.5 - 0.1444 * u * u, x) + 0.5);
}

} // namespace

void math_loop(MathOp op, float *d, const float *x, const float *y, float scalar, size_t n)
{
    const double s = static_cast<double>(scalar);
    switch (op) {
#define AKGEN_LOOP(Name, sources, value)                                                                               \
    case MathOp::Name:                                                                                                 \
        return each<sources>(d, x, y, n,                                                                               \
                             [=](double a, [[maybe_unused]] double b) { return static_cast<double>(value); });
#define AKGEN_MATH(Name, dtypes, value, ...) AKGEN_LOOP(Name, 1, value)
#define AKGEN_MATH_PAIR(Name, dtypes, value, ...) AKGEN_LOOP(Name, 2, value)
#define AKGEN_CLAMP(Name, dtypes, value, ...) AKGEN_LOOP(Name, 1, value)
#define AKGEN_GELU(Name, dtypes, value, ...) AKGEN_LOOP(Name, 1, value)
#define AKGEN_GATED(Name, dtypes, value, ...) AKGEN_LOOP(Name, 2, value)
#define AKGEN_MATH_VARIANT(Name, sources, value, ...) AKGEN_LOOP(Name, sources, value)
#include "akgen/tables/math.def"
#undef AKGEN_LOOP
    case MathOp::COUNT: break;
    }
}

} // namespace akgen::twin
