// Scalar functions of the device: conversions and bit operations that kernels call outside vector instructions.
#pragma once
#include "akgen/runtime.h"
#include "ascendc/std_types.h"
#include "ascendc/types.h"

namespace AscendC {

AKGEN_INLINE float ToFloat(const bfloat16_t &value) { return static_cast<float>(value); }
AKGEN_INLINE bfloat16_t ToBfloat16(const float &value) { return bfloat16_t(value); }
// The same by their newer name.
AKGEN_INLINE float Cast(const bfloat16_t &value) { return static_cast<float>(value); }
AKGEN_INLINE bfloat16_t Cast(const float &value) { return bfloat16_t(value); }

namespace detail {
// To the neighbour with an odd last bit unless the value fits.
AKGEN_INLINE half to_odd_half(float value)
{
    half near = static_cast<half>(value);
    if (static_cast<float>(near) == value || value != value) {
        return near;
    }
    uint16_t bits = __builtin_bit_cast(uint16_t, near);
    if (__builtin_fabsf(static_cast<float>(near)) > __builtin_fabsf(value)) {
        --bits; // towards zero
    }
    bits |= 1;
    return __builtin_bit_cast(half, bits);
}
} // namespace detail
template <typename T, typename U, RoundMode mode = RoundMode::CAST_NONE> AKGEN_INLINE U ScalarCast(T value)
{
    if constexpr (mode == RoundMode::CAST_ODD && std::is_same_v<U, half>) {
        return detail::to_odd_half(static_cast<float>(value));
    } else if constexpr (mode == RoundMode::CAST_FLOOR) {
        return static_cast<U>(__builtin_floorf(static_cast<float>(value)));
    } else if constexpr (mode == RoundMode::CAST_CEIL) {
        return static_cast<U>(__builtin_ceilf(static_cast<float>(value)));
    } else if constexpr (mode == RoundMode::CAST_ROUND) {
        return static_cast<U>(__builtin_roundf(static_cast<float>(value)));
    } else if constexpr (mode == RoundMode::CAST_RINT) {
        return static_cast<U>(__builtin_rintf(static_cast<float>(value)));
    } else {
        return static_cast<U>(value);
    }
}
// The same under its later name.
template <typename T, typename U, RoundMode mode = RoundMode::CAST_NONE> AKGEN_INLINE U Cast(const T value)
{
    return ScalarCast<T, U, mode>(value);
}
template <int countValue> AKGEN_INLINE int64_t ScalarGetCountOfValue(uint64_t valueIn)
{
    return countValue == 1 ? __builtin_popcountll(valueIn) : 64 - __builtin_popcountll(valueIn);
}
AKGEN_INLINE int64_t ScalarCountLeadingZero(uint64_t valueIn) { return valueIn ? __builtin_clzll(valueIn) : 64; }
template <int countValue> AKGEN_INLINE int64_t ScalarGetSFFValue(uint64_t valueIn)
{
    const uint64_t word = countValue == 1 ? valueIn : ~valueIn;
    return word ? __builtin_ctzll(word) : -1;
}
template <int countValue> AKGEN_INLINE int64_t GetBitCount(uint64_t valueIn)
{
    return ScalarGetCountOfValue<countValue>(valueIn);
}
AKGEN_INLINE int64_t CountLeadingZero(uint64_t valueIn) { return ScalarCountLeadingZero(valueIn); }
template <int countValue> AKGEN_INLINE int64_t GetSFFValue(uint64_t valueIn)
{
    return ScalarGetSFFValue<countValue>(valueIn);
}
AKGEN_INLINE int64_t CountBitsCntSameAsSignBit(int64_t valueIn) { return __builtin_clrsbll(valueIn); }

} // namespace AscendC

#if defined(ASCENDC_CPU_DEBUG) || defined(AKGEN_DIRECT_HOST) // such a program has the host's libraries, too
#include <algorithm>
#include <math.h>
using std::abs;
using std::max;
using std::min;
#else
// Scalar square root and absolute value are instructions; other functions of <math.h> are not there.
AKGEN_INLINE float sqrt(float value) { return __builtin_sqrtf(value); }
template <typename T> AKGEN_INLINE constexpr T abs(T value)
{
    static_assert(std::is_same_v<T, float> || (std::is_integral_v<T> && std::is_signed_v<T>),
                  "AKGEN:DTYPE_UNSUPPORTED: abs takes a float or a signed integer");
    if constexpr (std::is_same_v<T, float>) {
        return __builtin_fabsf(value);
    } else {
        return value < 0 ? static_cast<T>(-value) : value;
    }
}
template <typename T> AKGEN_INLINE constexpr T max(T a, T b) { return a < b ? b : a; }
template <typename T> AKGEN_INLINE constexpr T min(T a, T b) { return b < a ? b : a; }
#endif
