// The order of scores.
#pragma once

namespace akgen::twin {

// A strict order even with NaN, which comes first.
inline bool above(float a, float b) { return a > b || (a != a && b == b); }

} // namespace akgen::twin
