"""What the vector side refuses: at run time with a code and the line, at compile time with the dtypes it takes."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.sampled import sampled

X = np.ones(256, np.float32)
H = np.ones(256, np.float16)

REFUSED = {
    "mask": (
        "Add(out, a, a, 65, 1, {1, 1, 1, 8, 8, 8});",
        X,
        "MASK_RANGE",
        "mask 65 exceeds the 64 elements",
    ),
    "bit-mask": (
        "uint64_t m[2] = {1, 1};\n    Add(out, a, a, m, 1, {1, 1, 1, 8, 8, 8});",
        X,
        "MASK_RANGE",
        "lanes past 63",
    ),
    "vector-mask": ("SetVectorMask<float>(65);", X, "MASK_RANGE", "65"),
    "repeats": ("WholeReduceSum(out, a, 64, 256, 1, 1, 8);", X, "REPEAT_RANGE", "256 repeats"),
    "stride": ("Exp(out, a, 64, 2, {1, 1, 256, 8});", X, "STRIDE_RANGE", "256"),
    "count": ("Add(out, a, a, -1);", X, "VECTOR_COUNT", "negative"),
    "past-the-buffer": ("Add(out, a, a, 60000);", X, "TENSOR_RANGE", "Add"),
    "last-repeat": ("Add(out, a, a, 64, 255, {1, 1, 1, 8, 255, 8});", X, "TENSOR_RANGE", "Add"),
    "no-memory": ("LocalTensor<float> none;\n    Add(out, none, a, 8);", X, "WRONG_MEMORY", "src0"),
    "cube-memory": (
        "LocalTensor<float> far(TPosition::A1, 0, 64);\n    Add(far, a, a, 8);",
        X,
        "WRONG_MEMORY",
        "dst does not lie in the Unified Buffer",
    ),
    "unaligned": ("Adds(out, a[1], 1.0f, 8);", X, "UB_ALIGNMENT", "src0"),
    "unaligned-destination": ("Adds(out[3], a, 1.0f, 8);", X, "UB_ALIGNMENT", "dst"),
    "overlap": (
        "Adds(out[64], out, 1.0f, 128);",
        X,
        "PARTIAL_OVERLAP",
        "repeat 0 writes what repeat 1 reads",
    ),
    "work": (
        "TBuf<TPosition::VECCALC> small; pipe.InitBuffer(small, 32);\n"
        "    ReduceMax(out, a, small.Get<float>(), 4096);",
        np.ones(4096, np.float32),
        "WORK_TENSOR",
        "512 bytes",
    ),
    "cast-mode": (
        "Cast(out.ReinterpretCast<int32_t>(), a, RoundMode::CAST_NONE, 8);",
        X,
        "CAST_MODE",
        "float to int32_t",
    ),
    "block-repeats": ("Brcb(out, a, 255, {1, 8});", X, "REPEAT_RANGE", "at most 254"),
    "top-k-rows": (
        "TopkTiling t; LocalTensor<bool> f; auto i = tmp.ReinterpretCast<int32_t>();\n"
        "    TopK<float>(out, i, a, i[64], f, 4, t, TopKInfo{1, 40, 40});",
        X,
        "VECTOR_COUNT",
        "whole runs of 32",
    ),
    "compare-mode": (
        "LocalTensor<int32_t> n = a.ReinterpretCast<int32_t>();\n    Compare(tmp, n, n, CMPMODE::LT, 64);",
        X,
        "COMPARE_MODE",
        "CMPMODE::EQ only, not with CMPMODE::LT",
    ),
    "select-mode": (
        "Select(out, tmp, a, 1.0f, SELMODE::VSEL_TENSOR_TENSOR_MODE, 64);",
        X,
        "SELECT_MODE",
        "VSEL_TENSOR_SCALAR_MODE",
    ),
    "gather-offset": (
        "Duplicate(tmp.ReinterpretCast<uint32_t>(), 3u, 8);\n"
        "    Gather(out, a, tmp.ReinterpretCast<uint32_t>(), 0, 8);",
        X,
        "GATHER_OFFSET",
        "3",
    ),
    "gather-range": (
        "Duplicate(tmp.ReinterpretCast<uint32_t>(), 400000u, 8);\n"
        "    Gather(out, a, tmp.ReinterpretCast<uint32_t>(), 0, 8);",
        X,
        "TENSOR_RANGE",
        "400000",
    ),
    "gather-pattern": (
        "uint64_t n = 0;\n    GatherMask(out, a, (uint8_t)8, false, 0, {1, 1, 8, 0}, n);",
        X,
        "GATHER_PATTERN",
        "1 to 7",
    ),
    "broadcast": (
        "uint32_t d[2] = {4, 64}, s[2] = {2, 64};\n    Broadcast<float, 2, 0>(out, a, d, s);",
        X,
        "BROADCAST_SHAPE",
        "axis 0",
    ),
    "softmax-row": (
        "SoftMaxTiling t{};\n    t.srcM = 2; t.srcK = 30;\n    SoftMax(out, a, tmp, t);",
        X,
        "UB_ALIGNMENT",
        "30 elements",
    ),
    "sum-row": ("Sum(out, a, tmp, {2, 64, 70});", X, "VECTOR_COUNT", "70"),
}


@pytest.mark.parametrize("name", sampled(REFUSED, 3))
def test_run_time(bench: Any, case: Any, tmp_path: Path, name: str) -> None:
    code, x, expected, part = REFUSED[name]
    done = bench.launch([case(name, code, (x,), x, x)], tmp_path)
    assert done.outcome == "trap"
    finding = next(d for d in done.diagnostics if d.severity == "error")
    assert (finding.code, part in finding.text) == (expected, True), finding
    source = bench.last_source.splitlines()
    assert any(word in source[finding.line - 1] for word in code.splitlines()), source[finding.line - 1]


def test_a_shifted_overlap_that_the_chip_survives_is_a_warning(bench: Any, case: Any, tmp_path: Path) -> None:
    done = bench.launch([case("shift", "Adds(out, out[8], 0.0f, 128);", (), X, X)], tmp_path)
    assert done.outcome is None
    assert ("PARTIAL_OVERLAP", "warning") in [(d.code, d.severity) for d in done.diagnostics]


@pytest.mark.parametrize("code", ["Tanh(out, a, {}, 64);", "GeGLU(out, a, a, {});"])
def test_a_temporary_buffer_has_memory_of_its_own(bench: Any, case: Any, tmp_path: Path, code: str) -> None:
    for given, warned in (("a.ReinterpretCast<uint8_t>()", True), ("tmp", False)):
        done = bench.launch([case("t", code.format(given), (X,), X, X)], tmp_path / str(warned))
        assert (
            ("TEMPORARY_OVERLAP", "warning") in [(d.code, d.severity) for d in done.diagnostics]
        ) == warned


TYPES = {
    "Add": ("int64_t", "Add(t, t, t, 8);", "half, int16_t, int32_t, float"),
    "Exp": ("int32_t", "Exp(t, t, 8);", "half, float"),
    "And": ("float", "And(t, t, t, 8);", "int16_t, uint16_t"),
    "Duplicate": ("bool", "Duplicate(t, true, 8);", "half, bfloat16_t, int16_t"),
    "Muls": ("bfloat16_t", "Muls(t, t, bfloat16_t(1.0f), 8);", "half, int16_t, int32_t, float"),
    "Tanh": ("int32_t", "Tanh(t, t, 8);", "half, float"),
    "SoftMax": ("bfloat16_t", "SoftMaxTiling s{};\n    SoftMax(t, t, s);", "half, float"),
    "ReduceSum": ("int32_t", "ReduceSum(t, t, t, 8);", "half, float"),
    "Cast": ("int8_t", "LocalTensor<float> f;\n    Cast(f, t, RoundMode::CAST_NONE, 8);", "int8_t -> half"),
}


@pytest.mark.parametrize("api", TYPES)
def test_dtypes_at_compile_time(bench: Any, api: str) -> None:
    dtype, code, supported = TYPES[api]
    found = bench.build(_kernel(f"LocalTensor<{dtype}> t;\n    {code}")).diagnostics
    assert found[0].code == "DTYPE_UNSUPPORTED", found
    assert api in found[0].text and supported in found[0].text
    assert found[0].file == "op_kernel/vector_cases.cpp" and found[0].line is not None


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("Muls(t, t, t, 8);", "WRONG_ARGUMENTS"),
        ("Add(t, t, t);", "WRONG_ARITY"),
        ("Adds(t, t, 1, 8);", "WRONG_ARGUMENTS"),
        ("ReduceSum(t, t, 8);", "WRONG_ARGUMENTS"),
    ],
)
def test_arguments_that_cann_refuses(bench: Any, code: str, expected: str) -> None:
    built = bench.build(_kernel(f"LocalTensor<float> t;\n    {code}"))
    assert built.library is None
    assert built.diagnostics[0].code == expected, built.diagnostics


AS_ARGUMENTS = """#include "kernel_operator.h"
using namespace AscendC;
template <typename T> using Tensor = const LocalTensor<T> &;
template <typename T> using Two = void(Tensor<T>, Tensor<T>, Tensor<T>, const int32_t &);
template <typename T> using Scaled = void(Tensor<T>, Tensor<T>, const T &, const int32_t &);
template <typename T> using High = void(Tensor<T>, Tensor<T>, const uint32_t);
template <typename T>
using Low = void(Tensor<T>, Tensor<T>, Tensor<T>, uint64_t, const uint8_t, const BinaryRepeatParams &);
template <typename T, Two<T> *two, Scaled<T> *scaled, High<T> *high, Low<T> *low>
__aicore__ inline void all(const LocalTensor<T> &t)
{
    two(t, t, t, 8);
    scaled(t, t, T(1), 8);
    high(t, t, 8);
    low(t, t, t, 8, 1, {1, 1, 1, 8, 8, 8});
}
extern "C" __global__ __aicore__ void vector_cases(GM_ADDR x, GM_ADDR y)
{
    LocalTensor<float> t;
    all<float, Add, Muls, Erf<float, false>, Div>(t);
}
"""


def test_functions_can_be_template_arguments(bench: Any) -> None:
    built = bench.build(AS_ARGUMENTS)
    assert built.library is not None, built.diagnostics


def _kernel(body: str) -> str:
    head = '#include "kernel_operator.h"\nusing namespace AscendC;\n'
    return (
        head
        + f'extern "C" __global__ __aicore__ void vector_cases(GM_ADDR x, GM_ADDR y)\n{{\n    {body}\n}}\n'
    )


def test_values_alone_of_whole_reductions_are_warned_of_where_indices_stop(
    bench: Any, case: Any, tmp_path: Path
) -> None:
    call = "WholeReduceMax(out[1], a, 64, 1, 1, 1, 8, ReduceOrder::{});"
    for order, severity in (("ORDER_ONLY_VALUE", "warning"), ("ORDER_INDEX_VALUE", "error")):
        done = bench.launch([case("t", call.format(order), (X,), X, X)], tmp_path / order)
        assert [(d.code, d.severity) for d in done.diagnostics] == [("UB_ALIGNMENT", severity)]
