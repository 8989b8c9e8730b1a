// Which loop converts one dtype to another under a rounding mode: the pairs of Ascend910B and no others.
// Integers saturate, NaN becomes 0, half and bfloat16 overflow to infinity (the chip's INF/NAN mode, its default).
#include "loops.h"

#include "device/of_core.h"
#include "facts.h"
#include "rounding.h"
#include "state.h"

namespace akgen::twin {
namespace {

template <typename T, typename S, T (*convert)(S)>
void each(uint8_t *d, const uint8_t *a, const uint8_t *, uint64_t, size_t n)
{
    T *dst = reinterpret_cast<T *>(d);
    const S *src = reinterpret_cast<const S *>(a);
#pragma GCC ivdep
    for (size_t i = 0; i < n; ++i) {
        dst[i] = convert(src[i]);
    }
}
// Half sources and destinations go through a float chunk, so that the inner loop is plain float code.
template <typename T, T (*convert)(float)>
void from_half(uint8_t *d, const uint8_t *a, const uint8_t *, uint64_t, size_t n)
{
    alignas(64) float chunk[chunk_elements];
    T *dst = reinterpret_cast<T *>(d);
    const uint16_t *src = reinterpret_cast<const uint16_t *>(a);
    for (size_t at = 0; at < n; at += chunk_elements) {
        const size_t m = n - at < chunk_elements ? n - at : chunk_elements;
        widen_half(src + at, chunk, m);
#pragma GCC ivdep
        for (size_t i = 0; i < m; ++i) {
            dst[at + i] = convert(chunk[i]);
        }
    }
}
template <typename S, float (*convert)(S)>
void to_half(uint8_t *d, const uint8_t *a, const uint8_t *, uint64_t, size_t n)
{
    alignas(64) float chunk[chunk_elements];
    uint16_t *dst = reinterpret_cast<uint16_t *>(d);
    const S *src = reinterpret_cast<const S *>(a);
    for (size_t at = 0; at < n; at += chunk_elements) {
        const size_t m = n - at < chunk_elements ? n - at : chunk_elements;
#pragma GCC ivdep
        for (size_t i = 0; i < m; ++i) {
            chunk[i] = convert(src[at + i]);
        }
        narrow_half(chunk, dst + at, m);
    }
}

template <typename T, typename S> T plain(S x) { return static_cast<T>(x); }
template <typename T, typename S> T clamped(S x)
{
    constexpr S low = static_cast<S>(std::numeric_limits<T>::min());
    constexpr S high = static_cast<S>(std::numeric_limits<T>::max());
    return static_cast<T>(x < low ? low : x > high ? high : x);
}
template <typename T, Round mode> T integer_of_bfloat(uint16_t x) { return to_integer<T, mode>(widen_bfloat(x)); }
template <Round mode> float integral(float x) { return to_integral<mode>(x); }
// A 64- or 32-bit integer to float under a rounding mode. The double is exact for 32 bits; for 64 bits it is rounded
// to 53 bits first.
template <typename S, Round mode> float float_of_integer(S x)
{
    if constexpr (mode == Round::NONE || mode == Round::RINT) {
        return static_cast<float>(x);
    } else {
        const double exact = static_cast<double>(x);
        const float near = static_cast<float>(exact);
        if (static_cast<double>(near) == exact) {
            return near;
        }
        const bool above = static_cast<double>(near) > exact;
        const float low = above ? std::nextafter(near, -INFINITY) : near;
        const float high = above ? near : std::nextafter(near, INFINITY);
        if constexpr (mode == Round::FLOOR) {
            return low;
        } else if constexpr (mode == Round::CEIL) {
            return high;
        } else if constexpr (mode == Round::TRUNC) {
            return exact > 0 ? low : high;
        } else {
            const double down = exact - static_cast<double>(low);
            const double up = static_cast<double>(high) - exact;
            return down == up ? (exact > 0 ? high : low) : down < up ? low : high;
        }
    }
}
template <Round mode> uint16_t half_of_short(int16_t x) { return float_to_half<mode>(static_cast<float>(x)); }
float dequantised(int32_t x) { return static_cast<float>(x) * vector_state().deq_scale; }

template <Round mode> int nibble_of(float x)
{
    return to_integer<int8_t, mode>(x < -8.0f ? -8.0f : x > 7.0f ? 7.0f : x);
}
template <Round mode> void half_to_nibbles(uint8_t *d, const uint8_t *a, const uint8_t *, uint64_t, size_t n)
{
    const uint16_t *src = reinterpret_cast<const uint16_t *>(a);
    for (size_t i = 0; i < n; ++i) {
        const unsigned v = static_cast<unsigned>(nibble_of<mode>(widen_half(src[i]))) & 15u;
        d[i / 2] = static_cast<uint8_t>(i % 2 ? (d[i / 2] & 0x0fu) | v << 4 : (d[i / 2] & 0xf0u) | v);
    }
}
void nibbles_to_half(uint8_t *d, const uint8_t *a, const uint8_t *, uint64_t, size_t n)
{
    for (size_t i = 0; i < n; ++i) {
        const int v = (i % 2 ? a[i / 2] >> 4 : a[i / 2] & 15);
        reinterpret_cast<uint16_t *>(d)[i] = narrow_half(static_cast<float>(v < 8 ? v : v - 16));
    }
}

constexpr uint32_t key(DType from, DType to) { return static_cast<uint32_t>(from) << 8 | static_cast<uint32_t>(to); }

// Pairs that take one of RINT, FLOOR, CEIL, ROUND, TRUNC.
template <Round mode> Loop rounded(DType from, DType to)
{
    switch (key(from, to)) {
    case key(DType::F32, DType::F32): return each<float, float, integral<mode>>;
    case key(DType::F32, DType::F16): return each<uint16_t, float, float_to_half<mode>>;
    case key(DType::F32, DType::BF16): return each<uint16_t, float, float_to_bfloat<mode>>;
    case key(DType::F32, DType::I16): return each<int16_t, float, to_integer<int16_t, mode, float>>;
    case key(DType::F32, DType::I32): return each<int32_t, float, to_integer<int32_t, mode, float>>;
    case key(DType::F32, DType::I64): return each<int64_t, float, to_integer<int64_t, mode, float>>;
    case key(DType::F16, DType::I32): return from_half<int32_t, to_integer<int32_t, mode, float>>;
    case key(DType::F16, DType::I16): return from_half<int16_t, to_integer<int16_t, mode, float>>;
    case key(DType::F16, DType::I8): return from_half<int8_t, to_integer<int8_t, mode, float>>;
    case key(DType::F16, DType::U8): return from_half<uint8_t, to_integer<uint8_t, mode, float>>;
    case key(DType::F16, DType::I4): return half_to_nibbles<mode>;
    case key(DType::BF16, DType::I32): return each<int32_t, uint16_t, integer_of_bfloat<int32_t, mode>>;
    case key(DType::I16, DType::F16): return each<uint16_t, int16_t, half_of_short<mode>>;
    case key(DType::I32, DType::F32): return each<float, int32_t, float_of_integer<int32_t, mode>>;
    case key(DType::I64, DType::F32): return each<float, int64_t, float_of_integer<int64_t, mode>>;
    default: return nullptr;
    }
}
// Pairs that take CAST_NONE: nothing is lost, or the default rounding (to nearest even) applies.
Loop unrounded(DType from, DType to)
{
    switch (key(from, to)) {
    case key(DType::F32, DType::F16): return to_half<float, plain<float, float>>;
    case key(DType::F16, DType::F32): return from_half<float, plain<float, float>>;
    case key(DType::BF16, DType::F32): return each<float, uint16_t, widen_bfloat>;
    case key(DType::F16, DType::I8): return from_half<int8_t, to_integer<int8_t, Round::RINT, float>>;
    case key(DType::F16, DType::U8): return from_half<uint8_t, to_integer<uint8_t, Round::RINT, float>>;
    case key(DType::F16, DType::I4): return half_to_nibbles<Round::RINT>;
    case key(DType::I4, DType::F16): return nibbles_to_half;
    case key(DType::U8, DType::F16): return to_half<uint8_t, plain<float, uint8_t>>;
    case key(DType::I8, DType::F16): return to_half<int8_t, plain<float, int8_t>>;
    case key(DType::I16, DType::F16): return to_half<int16_t, plain<float, int16_t>>;
    case key(DType::I16, DType::F32): return each<float, int16_t, plain<float, int16_t>>;
    case key(DType::I32, DType::F32): return each<float, int32_t, plain<float, int32_t>>;
    case key(DType::I32, DType::F16): return to_half<int32_t, dequantised>;
    case key(DType::I32, DType::I16): return each<int16_t, int32_t, clamped<int16_t, int32_t>>;
    case key(DType::I32, DType::I64): return each<int64_t, int32_t, plain<int64_t, int32_t>>;
    case key(DType::I64, DType::I32): return each<int32_t, int64_t, clamped<int32_t, int64_t>>;
    default: return nullptr;
    }
}

} // namespace

VectorState &vector_state()
{
    static thread_local OfCore<VectorState> state;
    return *state;
}

Loop cast_loop(DType to, DType from, uint8_t round)
{
    if (key(from, to) == key(DType::I32, DType::F16) && round <= static_cast<uint8_t>(Round::ODD)) {
        return unrounded(from, to); // SetDeqScale decides; the mode has no effect
    }
    switch (static_cast<Round>(round)) {
    case Round::NONE: return unrounded(from, to);
    case Round::RINT:
        // The common roundings of half run through the chunked loop.
        return key(from, to) == key(DType::F32, DType::F16) ? unrounded(from, to) : rounded<Round::RINT>(from, to);
    case Round::FLOOR: return rounded<Round::FLOOR>(from, to);
    case Round::CEIL: return rounded<Round::CEIL>(from, to);
    case Round::ROUND: return rounded<Round::ROUND>(from, to);
    case Round::TRUNC: return rounded<Round::TRUNC>(from, to);
    case Round::ODD:
        return key(from, to) == key(DType::F32, DType::F16) ? each<uint16_t, float, float_to_half<Round::ODD>>
                                                            : nullptr;
    case Round::COUNT: break;
    }
    return nullptr;
}

} // namespace akgen::twin
