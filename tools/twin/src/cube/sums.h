// The inner loops of products: 16 columns of C at a time, sums in the order of k.
#pragma once
#include <cstdint>
#include <cstring>
#include "akgen/runtime.h"

namespace akgen::twin {

constexpr uint32_t lanes = 16; // columns of a fractal of C

// C rows [0, rows): a is rows x k, b is k x 16, c is rows x 16.
template <typename T, uint32_t rows> void add_rows(const T *a, const T *b, uint32_t k, T *c)
{
    T sum[rows][lanes];
    std::memcpy(sum, c, sizeof sum);
    for (uint32_t x = 0; x < k; ++x) {
        for (uint32_t r = 0; r < rows; ++r) {
            const T left = a[uint64_t{r} * k + x];
            for (uint32_t n = 0; n < lanes; ++n) {
                sum[r][n] += left * b[uint64_t{x} * lanes + n];
            }
        }
    }
    std::memcpy(c, sum, sizeof sum);
}

template <typename T> void add_product(const T *a, const T *b, uint32_t m, uint32_t k, T *c)
{
    uint32_t i = 0;
    for (; i + 4 <= m; i += 4) {
        add_rows<T, 4>(a + uint64_t{i} * k, b, k, c + uint64_t{i} * lanes);
    }
    for (; i < m; ++i) {
        add_rows<T, 1>(a + uint64_t{i} * k, b, k, c + uint64_t{i} * lanes);
    }
}

// HF32: what the cube makes of floats in its fast mode, and how many elements along k it takes in one step.
struct Hf32 {
    bool on = false, away = false;
};
Hf32 &hf32(); // of this core

// Round to 11 bits of fraction: to the nearest, ties to even or away from zero.
inline float to_hf32(float value, bool away)
{
    constexpr uint32_t dropped = 12, half = 1u << (dropped - 1);
    uint32_t word;
    std::memcpy(&word, &value, 4);
    if ((word & 0x7f800000) == 0x7f800000) { // infinite, or not a number
        return value;
    }
    word += away || (word >> dropped & 1) ? half : half - 1;
    word &= ~((1u << dropped) - 1);
    std::memcpy(&value, &word, 4);
    return value;
}

inline uint32_t step_along_k(DType type, bool in_hf32)
{
    return type == DType::I4 ? 64 : type == DType::I8 ? 32 : type != DType::F32 ? 16 : in_hf32 ? 8 : 4;
}

} // namespace akgen::twin
