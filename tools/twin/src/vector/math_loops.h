// Loops of the mathematical APIs over float; half is widened before and rounded after.
#pragma once
#include <cstddef>

#include "akgen/vector_math.h"

namespace akgen::twin {

void math_loop(MathOp op, float *dst, const float *x, const float *y, float scalar, size_t n);

} // namespace akgen::twin
