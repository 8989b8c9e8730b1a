// What the runtime knows of the mathematical APIs: akgen/tables/math.def as a table of constants.
#include "math_facts.h"

#include "keyed.h"

namespace akgen::twin {
namespace {
constexpr MathFacts kFacts[] = {
#define AKGEN_MATH(Name, dtypes, value, live, ...) {MathOp::Name, #Name, 1, {__VA_ARGS__, nullptr}},
#define AKGEN_MATH_PAIR(Name, dtypes, value, live, ...) {MathOp::Name, #Name, 2, {__VA_ARGS__, nullptr}},
#define AKGEN_CLAMP(Name, dtypes, value, live, ...) {MathOp::Name, #Name, 1, {__VA_ARGS__, nullptr}},
#define AKGEN_GELU(Name, dtypes, value, live, ...) {MathOp::Name, #Name, 1, {__VA_ARGS__, nullptr}},
#define AKGEN_GATED(Name, dtypes, value, live, ...) {MathOp::Name, #Name, 2, {__VA_ARGS__, nullptr}},
#define AKGEN_MATH_VARIANT(Name, sources, value, live, ...) {MathOp::Name, #Name, sources, {__VA_ARGS__, nullptr}},
#include "akgen/tables/math.def"
};
static_assert(one_row_each<MathOp>(kFacts));
} // namespace

const MathFacts &math_facts(MathOp op) { return kFacts[static_cast<size_t>(op)]; }

} // namespace akgen::twin
