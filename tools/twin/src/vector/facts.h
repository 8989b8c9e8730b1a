// What the runtime knows of the APIs: their names, rows of the throughput table, what they read, loops.
#pragma once
#include "akgen/vector_math.h"
#include "walk.h"
#include <cstddef>

namespace akgen::twin {

// The element-wise instructions, Cast among them.
struct OpFacts {
    VecOp key;
    const char *name; // the vendor's
    const char *row;  // of the throughput table
    uint8_t sources;  // tensors read besides the destination
    bool reads_dst;
    uint8_t dst_bytes; // 0: as the sources
};
const OpFacts &facts(VecOp op);
// nullptr: the instruction does not take this type (headers refuse it at compile time).
Loop loop_of(VecOp op, DType type);

// Loops of Cast.
// nullptr: this pair, or this rounding mode for the pair, does not exist on Ascend910B.
Loop cast_loop(DType to, DType from, uint8_t round);

// What Select with bits of each element and AddDeqRelu work in, at the end of the Unified Buffer (their pages).
constexpr uint64_t own_scratch_bytes = 8192;

// The APIs that are made of several instructions.
struct ApiFacts {
    const char *name;
    const char *steps[20]; // in order; ended by nullptr
};

// One constant for each API of akgen/tables/library.def and instruction.def: `apis::GroupNorm`.
namespace apis {
#define AKGEN_LIBRARY(Name, dtypes, live, ...) inline constexpr ApiFacts Name{#Name, {__VA_ARGS__, nullptr}};
#define AKGEN_SOFTMAX(Name, dtypes, live, ...) inline constexpr ApiFacts Name{#Name, {__VA_ARGS__, nullptr}};
#define AKGEN_LIBRARY_VARIANT(Name, api, ...) inline constexpr ApiFacts Name{api, {__VA_ARGS__, nullptr}};
#include "akgen/tables/library.def"
#define AKGEN_INSTRUCTION(Name, dtypes, ...) inline constexpr ApiFacts Name{#Name, {__VA_ARGS__, nullptr}};
#define AKGEN_COMPARE_SCALAR(Name, dtypes, ...) inline constexpr ApiFacts Name{#Name, {__VA_ARGS__, nullptr}};
#include "akgen/tables/instruction.def"
} // namespace apis
const ApiFacts &softmax_facts(SoftmaxKind kind);

struct MathFacts {
    MathOp key;
    ApiFacts api;
    uint8_t sources;
    uint8_t live; // vectors of float in the temporary buffer at once
};
const MathFacts &math_facts(MathOp op);

// Loops of the mathematical APIs over float; half is widened before and rounded after.
void math_loop(MathOp op, float *dst, const float *x, const float *y, float scalar, size_t n);

} // namespace akgen::twin
