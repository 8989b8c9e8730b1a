// The mathematical APIs: names, the instructions that they are made of, and loops over float.
#pragma once
#include "akgen/vector_math.h"
#include <cstddef>

namespace akgen::twin {

struct MathFacts {
    MathOp key;
    const char *name;
    uint8_t sources;
    const char *steps[14]; // rows of the throughput table, in order; ended by nullptr
};
const MathFacts &math_facts(MathOp op);

// Loops of the mathematical APIs over float; half is widened before and rounded after.
void math_loop(MathOp op, float *dst, const float *x, const float *y, float scalar, size_t n);

} // namespace akgen::twin
