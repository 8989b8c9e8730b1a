// Element loops that the compiler turns into vector code. `#pragma GCC ivdep`: destination and sources are either the
// same place or apart (walk.h sees to that), and in-place calls must not fall back to scalar code.
#pragma once
#if defined(__GNUC__) && !defined(__clang__)
// Square roots need no errno and comparisons no traps; both would keep loops scalar. Infinities and NaN stay exact.
#pragma GCC optimize("no-math-errno", "no-trapping-math")
#endif
#include "half.h"
#include "walk.h"
#include <cmath>
#include <type_traits>

namespace akgen::twin {

constexpr size_t chunk_elements = 512; // elements converted at a time

template <typename T> T scalar_of(uint64_t bits)
{
    T value;
    std::memcpy(&value, &bits, sizeof value);
    return value;
}
inline float half_scalar(uint64_t bits) { return widen_half(static_cast<uint16_t>(bits)); }

// F: static T f(dst, src0, src1, scalar). Uses: bit 0 dst is read, 1 src0, 2 src1, 3 scalar.
template <typename T, typename F> void loop(uint8_t *d, const uint8_t *a, const uint8_t *b, uint64_t scalar, size_t n)
{
    T *dst = reinterpret_cast<T *>(d);
    const T *x = reinterpret_cast<const T *>(a);
    const T *y = reinterpret_cast<const T *>(b);
    const T s = scalar_of<T>(scalar);
#pragma GCC ivdep
    for (size_t i = 0; i < n; ++i) {
        dst[i] = F::f((F::uses & 1) ? dst[i] : T{}, (F::uses & 2) ? x[i] : T{}, (F::uses & 4) ? y[i] : T{}, s);
    }
}

template <typename F> void loop_half(uint8_t *d, const uint8_t *a, const uint8_t *b, uint64_t scalar, size_t n)
{
    alignas(64) float fd[chunk_elements], fx[chunk_elements], fy[chunk_elements];
    uint16_t *dst = reinterpret_cast<uint16_t *>(d);
    const uint16_t *x = reinterpret_cast<const uint16_t *>(a);
    const uint16_t *y = reinterpret_cast<const uint16_t *>(b);
    const float s = half_scalar(scalar);
    for (size_t at = 0; at < n; at += chunk_elements) {
        const size_t m = n - at < chunk_elements ? n - at : chunk_elements;
        if constexpr ((F::uses & 1) != 0) {
            widen_half(dst + at, fd, m);
        }
        if constexpr ((F::uses & 2) != 0) {
            widen_half(x + at, fx, m);
        }
        if constexpr ((F::uses & 4) != 0) {
            widen_half(y + at, fy, m);
        }
#pragma GCC ivdep
        for (size_t i = 0; i < m; ++i) {
            fd[i] = F::f((F::uses & 1) ? fd[i] : 0.0f, (F::uses & 2) ? fx[i] : 0.0f, (F::uses & 4) ? fy[i] : 0.0f, s);
        }
        narrow_half(fd, dst + at, m);
    }
}

} // namespace akgen::twin
