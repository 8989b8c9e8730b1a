"""Names that device code of Atlas A2 and A3 does not have: of other chips, of the host, not simulated by the twin.

Source: the product tables at the head of the vendor's API pages, release 9.0.
"""

_BY_COPY = "a copy from the Unified Buffer between SetAtomic{}<T>() and SetAtomicNone()"
_BY_TURNS = "one core as the owner of the element, or SyncAll, or IBSet and IBWait, between the cores"
_ON_950 = {
    "Neg": "Muls(dst, src, (T)-1, count)",
    "Subs": "Adds(dst, src, -scalar, count)",
    "Divs": "Muls(dst, src, 1 / scalar, count)",
    "Ands": "Duplicate and And",
    "Ors": "Duplicate and Or",
    "Mull": "Mul",
    "Prelu": "LeakyRelu for one slope; Mins, Mul, Maxs and Add for a tensor of slopes",
    "Truncate": "Cast(dst, src, RoundMode::CAST_TRUNC, count) from float to float",
    "AbsSub": "Sub and Abs",
    "FusedAbsSub": "Sub and Abs",
    "ExpSub": "Sub and Exp",
    "FusedExpSub": "Sub and Exp",
    "MulsCast": "Muls and Cast",
    "Interleave": "Gather with a table of offsets",
    "DeInterleave": "GatherMask with the patterns 1 and 2",
    "Scatter": "SetValue in a loop, or DataCopyPad of each element to global memory",
    "Rint": "Cast(dst, src, RoundMode::CAST_RINT, count) from float to float, or Round",
    "Fma": "FusedMulAdd(dst, src0, src1, count): dst = src0 * dst + src1",
    "Hypot": "Mul, Mul, Add and Sqrt",
    "SinCos": "Sin and Cos",
    "Clamp": "ClampMin and ClampMax, or Maxs and Mins",
    "IsNan": "Compare(dst, src, src, CMPMODE::NE, count)",
    "IsInf": "Abs and CompareScalar with the infinity",
    "IsFinite": "Abs and CompareScalar with the largest finite number",
    "LogicalNot": "CompareScalar(dst, src, 0, CMPMODE::EQ, count)",
    "LogicalAnd": "CompareScalar with CMPMODE::NE on each side, and And on the bits",
    "LogicalOr": "CompareScalar with CMPMODE::NE on each side, and Or on the bits",
    "LogicalXor": "CompareScalar with CMPMODE::NE on each side, and Xor on the bits",
    "LogicalAnds": "CompareScalar(dst, src, 0, CMPMODE::NE, count) where the scalar is true",
    "LogicalOrs": "CompareScalar(dst, src, 0, CMPMODE::NE, count) where the scalar is false",
    "BitwiseNot": "Not on int16_t",
    "BitwiseAnd": "And on int16_t",
    "BitwiseOr": "Or on int16_t",
    "BitwiseXor": "Xor on int16_t",
    "Where": "Select(dst, bitMask, src0, src1, SELMODE::VSEL_TENSOR_TENSOR_MODE, count) after a Compare",
    "PhiloxRandom": "random numbers that the host hands in as a tensor",
    "MicroAPI": "instructions on LocalTensor: this chip has no register-level vector functions",
    "Reg": "instructions on LocalTensor: this chip has no register-level vector functions",
    "RegTensor": "instructions on LocalTensor: this chip has no register-level vector functions",
    "VF_CALL": "instructions on LocalTensor: this chip has no register-level vector functions",
    "Simt": "instructions on LocalTensor: this chip has no SIMT threads",
    "asc_vf_call": "instructions on LocalTensor: this chip has no vector functions of its own",
    "threadIdx": "GetBlockIdx and a loop: this chip has no SIMT threads",
    "blockDim": "GetBlockNum: this chip has no SIMT threads",
    "Mutex": "SetFlag and WaitFlag",
    "ResetCtrlSpr": "SetAtomicNone, SetMaskNorm and their kin",
    "NdDmaConfig": "DataCopyPad with DataCopyExtParams, in a loop over the outer dimensions",
    "AtomicAdd": _BY_COPY.format("Add"),
    "AtomicMax": _BY_COPY.format("Max"),
    "AtomicMin": _BY_COPY.format("Min"),
    "AtomicCas": _BY_TURNS,
    "AtomicExch": _BY_TURNS,
    "asc_atomic_add": _BY_COPY.format("Add"),
    "asc_atomic_sub": _BY_COPY.format("Add"),
    "asc_atomic_inc": _BY_COPY.format("Add"),
    "asc_atomic_dec": _BY_COPY.format("Add"),
    "asc_atomic_max": _BY_COPY.format("Max"),
    "asc_atomic_min": _BY_COPY.format("Min"),
    "asc_atomic_cas": _BY_TURNS,
    "asc_atomic_exch": _BY_TURNS,
    "asc_atomic_and": _BY_TURNS,
    "asc_atomic_or": _BY_TURNS,
    "asc_atomic_xor": _BY_TURNS,
}  # fmt: skip
_PRODUCT = "LoadData and Mmad, or a Matmul object"
_IMAGE = "LoadData with LoadData3DParamsV2, and Mmad"
_BEFORE_910B = {
    "Gemm": _PRODUCT,
    "GemmTiling": _PRODUCT,
    "GetGemmTiling": _PRODUCT,
    "Conv2D": _IMAGE,
    "Conv2dParams": _IMAGE,
    "Conv2dTilling": _IMAGE,
    "GetConv2dTiling": _IMAGE,
}
_SEVERAL_DEVICES = (
    "Hccl",
    "GetHcclContext",
    "HcclTilingData",
    "Mc2InitTiling",
    "Mc2CcTiling",
    "Mc2CcTilingConfig",
    "HCCL_SERVER_TYPE_AICPU",
)
_TRAPS_OF_MEMORY = ("CheckLocalMemoryIA", "CheckLocalMemoryIAParam")
_CONVOLUTIONS = (
    "Conv3D",
    "Conv3dApi",
    "ConvApi",
    "Conv3dTilingApi",
    "Conv3DBackpropInput",
    "Conv3DBackpropFilter",
)
_IMAGES = ("LoadImageToLocal", "LoadImageToLocalParams", "SetAippFunctions", "AippParams")
_CUBE_GROUPS = ("KfcWorkspace", "CreateCubeResGroup", "CubeResGroupHandle")

