// Loops of Cast.
#pragma once
#include "walk.h"

namespace akgen::twin {

// nullptr: this pair, or this rounding mode for the pair, does not exist on Ascend910B.
Loop cast_loop(DType to, DType from, uint8_t round);

} // namespace akgen::twin
