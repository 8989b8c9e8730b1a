"""Element types that the vendor's reference does not list for Atlas A2 are refused when compiled, with the list."""

from typing import Any

import pytest

HEAD = """#include "kernel_operator.h"
#include "lib/matmul_intf.h"
using namespace AscendC;
LocalTensor<uint8_t> w;
LayerNormTiling layer;
RmsNormTiling rms;
GroupNormTiling group;
BatchNormTiling batch;
DeepNormTiling deep;
LayerNormGradTiling grad;
LayerNormGradBetaTiling grad_beta;
LayerNormSeparateTiling separate;
SoftMaxTiling soft;
PadTiling pad;
UnPadTiling unpad;
ConfusionTransposeTiling turn;
PadParams wide;
UnPadParams narrow;
AntiQuantShapeInfo shape;
extern "C" __global__ __aicore__ void vector_cases(GM_ADDR x, GM_ADDR y)
{
    LocalTensor<int32_t> i;
    LocalTensor<bfloat16_t> b;
    LocalTensor<half> h;
    LocalTensor<float> f;
    LocalTensor<int8_t> q;
    LocalTensor<int64_t> l;
    LocalTensor<uint64_t> u;
    GlobalTensor<float> gf;
    GlobalTensor<half> gh;
    GlobalTensor<int32_t> gi;
    TPipe pipe;
"""
OBJECT = """matmul::Matmul<MatmulType<TPosition::GM, CubeFormat::ND, %s>, MatmulType<TPosition::GM, CubeFormat::ND, %s>,
    MatmulType<TPosition::GM, CubeFormat::ND, %s>> %s;
"""
BFLOAT = "bfloat16_t(1.0f)"
# Calls of a family, each on a line of its own, with the name and the types that the finding must give.
FAMILIES = {
    "norms": [
        (f"LayerNorm(b, b, b, b, b, b, w, {BFLOAT}, layer);", "LayerNorm", "half, float"),
        (f"RmsNorm(b, b, b, w, {BFLOAT}, rms);", "RmsNorm", "half, float"),
        ("GroupNorm(i, i, i, i, i, i, w, 1, group);", "GroupNorm", "half, float"),
        (f"BatchNorm(b, b, b, b, b, b, w, {BFLOAT}, batch);", "BatchNorm", "half, float"),
        ("DeepNorm(i, i, i, i, i, i, i, w, 1, 1, deep);", "DeepNorm", "half, float"),
    ],
    "norms in parts and gradients": [
        ("Normalize<float, bfloat16_t>(b, f, f, f, b, f, f, w, 1e-5f, {});", "Normalize", "half, float"),
        ("LayerNorm<float, int32_t>(i, f, f, i, f, f, 1e-5f, w, {}, separate);", "LayerNorm", "half, float"),
        (f"LayerNormGrad(b, b, b, b, b, b, b, w, {BFLOAT}, grad);", "LayerNormGrad", "half, float"),
        ("LayerNormGradBeta(i, i, i, i, w, grad_beta);", "LayerNormGradBeta", "half, float"),
    ],
    "Welford": [
        ("WelfordUpdate<bfloat16_t, float>(f, f, f, f, b, w, {});", "WelfordUpdate", "half, float"),
        ("WelfordUpdate<half, half>(h, h, h, h, h, w, {});", "WelfordUpdate", "supported: float"),
    ],
    "layouts": [
        ("DropOut(i, i, w, w, 0.5f, {});", "DropOut", "half, float"),
        ("Pad(q, q, wide, w, pad);", "Pad", "half, int16_t, uint16_t, int32_t, uint32_t, float"),
        ("UnPad(b, b, narrow, w, unpad);", "UnPad", "half, int16_t, uint16_t, int32_t, uint32_t, float"),
        ("ConfusionTranspose(q, q, w, TransposeType::TRANSPOSE_ND2ND_ONLY, turn);", "ConfusionTranspose", "half, "),
    ],
    "quantisation": [
        ("AscendQuant(q, b, w, 1.0f, 0.0f, 8);", "AscendQuant", "half, float"),
        ("AscendDequant(i, i, f, w, {1, 8, 8});", "AscendDequant", "half, bfloat16_t, float"),
        ("AscendDequant(h, i, h, w, {1, 8, 8});", "AscendDequantScale", "uint64_t, float, bfloat16_t"),
        ("AscendAntiQuant<int8_t, float, false>(f, q, f, f, w, 1, shape);", "AscendAntiQuant", "half, bfloat16_t"),
        ("AscendAntiQuant<half, half, false>(h, h, h, h, w, 1, shape);", "AscendAntiQuantSource", "int8_t, int4b_t"),
    ],
    "softmax": [
        ("SoftmaxFlashV3<float, float>(f, f, f, f, f, f, f, f, f, w, soft, {});", "SoftmaxFlashV3", "supported: half"),
        ("SoftmaxFlashV3<half, half>(h, h, h, h, h, h, h, h, h, w, soft, {});", "SoftmaxFlashV3", "supported: float"),
        ("SoftmaxFlashV2<bfloat16_t>(b, b, b, b, b, b, b, w, soft);", "SoftMax", "half, float"),
    ],
    "softmax gradient": [("SoftmaxGrad(i, i, i, w, soft);", "SoftMax", "half, float")],
    "batches of two types": [("mixed.IterateBatch(gf, 2, 2, false);", "Matmul", "A and B of one type")],
    "batches into int32": [("whole.IterateBatch(gi, 2, 2, false);", "Matmul", "half, bfloat16_t, float -> float")],
    "products of 64 bits": [("long_one.IterateAll(gf);", "Matmul", "int8_t, int4b_t -> int32_t")],
    "a bias for bytes": [("bytes.SetBias(gf);", "Matmul", "int8_t, int4b_t -> int32_t")],
}  # fmt: skip
OBJECTS = "".join(
    OBJECT % types
    for types in (
        ("half", "float", "float", "mixed"),
        ("half", "half", "int32_t", "whole"),
        ("int8_t", "int8_t", "float", "bytes"),
        ("int64_t", "int64_t", "float", "long_one"),
    )
)


