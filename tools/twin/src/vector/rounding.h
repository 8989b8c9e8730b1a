// Rounding modes of Cast, on single values.
#pragma once
#include "half.h"
#include <cmath>
#include <limits>

namespace akgen::twin {

// AscendC::RoundMode
enum class Round : uint8_t { NONE, RINT, FLOOR, CEIL, ROUND, TRUNC, ODD, COUNT };

template <Round mode, typename F> F to_integral(F x)
{
    if constexpr (mode == Round::FLOOR) {
        return std::floor(x);
    } else if constexpr (mode == Round::CEIL) {
        return std::ceil(x);
    } else if constexpr (mode == Round::TRUNC) {
        return std::trunc(x);
    } else if constexpr (mode == Round::ROUND) { // halves away from zero
        const F whole = std::trunc(x);
        const F rest = x - whole;
        return rest >= F(0.5) ? whole + F(1) : rest <= F(-0.5) ? whole - F(1) : whole;
    } else {
        return std::nearbyint(x);
    }
}

// Round to an integer and saturate; NaN becomes 0.
template <typename T, Round mode, typename F> T to_integer(F x)
{
    const F r = to_integral<mode>(x);
    // The first value past the maximum is exact in F, the maximum itself may not be.
    constexpr F past = F(2) * static_cast<F>(uint64_t{1} << (std::numeric_limits<T>::digits - 1));
    constexpr F low = static_cast<F>(std::numeric_limits<T>::min());
    const bool over = r >= past;
    const bool under = r < low;
    const F safe = (over | under | (r != r)) ? F(0) : r;
    const T value = static_cast<T>(safe);
    return over ? std::numeric_limits<T>::max() : under ? std::numeric_limits<T>::min() : value;
}

// Cut a float to `keep` explicit mantissa bits with a chosen direction; the result is still a float. `least` is the
// exponent (unbiased) below which the target is subnormal.
template <Round mode> float to_fewer_bits(float x, int keep, int least)
{
    if (x == 0.0f || std::isnan(x) || std::isinf(x)) {
        return x;
    }
    const int exponent = std::ilogb(x) < least ? least : std::ilogb(x);
    const double unit = std::ldexp(1.0, exponent - keep);
    const double steps = static_cast<double>(x) / unit; // exact: a power of two
    double whole;
    if constexpr (mode == Round::ODD) {
        whole = std::trunc(steps);
        if (whole != steps && std::fmod(whole, 2.0) == 0.0) {
            whole += x > 0 ? 1.0 : -1.0;
        }
    } else {
        whole = to_integral<mode>(steps);
    }
    return static_cast<float>(whole * unit);
}

template <Round mode> uint16_t float_to_half(float x)
{
    if constexpr (mode == Round::NONE || mode == Round::RINT) {
        return narrow_half(x);
    } else {
        const float cut = to_fewer_bits<mode>(x, 10, -14);
        if ((mode == Round::TRUNC || mode == Round::ODD) && std::fabs(cut) > 65504.0f && !std::isinf(x)) {
            return narrow_half(std::copysign(65504.0f, cut));
        }
        return narrow_half(cut);
    }
}
template <Round mode> uint16_t float_to_bfloat(float x)
{
    if constexpr (mode == Round::NONE || mode == Round::RINT) {
        return narrow_bfloat(x);
    } else {
        return narrow_bfloat(to_fewer_bits<mode>(x, 7, -126));
    }
}

} // namespace akgen::twin
