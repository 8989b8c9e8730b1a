"""Names of the C and C++ host libraries that device code does not have, and what to use instead."""

_MATH = {
    "fabs": "x < 0 ? -x : x on a number, Abs on a tensor", "fabsf": "x < 0 ? -x : x on a number, Abs on a tensor",
    "abs": "x < 0 ? -x : x on a number, Abs on a tensor",
    "sqrtf": "sqrt on a scalar, Sqrt on a tensor", "expf": "Exp (vector)", "exp": "Exp (vector)",
    "logf": "Ln (vector)", "log": "Ln (vector)", "powf": "Power or Ln, Mul, Exp",
    "pow": "Power or Ln, Mul, Exp", "tanhf": "Tanh (vector)", "tanh": "Tanh (vector)",
    "sinf": "Sin (vector)", "sin": "Sin (vector)", "cosf": "Cos (vector)", "cos": "Cos (vector)",
    "erff": "Erf (vector)", "erf": "Erf (vector)", "fmax": "Max or a conditional",
    "fmaxf": "Max or a conditional", "fmin": "Min or a conditional", "fminf": "Min or a conditional",
    "floorf": "Floor or Cast with CAST_FLOOR", "floor": "Floor or Cast with CAST_FLOOR",
    "ceilf": "Ceil or Cast with CAST_CEIL", "ceil": "integer arithmetic: (a + b - 1) / b",
    "roundf": "Cast with CAST_ROUND", "isnan": "Compare of a tensor with itself",
    "isinf": "Compare with the infinity", "fma": "MulAddDst or Mul and Add",
}  # fmt: skip
_CONSTANTS = {
    "FLT_MAX": "3.402823466e+38f", "FLT_MIN": "1.175494351e-38f", "FLT_EPSILON": "1.192092896e-07f",
    "DBL_MAX": "a float constant", "M_PI": "3.14159265358979f",
    "INFINITY": "a bit pattern such as 0x7F800000", "NAN": "a bit pattern such as 0x7FC00000",
    "INT_MAX": "2147483647", "INT32_MAX": "2147483647", "UINT32_MAX": "0xFFFFFFFFU",
    "HUGE_VALF": "3.402823466e+38f", "HUGE_VAL": "3.402823466e+38f", "SIZE_MAX": "0xFFFFFFFFFFFFFFFFULL",
}  # fmt: skip
_LIBRARY = {
    "printf": "AscendC::printf, in debug builds", "malloc": "buffers from TPipe::InitBuffer",
    "free": "buffers from TPipe::InitBuffer", "memcpy": "DataCopy", "memset": "Duplicate",
    "vector": "a fixed-size array", "string": "nothing: device code has no strings",
    "cout": "AscendC::printf", "cerr": "AscendC::printf", "endl": "AscendC::printf",
    "min": "a < b ? a : b on numbers, Min on tensors", "max": "a > b ? a : b on numbers, Max on tensors",
    "numeric_limits": "a literal", "array": "a plain array",
    "map": "nothing: device code has no containers", "ceil_div": "(a + b - 1) / b",
    "std": "plain C++ without the standard library", "swap": "a temporary",
    "accumulate": "a loop, or ReduceSum on a tensor", "exit": "return", "abort": "return",
    "rand": "nothing: no random numbers",
}  # fmt: skip

# name -> what device code uses instead
HOST_NAMES: dict[str, str] = {**_LIBRARY, **_MATH, **_CONSTANTS}
