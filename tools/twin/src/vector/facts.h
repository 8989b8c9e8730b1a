// Names, shapes and loops of the element-wise instructions, Cast among them.
#pragma once
#include "walk.h"

namespace akgen::twin {

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

} // namespace akgen::twin
