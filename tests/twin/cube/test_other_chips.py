"""Calls of other chips are refused when compiled, at their line, with what takes their place."""

import pytest

FRAME = """#include "kernel_operator.h"
using namespace AscendC;
extern "C" __global__ __aicore__ void probe(GM_ADDR x, GM_ADDR workspace, GM_ADDR tiling)
{
    %s
}
"""


@pytest.mark.parametrize(
    ("call", "name", "chips", "instead"),
    [
        ("AtomicAdd((__gm__ int32_t *)x, int32_t(1));", "AtomicAdd", "later", "SetAtomicAdd<T>()"),
        ("AscendC::AtomicMax((__gm__ float *)x, 1.0f);", "AtomicMax", "later", "SetAtomicMax<T>()"),
        ("uint32_t old = AtomicCas((__gm__ uint32_t *)x, 1u, 2u);", "AtomicCas", "later", "SyncAll"),
        ("AtomicExch<int64_t>((__gm__ int64_t *)x, 1);", "AtomicExch", "later", "SyncAll"),
        ("asc_atomic_or((__ubuf__ uint32_t *)x, 1u);", "asc_atomic_or", "later", "SyncAll"),
        ("auto cut = GetGemmTiling<half>(16, 16, 16);", "GetGemmTiling", "earlier", "Mmad"),
        ("Conv2dParams image; Conv2D(c, a, b, image, cut);", "Conv2dParams", "earlier", "LoadData3DParamsV2"),
    ],
)
def test_a_call_is_refused_at_its_line(probe, call, name, chips, instead):
    source = FRAME % call
    built = probe.build(source)
    assert built.library is None
    found = built.diagnostics[0]
    assert found.code == "OTHER_CHIP", built.diagnostics
    assert f"{name} is an API of {chips} chips" in found.text and instead in (found.remedy or "")
    assert name in source.splitlines()[(found.line or 0) - 1]


@pytest.mark.parametrize(
    ("call", "name", "instead"),
    [
        ("Conv3dApi::Conv3D<I, W, O, B> conv;", "Conv3dApi", "LoadData3DParamsV2"),
        ("KfcWorkspace messages(x);", "KfcWorkspace", "CrossCoreSetFlag"),
    ],
)
def test_what_is_not_simulated_is_told_from_what_does_not_exist(probe, call, name, instead):
    found = probe.build(FRAME % call).diagnostics[0]
    assert found.code == "NOT_SIMULATED" and found.text.startswith(f"{name} ")
    assert instead in (found.remedy or "")


def test_the_control_register_has_one_bit_for_kernels(probe):
    found = probe.build(FRAME % "SetCtrlSpr<6, 8>(2);").diagnostics[0]
    assert found.code == "OTHER_CHIP" and "bit 48" in found.text


@pytest.mark.parametrize(
    "call", ["SetAtomicAdd<uint32_t>()", "SetAtomicMax<uint8_t>()", "SetAtomicType<int64_t>()"]
)
def test_copies_accumulate_the_types_of_this_chip(probe, call):
    built = probe.build(FRAME % f"{call}; SetAtomicNone();")
    assert [d.code for d in built.diagnostics] == ["DTYPE_UNSUPPORTED"]
    assert "half, bfloat16_t, float, int8_t, int16_t, int32_t" in built.diagnostics[0].text
