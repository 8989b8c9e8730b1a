// Loops that the saturation flags put in place of, or behind, an instruction's own.
#pragma once
#include "walk.h"

namespace akgen::twin {

// Over what an instruction has written, half or bfloat16_t.
Loop saturating_loop(DType type);
// For a conversion that loses high bits; null: it loses none. `conversion` is the loop's scalar.
Loop truncating_loop(DType to, DType from, uint8_t round, uint64_t &conversion);

} // namespace akgen::twin