# name -> what Atlas A2 has instead
LATER_CHIPS: dict[str, str] = _ON_950
EARLIER_CHIPS: dict[str, str] = _BEFORE_910B
# name -> what the twin says of it, and what to do
NOT_SIMULATED: dict[str, tuple[str, str]] = {
    name: (text, remedy)
    for names, text, remedy in (
        (
            _SEVERAL_DEVICES,
            "is communication among devices; the twin simulates one device.",
            "Verify what one device computes; run the communication on NPUs.",
        ),
        (
            _CONVOLUTIONS,
            "is a convolution of the library; the twin does not simulate it.",
            "Load the image's windows with LoadData and LoadData3DParamsV2, and multiply them with Mmad.",
        ),
        (
            _TRAPS_OF_MEMORY,
            "stops a core that touches a part of the Unified Buffer; the twin has no such watch.",
            "Take the call out: buffers that overlap or overrun are found without it.",
        ),
        (
            _IMAGES,
            "prepares images in the load path; the twin does not simulate it.",
            "Copy the image with DataCopy and convert it with vector instructions.",
        ),
        (
            _CUBE_GROUPS,
            "sends messages between vector cores and groups of cube cores; the twin does not simulate it.",
            "Drive a Matmul object from the vector cores, or order the cores with CrossCoreSetFlag.",
        ),
    )
    for name in names
}


_MATH = {
    "fabs": "abs(x) on a number, Abs on a tensor", "fabsf": "abs(x) on a number, Abs on a tensor",
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

# name of the standard library after C++11 -> what C++11 has; `is_same_v` and `decay_t` follow from their endings
AFTER_CPP11 = {
    "make_unique": "std::unique_ptr<T>(new T(...))", "exchange": "an assignment after a copy of the old value",
    "string_view": "const std::string &", "optional": "the value and a bool beside it",
    "nullopt": "the value and a bool beside it", "make_optional": "the value and a bool beside it",
    "variant": "one member for each type", "any": "a type of its own", "visit": "an if for each type",
    "clamp": "std::min(std::max(value, low), high)", "gcd": "a loop of remainders",
    "lcm": "a / gcd * b with a loop of remainders", "reduce": "std::accumulate",
    "size": "the member size(), or sizeof for an array", "empty": "the member empty()",
    "data": "the member data(), or the array", "as_const": "a const reference",
    "index_sequence": "a recursive template", "make_index_sequence": "a recursive template",
    "apply": "std::get for each element", "byte": "uint8_t", "cbegin": "the member cbegin()",
    "cend": "the member cend()", "filesystem": "functions on FILE", "shared_mutex": "std::mutex",
    "void_t": "a struct with a member type void", "bool_constant": "std::integral_constant<bool, value>",
}  # fmt: skip

# name -> what device code uses instead
HOST_NAMES: dict[str, str] = {**_LIBRARY, **_MATH, **_CONSTANTS}
