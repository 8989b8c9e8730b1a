// The mathematical APIs and the SoftMax family by their enumerators: rows of akgen/tables/math.def and library.def.
#include "facts.h"

#include "keyed.h"

namespace akgen::twin {
namespace {
constexpr MathFacts math_rows[] = {
#define AKGEN_MATH(Name, dtypes, value, live, ...) {MathOp::Name, {#Name, {__VA_ARGS__, nullptr}}, 1, live},
#define AKGEN_MATH_PAIR(Name, dtypes, value, live, ...) {MathOp::Name, {#Name, {__VA_ARGS__, nullptr}}, 2, live},
#define AKGEN_CLAMP(Name, dtypes, value, live, ...) {MathOp::Name, {#Name, {__VA_ARGS__, nullptr}}, 1, live},
#define AKGEN_GELU(Name, dtypes, value, live, ...) {MathOp::Name, {#Name, {__VA_ARGS__, nullptr}}, 1, live},
#define AKGEN_GATED(Name, dtypes, value, live, ...) {MathOp::Name, {#Name, {__VA_ARGS__, nullptr}}, 2, live},
#define AKGEN_MATH_VARIANT(Name, sources, value, live, ...)                                                            \
    {MathOp::Name, {#Name, {__VA_ARGS__, nullptr}}, sources, live},
#include "akgen/tables/math.def"
};
static_assert(one_row_each<MathOp>(math_rows));

struct SoftmaxFacts {
    SoftmaxKind key;
    const ApiFacts *api;
};
constexpr SoftmaxFacts softmax_rows[] = {
#define AKGEN_SOFTMAX(Name, ...) {SoftmaxKind::Name, &apis::Name},
#include "akgen/tables/library.def"
};
static_assert(one_row_each<SoftmaxKind>(softmax_rows));
} // namespace

const ApiFacts &softmax_facts(SoftmaxKind kind) { return *row_of(softmax_rows, kind).api; }
const MathFacts &math_facts(MathOp op) { return row_of(math_rows, op); }

} // namespace akgen::twin
