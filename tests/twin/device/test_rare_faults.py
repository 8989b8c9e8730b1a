"""Faults that a kernel seldom has, each told by its own code."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from akgen.tools.core.outcome import Outcome
from akgen.tools.core.project import KernelProject
from akgen.tools.twin.kernel.kernel_entry import check_entry
from tests.twin.device.conftest import FRAME

Probe = Any  # of conftest.py
X = np.ones(64, np.float32)
ENTRY = 'extern "C" __global__ __aicore__ void probe(GM_ADDR x) { x[0] = 1; }\n'


@pytest.mark.parametrize("ends", ["__builtin_trap();", "Trap();"])
def test_a_kernel_that_ends_itself_is_told(probe: Probe, ends: str) -> None:
    probe(f"    {ends} // HERE", X, X).assert_stopped("KERNEL_ABORT")


def test_a_kernel_that_leaves_its_process_is_told(probe: Probe) -> None:
    probe.runtime = probe.runtime.model_copy(update={"sealed": False})
    ran = probe('    asm volatile("syscall" : : "a"(231), "D"(7));', X, X)  # exit_group
    assert ran.one("KERNEL_CRASH").text.startswith("The kernel ended its process")


def test_a_pointer_that_belongs_to_no_tensor_is_told(probe: Probe) -> None:
    body = "    *(volatile int32_t *)0x10000000000ull = 1; // HERE"
    assert "0x10000000000" in probe(body, X, X).assert_stopped("BAD_POINTER").text


@pytest.mark.parametrize("limit", ["ulimit -v 90000; exec", "kill -9 $$;"])
def test_memory_that_runs_out_is_told(probe: Probe, tmp_path: Path, limit: str) -> None:
    flags = "SetFlag<HardEvent::V_MTE3>(EVENT_ID0); WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);"
    body = f"    for (int i = 0; i < 2000000; ++i) {{ {flags} }} // HERE\n"
    built = probe.build(FRAME % {"element": "float", "before": "", "task": "", "body": body, "more": ""})
    probe.build = lambda source: built  # not with the other launcher's folder
    own = tmp_path / "runtime"
    own.mkdir()
    for file in probe.runtime.folder.iterdir():
        (own / file.name).symlink_to(file)
    launcher = own / "akgen_twin_run"
    launcher.unlink()
    launcher.write_text(f'#!/bin/bash\n{limit} {probe.runtime.launcher} "$@"\n')
    launcher.chmod(0o755)
    probe.runtime = probe.runtime.model_copy(update={"folder": own})
    ran = probe(body, X, X)
    found = ran.one("LAUNCH_MEMORY")
    assert ran.launch.outcome == Outcome.TRAP and found.severity == "error"
    if "ulimit" in limit:
        assert "// HERE" in ran.source.splitlines()[(found.line or 0) - 1]


BUFFER = "    TBuf<TPosition::VECCALC> buf;\n    pipe.InitBuffer(buf, 8192);\n    LocalTensor<T> u = buf.Get<T>();\n"


def test_lists_that_cannot_be_merged_are_told(probe: Probe) -> None:
    body = BUFFER + (
        "    MrgSort4Info info;\n    info.validBit = 5;\n    info.elementLengths[0] = 8;\n"
        "    info.elementLengths[2] = 8;\n"
        "    MrgSort(u[512], MrgSortSrcList<T>(u, u[64], u[128], u[192]), info); // HERE\n"
    )
    found = probe(body, X, X).assert_stopped("SORT_LISTS")
    assert "validBit must be 0b11, 0b111 or 0b1111; got 5" in found.text


def test_the_high_half_of_a_block_is_for_bytes_only(probe: Probe) -> None:
    body = BUFFER + (
        "    LocalTensor<T> d[16], s[16];\n"
        "    for (int i = 0; i < 16; ++i) {\n        d[i] = u[1024 + 8 * i];\n        s[i] = u[8 * i];\n    }\n"
        "    TransDataTo5HDParams p(true, false, 1, 0, 0);\n    TransDataTo5HD<T>(d, s, p); // HERE\n"
    )
    found = probe(body, X, X).assert_stopped("TRANSPOSE_PARAMS")
    assert "8-bit types only" in found.text


def _attaches(shapes: int) -> str:
    """Return a kernel that attaches so many different shapes, each twice, and reads each back."""
    return BUFFER + (
        f"    for (uint32_t i = 0; i < 2 * {shapes}; ++i) {{\n"
        "        const uint32_t sizes[] = {i / 512 + 1, i / 2 % 256 + 1};\n"
        "        u.SetShapeInfo(ShapeInfo(2, sizes)); // HERE\n"
        "        if (u.GetShapeInfo().shape[1] != sizes[1]) { Trap(); }\n    }\n"
    )


def test_more_shapes_than_there_are_numbers_for_are_told(probe: Probe) -> None:
    assert "65535" in probe(_attaches(65536), X, X).assert_stopped("SHAPE_INFO").text


def test_as_many_shapes_as_there_are_numbers_for_are_kept_apart(probe: Probe) -> None:
    assert probe(_attaches(65535), X, X).codes == []


def test_a_compile_that_takes_more_than_it_is_given_is_told(probe: Probe) -> None:
    much = "extern const char much[0x10000000000]; const char much[0x10000000000] = {1};"
    built = probe.build(f'#include "kernel_operator.h"\n{much}\n{ENTRY}')
    assert [d.code for d in built.diagnostics] == ["COMPILE_RESOURCES"]


def test_a_project_without_its_kernels_file_is_told() -> None:
    project = KernelProject(
        op_type="Probe", kernel="probe", files={"op_kernel/other.cpp": "", "op_host/probe.cpp": ""}
    )
    _, (found,) = check_entry(project, None)
    assert found.code == "KERNEL_FILE"
    assert "op_kernel/probe.cpp is missing; op_kernel holds op_kernel/other.cpp" in found.text
