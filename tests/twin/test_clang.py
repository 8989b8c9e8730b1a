"""clang++ serves as well as g++: runtime, host code, kernels of one and of both kinds of core, CPU unit tests."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from akgen.tools.core.outcome import Outcome
from akgen.tools.core.project import KernelProject
from akgen.tools.twin.settings import TwinSettings, user_cache
from akgen.tools.twin.toolchain import TwinToolchain
from akgen.tools.twin.unit_test import UnitTest, run_unit_test
from tests.twin.compilers import CLANG, NEEDS_CLANG

pytestmark = [pytest.mark.slow, NEEDS_CLANG]  # it builds a runtime of its own
MIXED = """
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIC_1_2);
    if ASCEND_IS_AIC {
        CrossCoreSetFlag<2, PIPE_FIX>(3);
        return;
    }
    CrossCoreWaitFlag(3);
    if (GetSubBlockIdx() == 1) {
        return;
    }
"""


@pytest.fixture(scope="module")
def clang() -> TwinToolchain:
    toolchain = TwinToolchain(TwinSettings(cache=user_cache(os.environ), compiler=CLANG))
    toolchain.prepare(print)
    return toolchain


@pytest.mark.parametrize("both_cores", [False, True])
def test_a_project_runs(
    clang: TwinToolchain, project: Callable[..., KernelProject], calls: Any, tmp_path: Path, both_cores: bool
) -> None:
    read = "    GET_TILING_DATA(data, tiling);\n"
    edited = project("scale_add", kernel=(read, read + (MIXED if both_cores else "")))
    # One block has it all: the second vector core has nothing to do.
    x = np.random.default_rng(1).standard_normal(60 if both_cores else 1000).astype(np.float32)
    call = calls.scale_add(x, x, tmp_path, alpha=3.0)
    build = clang.compile(edited, [call], tmp_path / "build")
    assert build.outcome is None, build.diagnostics
    launch = clang.run(build, call, tmp_path / "run")
    assert (launch.outcome, launch.diagnostics) == (None, ())
    np.testing.assert_array_equal(calls.read(launch.outputs[0]), x + x * np.float32(3))


def test_what_does_not_compile_is_told_at_its_line(
    clang: TwinToolchain, project: Callable[..., KernelProject], calls: Any, tmp_path: Path
) -> None:
    read = "    GET_TILING_DATA(data, tiling);\n"
    edited = project("scale_add", kernel=(read, read + "    no_such_function();\n"))
    build = clang.compile(
        edited, [calls.scale_add(np.ones(8, np.float32), np.ones(8, np.float32), tmp_path)], tmp_path / "b"
    )
    assert build.outcome is Outcome.COMPILE_ERROR
    lines = edited.files[edited.kernel_file].splitlines()
    assert build.diagnostics[0].line == lines.index("    no_such_function();") + 1


def test_unit_tests_run(clang: TwinToolchain, tmp_path: Path) -> None:
    source = Path(__file__).parent / "unit" / "modes_test.cpp"
    test = UnitTest(sources=(source,), folder=tmp_path)
    result = run_unit_test(test, clang.runtime, clang.chip_file, tmp_path / "build")
    assert result.passed, result
