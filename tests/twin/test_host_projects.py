"""Whole projects: host code compiled, tiled, launched; what comes out is right."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from akgen.tools.core.call import Attr, Call, OutputMeta
from akgen.tools.core.dtypes import DType
from akgen.tools.core.outcome import Outcome
from akgen.tools.core.project import KernelProject
from akgen.tools.twin.toolchain import TwinToolchain

Projects = Callable[..., KernelProject]


@pytest.mark.parametrize("shape", [(1,), (7, 13), (48, 64, 5), (3, 10000)])
@pytest.mark.parametrize("dtype", ["float32", "float16"])
def test_a_project_runs_as_it_stands(
    twin: TwinToolchain, project: Projects, calls: Any, tmp_path: Path, shape: tuple[int, ...], dtype: str
) -> None:
    values = np.random.default_rng(5)
    x, z = (values.standard_normal(shape).astype(dtype) for _ in range(2))
    call = calls.scale_add(x, z, tmp_path, alpha=-2.0)
    build = twin.compile(project("scale_add"), [call], tmp_path / "build")
    assert build.outcome is None, build.diagnostics
    launch = twin.run(build, call, tmp_path / "run")
    assert launch.outcome is None, launch.diagnostics
    assert launch.tiling_key == (1 if dtype == "float32" else 2)
    expected = x + (z * np.float32(-2.0)).astype(dtype)
    np.testing.assert_array_equal(calls.read(launch.outputs[0]), expected)


def test_an_attribute_that_is_left_out_takes_its_default(
    twin: TwinToolchain, project: Projects, calls: Any, tmp_path: Path
) -> None:
    x = np.ones(100, np.float32)
    call = calls.scale_add(x, x, tmp_path)
    build = twin.compile(project("scale_add"), [call], tmp_path / "build")
    launch = twin.run(build, call, tmp_path / "run")
    np.testing.assert_array_equal(calls.read(launch.outputs[0]), 2.5 * x)


def test_a_list_is_worked_on_in_place(
    twin: TwinToolchain, project: Projects, calls: Any, tmp_path: Path
) -> None:
    tensors = [np.arange(n, dtype=np.float32) for n in (5, 64, 1000)]
    files = tuple(calls.tensor(t, tmp_path, f"x{i}") for i, t in enumerate(tensors))
    factor = calls.tensor(np.array([3.0], np.float32), tmp_path, "factor")
    call = Call(inputs=(files, factor), outputs=(OutputMeta(meta=files, aliases=0),))
    build = twin.compile(project("list_scale"), [call], tmp_path / "build")
    assert build.outcome is None, build.diagnostics
    launch = twin.run(build, call, tmp_path / "run")
    assert launch.outcome is None, launch.diagnostics
    assert launch.block_dim == 3
    got = launch.outputs[0]
    assert isinstance(got, tuple)
    for file, before in zip(got, tensors, strict=True):
        np.testing.assert_array_equal(calls.read(file), 3 * before)


def test_nested_structs_reach_the_kernel_as_the_host_laid_them_out(
    twin: TwinToolchain, project: Projects, calls: Any, tmp_path: Path
) -> None:
    x = calls.tensor(np.zeros(8, np.float16), tmp_path, "x")
    call = Call(
        inputs=(x, None),
        attrs=(Attr(name="axis", value=-1), Attr(name="sizes", value=(4, 5))),
        outputs=(OutputMeta(meta=calls.meta(DType.BOOL, 8), zeroed=True),),
    )
    build = twin.compile(project("kinds"), [call], tmp_path / "build")
    assert build.outcome is None, build.diagnostics
    launch = twin.run(build, call, tmp_path / "run")
    assert launch.outcome is None, launch.diagnostics
    assert np.fromfile(launch.outputs[0].path, np.uint8)[0] == 2 * 10 + 4  # type: ignore[union-attr]


def test_a_kernel_without_a_tiling_function_runs_on_every_vector_core(
    twin: TwinToolchain, project: Projects, calls: Any, tmp_path: Path
) -> None:
    numbers = "struct { uint64_t total = 96; uint32_t perCore = 64, tile = 64; float alpha = 1; } data;"
    bare = project(
        "scale_add",
        host=(".SetTiling(optiling::TilingFunc)", ""),
        kernel=("GET_TILING_DATA(data, tiling);", f"{numbers}\n    if (GetBlockIdx() > 1) return;"),
        kernel_2=("TILING_KEY_IS(1)", "true"),
    )
    x = np.arange(96, dtype=np.float32)
    call = calls.scale_add(x, x, tmp_path)
    build = twin.compile(bare, [call], tmp_path / "build")
    assert build.outcome is None, build.diagnostics
    launch = twin.run(build, call, tmp_path / "run")
    assert launch.outcome is None, launch.diagnostics
    assert launch.block_dim == 48
    np.testing.assert_array_equal(calls.read(launch.outputs[0]), 2 * x)


def test_a_call_that_does_not_fit_leaves_the_others_runnable(
    twin: TwinToolchain, project: Projects, calls: Any, tmp_path: Path
) -> None:
    x = np.ones(64, np.float32)
    good = calls.scale_add(x, x, tmp_path / "good")
    bad = calls.scale_add(x, np.ones(32, np.float32), tmp_path / "bad")
    build = twin.compile(project("scale_add"), [bad, good], tmp_path / "build")
    assert build.outcome is None, build.diagnostics
    refused = twin.run(build, bad, tmp_path / "run_bad")
    assert refused.outcome is Outcome.TILING_ERROR
    assert "x and z differ in shape" in refused.diagnostics[0].text
    assert twin.run(build, good, tmp_path / "run_good").outcome is None
