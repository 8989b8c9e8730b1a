// Names and shapes of the element-wise instructions, shared by the entry points.
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

} // namespace akgen::twin
