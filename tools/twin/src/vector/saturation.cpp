// What the saturation flags change: halves that end at 65504 instead of infinity, integers of conversions that keep their
// low bits instead of ending at their largest number. Source: page SetSaturationFlag.
#include "rounding.h"
#include "state.h"
#include <cmath>
#include <cstring>

namespace akgen::twin {

namespace {
// `infinity`: the exponent's bits. NaN becomes 0, infinity the largest number, which is one less.
template <uint16_t infinity> void saturate(uint8_t *d, const uint8_t *a, const uint8_t *, uint64_t, size_t n)
{
    for (size_t i = 0; i < n; ++i) {
        uint16_t bits;
        std::memcpy(&bits, a + 2 * i, 2);
        const uint16_t size = bits & 0x7fff;
        if (size >= infinity) {
            bits = size > infinity ? 0 : static_cast<uint16_t>((bits & 0x8000) | (infinity - 1));
        }
        std::memcpy(d + 2 * i, &bits, 2);
    }
}

double rounded(double x, Round mode)
{
    switch (mode) {
    case Round::FLOOR: return std::floor(x);
    case Round::CEIL: return std::ceil(x);
    case Round::TRUNC: return std::trunc(x);
    case Round::ROUND: return std::round(x);
    default: return std::nearbyint(x);
    }
}

// The integer that a source element is rounded to; beyond 64 bits only zeros are left of its low ones.
int64_t whole_of(DType from, const uint8_t *a, size_t i, Round mode)
{
    double x;
    if (from == DType::I64 || from == DType::I32) {
        int64_t wide = 0;
        int32_t narrow = 0;
        std::memcpy(from == DType::I64 ? static_cast<void *>(&wide) : &narrow, a + i * dtype_bytes(from),
                    dtype_bytes(from));
        return from == DType::I64 ? wide : narrow;
    }
    if (from == DType::F32) {
        float value;
        std::memcpy(&value, a + 4 * i, 4);
        x = static_cast<double>(value);
    } else {
        uint16_t bits;
        std::memcpy(&bits, a + 2 * i, 2);
        x = static_cast<double>(from == DType::F16 ? widen_half(bits) : widen_bfloat(bits));
    }
    x = rounded(x, mode);
    return std::fabs(x) < 9.2e18 ? static_cast<int64_t>(x) : 0;
}

void truncate(uint8_t *d, const uint8_t *a, const uint8_t *, uint64_t conversion, size_t n)
{
    const auto to = static_cast<DType>(conversion & 0xff), from = static_cast<DType>(conversion >> 8 & 0xff);
    const auto mode = static_cast<Round>(conversion >> 16);
    for (size_t i = 0; i < n; ++i) {
        const int64_t value = whole_of(from, a, i, mode);
        if (to == DType::I4) {
            const int shift = i % 2 ? 4 : 0;
            d[i / 2] = static_cast<uint8_t>((d[i / 2] & (0xf0 >> shift)) | (value & 0xf) << shift);
        } else {
            std::memcpy(d + i * dtype_bytes(to), &value, dtype_bytes(to)); // little endian: the low bits
        }
    }
}
} // namespace

Loop saturating_loop(DType type) { return type == DType::F16 ? saturate<0x7c00> : saturate<0x7f80>; }

Loop truncating_loop(DType to, DType from, uint8_t round, uint64_t &conversion)
{
    const bool whole = to == DType::I4 || to == DType::I8 || to == DType::U8 || to == DType::I16 || to == DType::I32 ||
                       to == DType::I64;
    const bool narrows = from == DType::F32 || from == DType::F16 || from == DType::BF16 ||
                         ((from == DType::I32 || from == DType::I64) && dtype_bytes(to) < dtype_bytes(from));
    if (!whole || !narrows) {
        return nullptr;
    }
    conversion = static_cast<uint64_t>(to) | static_cast<uint64_t>(from) << 8 | uint64_t{round} << 16;
    return truncate;
}

} // namespace akgen::twin
