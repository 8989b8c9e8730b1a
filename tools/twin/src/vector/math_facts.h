// Names of the mathematical APIs and the instructions that they are made of.
#pragma once
#include "akgen/vector_math.h"

namespace akgen::twin {

struct MathFacts {
    MathOp key;
    const char *name;
    uint8_t sources;
    const char *steps[14]; // rows of the throughput table, in order; ended by nullptr
};
const MathFacts &math_facts(MathOp op);

} // namespace akgen::twin
