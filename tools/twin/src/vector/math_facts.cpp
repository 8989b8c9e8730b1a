// The sequences follow the algorithms that the vendor's reference describes for each API (clamping, then a polynomial
// or an exponential, then a division); polynomials count as as many Muls and Adds as they have terms.
#include "math_facts.h"

#include <cstddef>

namespace akgen::twin {

const MathFacts &math_facts(MathOp op)
{
    static constexpr MathFacts kFacts[] = {
        {"Tanh", 1, {"Mins", "Maxs", "Muls", "Exp", "Adds", "Adds", "Div", nullptr}},
        {"Sin",
         1,
         {"Muls", "Cast float->float", "Axpy", "Axpy", "Axpy", "Mul", "Muls", "Adds", "Mul", "Adds", "Mul", "Mul",
          nullptr}},
        {"Cos",
         1,
         {"Muls", "Cast float->float", "Axpy", "Axpy", "Axpy", "Mul", "Muls", "Adds", "Mul", "Adds", "Mul", "Mul",
          nullptr}},
        {"Tan",
         1,
         {"Muls", "Cast float->float", "Axpy", "Axpy", "Axpy", "Mul", "Muls", "Adds", "Mul", "Mul", "Adds", "Mul",
          "Div", nullptr}},
        {"Asin",
         1,
         {"Mul", "Muls", "Adds", "Mul", "Adds", "Mul", "Adds", "Sqrt", "Muls", "Adds", "Mul", "Select", "Mul",
          nullptr}},
        {"Acos",
         1,
         {"Mul", "Muls", "Adds", "Mul", "Adds", "Mul", "Adds", "Sqrt", "Muls", "Adds", "Mul", "Select", "Mul",
          nullptr}},
        {"Atan",
         1,
         {"Mins", "Maxs", "Abs", "Muls", "Adds", "Div", "Mul", "Muls", "Adds", "Mul", "Adds", "Min", "Mul", nullptr}},
        {"Sinh", 1, {"Adds", "Exp", "Muls", "Adds", "Exp", "Sub", nullptr}},
        {"Cosh", 1, {"Adds", "Exp", "Muls", "Div", "Add", nullptr}},
        {"Asinh", 1, {"Mul", "Adds", "Sqrt", "Abs", "Add", "Ln", "Mul", nullptr}},
        {"Acosh", 1, {"Mul", "Adds", "Sqrt", "Add", "Ln", nullptr}},
        {"Atanh", 1, {"Adds", "Muls", "Adds", "Div", "Ln", "Muls", nullptr}},
        {"Erf",
         1,
         {"Mins", "Maxs", "Mul", "Muls", "Adds", "Mul", "Adds", "Mul", "Adds", "Mul", "Mul", "Adds", "Div", nullptr}},
        {"Erfc",
         1,
         {"Abs", "Mul", "Muls", "Exp", "Muls", "Adds", "Mul", "Adds", "Mul", "Adds", "Mul", "Div", "Mul", nullptr}},
        {"Log", 1, {"Ln", nullptr}},
        {"Log2", 1, {"Ln", "Muls", nullptr}},
        {"Log10", 1, {"Ln", "Muls", nullptr}},
        {"Exp", 1, {"Muls", "Cast float->float", "Axpy", "Exp", "Muls", "Adds", "Mul", "Adds", "Mul", nullptr}},
        {"Floor", 1, {"Cast float->float", nullptr}},
        {"Ceil", 1, {"Cast float->float", nullptr}},
        {"Round", 1, {"Cast float->float", nullptr}},
        {"Trunc", 1, {"Cast float->float", nullptr}},
        {"Frac", 1, {"Cast float->float", "Sub", nullptr}},
        {"Sign", 1, {"Compares", "Select", "Compares", "Select", "Add", nullptr}},
        {"Lgamma",
         1,
         {"Abs", "Ln", "Adds", "Mul", "Div", "Muls", "Adds", "Mul", "Adds", "Mul", "Ln", "Select", "Sub", nullptr}},
        {"Digamma",
         1,
         {"Adds", "Div", "Mul", "Muls", "Adds", "Mul", "Adds", "Mul", "Ln", "Div", "Sub", "Select", "Sub", nullptr}},
        {"Sigmoid", 1, {"Muls", "Exp", "Adds", "Div", nullptr}},
        {"Silu", 1, {"Muls", "Exp", "Adds", "Div", nullptr}},
        {"Gelu", 1, {"Mul", "Mul", "Muls", "Add", "Muls", "Exp", "Adds", "Div", nullptr}},
        {"FasterGelu", 1, {"Muls", "Exp", "Adds", "Div", nullptr}},
        {"FasterGeluV2", 1, {"Abs", "Muls", "Exp", "Sub", "Muls", "Exp", "Adds", "Div", "Mul", nullptr}},
        {"Swish", 1, {"Muls", "Exp", "Adds", "Div", nullptr}},
        {"ClampMax", 1, {"Mins", nullptr}},
        {"ClampMin", 1, {"Maxs", nullptr}},
        {"Power", 2, {"Abs", "Ln", "Mul", "Exp", "Compares", "Select", "Cast float->float", "Select", "Mul", nullptr}},
        {"Fmod", 2, {"Div", "Cast float->float", "Mul", "Sub", nullptr}},
        {"ReGlu", 2, {"Maxs", "Mul", nullptr}},
        {"GeGLU", 2, {"Mul", "Mul", "Muls", "Add", "Muls", "Exp", "Adds", "Div", "Mul", nullptr}},
        {"SwiGLU", 2, {"Muls", "Exp", "Adds", "Div", "Mul", nullptr}},
    };
    static_assert(sizeof kFacts / sizeof kFacts[0] == static_cast<size_t>(MathOp::COUNT));
    return kFacts[static_cast<size_t>(op)];
}

} // namespace akgen::twin