@pytest.mark.parametrize("family", FAMILIES)
def test_a_type_that_is_not_listed_is_refused(bench: Any, family: str) -> None:
    calls = FAMILIES[family]
    source = HEAD + OBJECTS + "\n".join(f"    {call}" for call, _, _ in calls) + "\n}\n"
    found = bench.build(source).diagnostics
    assert [d.code for d in found] == ["DTYPE_UNSUPPORTED"] * len(calls), found
    lines = source.splitlines()
    by_line = {lines[d.line - 1].strip(): d.text for d in found}
    for call, name, types in calls:
        assert by_line[call].startswith(f"{name} does not take") and types in by_line[call], by_line[call]


@pytest.mark.parametrize(
    "call",
    [
        "Log(f, f, w, 8);",
        "Log10(h, h, w, 8);",
        "DropOut(f, f, w, w, 0.5f, {1, 8, 8});",
        "Floor(f, f);",
        "Ceil(h, h, w);",
        "Round(f, f);",
        "ReGlu(f, f, f);",
    ],
)
def test_forms_that_the_reference_does_not_have_are_refused(bench: Any, call: str) -> None:
    built = bench.build(HEAD + f"    {call}\n}}\n")
    assert built.library is None
    assert {d.code for d in built.diagnostics} <= {"WRONG_ARGUMENTS", "WRONG_ARITY"}, built.diagnostics


def test_a_configuration_of_top_k_belongs_to_later_chips(bench: Any) -> None:
    code = (
        "static constexpr TopKConfig radix{TopKAlgo::RADIX_SELECT, TopKOrder::UNSET, true};\n"
        "    struct { int unused; } t{};\n    LocalTensor<bool> none;\n"
        "    TopK<float, false, false, false, TopKMode::TOPK_NORMAL, radix>(f, i, f, i, none, 4, t, TopKInfo{});"
    )
    built = bench.build(HEAD + f"    {code}\n}}\n")
    assert [d.code for d in built.diagnostics] == ["OTHER_CHIP"], built.diagnostics
