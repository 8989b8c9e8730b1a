"""Faults of the kernel's own code, each told with its line; and names that a kernel must not find."""

import struct

import numpy as np
import pytest

from akgen.tools.core.outcome import Outcome


def test_a_null_pointer_is_told(probe, numbers):
    x = numbers(8)
    probe("*(volatile float *)nullptr = 1.0f; // HERE", x, x).assert_stopped("NULL_POINTER")


def test_a_pointer_far_behind_a_tensor_is_an_overrun(probe, numbers):
    x = numbers(8)
    probe("((volatile float *)y)[1024] = 1.0f; // HERE", x, x).assert_stopped("GM_OVERRUN")


def test_bytes_behind_an_output_are_guarded(probe, numbers):
    x = numbers(8)
    ran = probe("((volatile float *)y)[400] = 1.0f;", x, x)
    assert "4 bytes are written at byte 1600 of 'output_0'" in ran.one("GM_OVERRUN").text


@pytest.mark.parametrize(
    "access", ["a.GetValue(64)", "(a.SetValue(70, 1.0f), 0.0f)", "a[60].GetValue(5)", "a(64)"]
)
def test_an_element_past_the_buffer_is_told(probe, numbers, access):
    x = numbers(8)
    body = f"""
    TBuf<> b, c;
    pipe.InitBuffer(b, 256);
    pipe.InitBuffer(c, 256);
    auto a = b.Get<T>();
    float v = {access}; // HERE
"""
    probe(body + "out.SetValue(0, v);", x, x).assert_warned("TENSOR_RANGE")


@pytest.mark.parametrize("write", ["in(2) = 1.0f;", "float &first = in(0); first += 1.0f;"])
def test_a_write_through_a_reference_to_an_input_is_told(probe, numbers, write):
    x = numbers(8)
    probe(write + " // HERE", x, x).assert_stopped("INPUT_OVERWRITTEN")


def test_a_tensor_without_memory_cannot_be_used(probe, numbers):
    x = numbers(8)
    probe("TBuf<> b; auto a = b.Get<T>();\n DataCopy(a, in, 8); // HERE", x, x).assert_stopped("TENSOR_RANGE")


@pytest.mark.parametrize("code", ["assert(in.GetSize() > 1u << 30);", 'assert(false, "%d rows", 3);'])
def test_a_condition_that_does_not_hold_ends_the_kernel(probe, numbers, code):
    x = numbers(8)
    probe(code + " // HERE", x, x).assert_stopped("KERNEL_ASSERT")


def test_a_division_by_zero_is_told(probe, numbers):
    x = numbers(8)
    body = "volatile int zero = 0;\n int v = 8 / zero; // HERE\n out.SetValue(0, v);"
    ran = probe(body, x, x)
    assert ran.one("SCALAR_DIVISION").severity == "warning"
    assert ran.launch.outcome is None


def test_recursion_without_end_is_told(probe, numbers):
    x = numbers(8)
    body = "volatile char room[4096]; room[0] = n; return deeper(n + 1) + room[0];"
    before = f"__aicore__ int deeper(volatile int n) {{ {body} }}"
    ran = probe("out.SetValue(0, deeper(0));", x, x, before=before)
    assert ran.one("STACK_OVERFLOW").severity == "error"


def test_an_empty_workspace_is_no_place_to_write(probe, numbers):
    x = numbers(8)
    body = """
    GlobalTensor<T> w;
    w.SetGlobalBuffer((__gm__ T *)GetUserWorkspace(workspace));
    w.SetValue(0, 1.0f); // HERE"""
    probe(body, x, x).assert_stopped("GM_OVERRUN")
    ran = probe(body + "\n out.SetValue(0, w.GetValue(0));", x, x, workspace_bytes=(16 << 20) + 32)
    assert ran.codes == []


def test_tiling_data_must_be_as_long_as_the_kernel_reads(probe, numbers):
    x = numbers(8)
    before = "struct Sizes { uint32_t n; uint32_t m; float scale; };"
    body = "GET_TILING_DATA_WITH_STRUCT(Sizes, t, tiling); // HERE\n out.SetValue(0, t.n + t.m * t.scale);"
    good = probe(body, x, x, before=before, tiling=struct.pack("<IIf", 3, 4, 0.5))
    assert good.codes == []
    assert good.y[0] == 5
    probe(body, x, x, before=before, tiling=struct.pack("<II", 3, 4)).assert_stopped("TILING_DATA")


def test_what_was_never_written_is_nan(probe, numbers):
    x = numbers(8)
    ran = probe("out.SetValue(3, 1.0f);", x, x)
    assert np.isnan(np.delete(ran.y, 3)).all()


@pytest.mark.parametrize(
    ("include", "use"),
    [
        ("", "float v = fabs(-1.0f);"),
        ("#include <cmath>", "float v = std::exp(1.0f);"),
        ("#include <vector>", "std::vector<int> v;"),
        ("#include <cstdio>", 'fopen("x", "r");'),
        ("", "float v = FLT_MAX;"),
        ("#include <cstdlib>", "void *v = malloc(8);"),
        ("", "double v = M_PI;"),
    ],
)
def test_host_names_are_unknown(probe, include, use):
    source = (
        include
        + '\n#include "kernel_operator.h"\nextern "C" __global__ __aicore__ void probe(GM_ADDR x) { '
        + use
        + " }"
    )
    assert probe.build(source).library is None


def test_type_traits_are_known(probe, numbers):
    x = numbers(8)
    body = "if constexpr (std::is_same_v<T, float>) { out.SetValue(0, std::conditional_t<true, int, float>(7.9f)); }"
    assert probe(body, x, x).y[0] == 7


def test_time_that_runs_out_anywhere_is_told_as_such(probe, numbers):
    """Before the first core, among them, and while the time of what they did is worked out."""
    x = numbers(1 << 20)
    body = "TBuf<> b; pipe.InitBuffer(b, 32); for (int i = 0; i < 3000; ++i) { PipeBarrier<PIPE_V>(); }"
    for limit in (0.004, 0.008, 0.015, 0.03, 0.05):
        launch = probe(body, x, x, block_dim=48, timeout_s=limit).launch
        assert launch.outcome in (None, Outcome.TIMEOUT), launch.diagnostics
