// Spans of half and bfloat16 to float and back. Half arithmetic is done in float and rounded after every operation.
#pragma once
#include <cstddef>
#include <cstdint>
#include <cstring>
#if defined(__F16C__) || defined(__AVX512F__)
#include <immintrin.h>
#endif

namespace akgen::twin {

inline float widen_half(uint16_t bits)
{
    _Float16 value;
    std::memcpy(&value, &bits, sizeof value);
    return static_cast<float>(value);
}
inline uint16_t narrow_half(float value)
{
    const _Float16 rounded = static_cast<_Float16>(value);
    uint16_t bits;
    std::memcpy(&bits, &rounded, sizeof bits);
    return bits;
}
inline void widen_half(const uint16_t *src, float *dst, size_t n)
{
    size_t i = 0;
#if defined(__AVX512F__)
    for (; i + 16 <= n; i += 16) {
        const __m256i halves = _mm256_loadu_si256(reinterpret_cast<const __m256i *>(src + i));
        _mm512_storeu_ps(dst + i, _mm512_maskz_cvtph_ps(0xffff, halves)); // maskz: the plain form trips -Wuninitialized
    }
#elif defined(__F16C__)
    for (; i + 8 <= n; i += 8) {
        _mm256_storeu_ps(dst + i, _mm256_cvtph_ps(_mm_loadu_si128(reinterpret_cast<const __m128i *>(src + i))));
    }
#endif
    for (; i < n; ++i) {
        dst[i] = widen_half(src[i]);
    }
}
inline void narrow_half(const float *src, uint16_t *dst, size_t n)
{
    size_t i = 0;
#if defined(__AVX512F__)
    for (; i + 16 <= n; i += 16) {
        _mm256_storeu_si256(reinterpret_cast<__m256i *>(dst + i),
                            _mm512_maskz_cvtps_ph(0xffff, _mm512_loadu_ps(src + i), _MM_FROUND_TO_NEAREST_INT));
    }
#elif defined(__F16C__)
    for (; i + 8 <= n; i += 8) {
        _mm_storeu_si128(reinterpret_cast<__m128i *>(dst + i),
                         _mm256_cvtps_ph(_mm256_loadu_ps(src + i), _MM_FROUND_TO_NEAREST_INT));
    }
#endif
    for (; i < n; ++i) {
        dst[i] = narrow_half(src[i]);
    }
}

inline float widen_bfloat(uint16_t bits)
{
    const uint32_t word = static_cast<uint32_t>(bits) << 16;
    float value;
    std::memcpy(&value, &word, sizeof value);
    return value;
}
inline uint16_t narrow_bfloat(float value)
{
    uint32_t word;
    std::memcpy(&word, &value, sizeof word);
    const uint32_t rounded = (word + 0x7fffu + ((word >> 16) & 1u)) >> 16;
    const uint32_t quiet = (word >> 16) | 0x40u;
    return static_cast<uint16_t>((word & 0x7fffffffu) > 0x7f800000u ? quiet : rounded);
}

} // namespace akgen::twin
