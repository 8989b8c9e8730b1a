// Arithmetic of cutting a matrix product into fractals and blocks.
#pragma once
#include <cstdint>

namespace matmul_tiling {

constexpr int32_t fractal_edge = 16;
constexpr int32_t preferred_base_m = 128;
constexpr int32_t preferred_base_n = 256;

inline int32_t ceil_div(int32_t a, int32_t b) { return (a + b - 1) / b; }
inline int32_t align_up(int32_t a, int32_t b) { return ceil_div(a, b) * b; }
// What the host code asked for, if it did.
inline int32_t take(int32_t wanted, int32_t otherwise) { return wanted > 0 ? wanted : otherwise; }

} // namespace matmul_tiling
