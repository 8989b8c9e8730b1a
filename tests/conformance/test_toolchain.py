"""What every toolchain must do; one suite for the twin and for CANN."""

import shutil
from pathlib import Path

import numpy as np
import pytest

from akgen.knowledge.chip import DEFAULT_CHIP
from akgen.settings import Environment
from akgen.tools.cann.preflight import missing
from akgen.tools.cann.trial import PROJECT
from akgen.tools.core.call import Attr, Call, OutputMeta, Poison, TensorFile, TensorMeta
from akgen.tools.core.dtypes import DType
from akgen.tools.core.outcome import Outcome
from akgen.tools.core.project import KernelProject
from akgen.tools.core.toolchain import RunOptions, Toolchain, ToolchainName
from akgen.tools.toolchains import cann_settings, make_toolchain


def _make(name: ToolchainName) -> Toolchain:
    return make_toolchain(name, Environment())


@pytest.fixture(scope="module", params=["twin", pytest.param("cann", marks=pytest.mark.cann)])
def toolchain(request: pytest.FixtureRequest) -> Toolchain:
    if request.param == "cann" and missing(cann_settings(Environment(), DEFAULT_CHIP)):
        pytest.skip("needs CANN and an NPU")
    made = _make(request.param)
    made.prepare(print)
    return made


def _project(path: str = "op_kernel/scale_add.cpp", old: str = "", new: str = "") -> KernelProject:
    whole = KernelProject.read_from(PROJECT, "ScaleAdd", "scale_add")
    assert old in whole.files[path]
    return whole.model_copy(update={"files": {**whole.files, path: whole.files[path].replace(old, new)}})


def _call(folder: Path, count: int = 3000, other: int | None = None) -> Call:
    files = []
    for name, n in (("x", count), ("z", count if other is None else other)):
        np.arange(n, dtype=np.float32).tofile(folder / name)
        files.append(TensorFile(dtype=DType.FLOAT32, shape=(n,), path=folder / name))
    meta = TensorMeta(dtype=DType.FLOAT32, shape=(count,))
    return Call(inputs=tuple(files), attrs=(Attr(name="alpha", value=3.0),), outputs=(OutputMeta(meta=meta),))


def test_its_version_carries_its_name_and_the_chip(toolchain: Toolchain) -> None:
    assert toolchain.version().startswith(toolchain.name)
    assert "Ascend910B2" in toolchain.version()


def test_a_right_project_compiles_and_computes(toolchain: Toolchain, tmp_path: Path) -> None:
    call = _call(tmp_path)
    build = toolchain.compile(_project(), [call], tmp_path / "build")
    assert build.outcome is None, build.diagnostics
    assert build.toolchain == toolchain.version()
    assert build.compile_s > 0
    launch = toolchain.run(build, call, tmp_path / "run")
    assert launch.outcome is None, launch.diagnostics
    (out,) = launch.outputs
    assert isinstance(out, TensorFile) and out.shape == (3000,)
    np.testing.assert_allclose(
        np.fromfile(out.path, np.float32), 4 * np.arange(3000, dtype=np.float32), rtol=1e-6
    )
    assert launch.time_us is not None and launch.time_us > 0


def test_the_build_says_the_operators_interface(toolchain: Toolchain, tmp_path: Path) -> None:
    build = toolchain.compile(_project(), [_call(tmp_path)], tmp_path / "build")
    assert build.op is not None
    assert [p.name for p in (*build.op.inputs, *build.op.outputs)] == ["x", "z", "y"]
    assert build.op.inputs[0].dtypes == (DType.FLOAT32, DType.FLOAT16)


def test_a_build_can_be_run_by_another_process(toolchain: Toolchain, tmp_path: Path) -> None:
    call = _call(tmp_path)
    build = toolchain.compile(_project(), [call], tmp_path / "build")
    other = _make("cann" if toolchain.name == "cann" else "twin")
    assert other.run(build, call, tmp_path / "run").outcome is None


def test_a_kernel_that_does_not_compile_is_data_with_its_place(toolchain: Toolchain, tmp_path: Path) -> None:
    broken = _project(old="Muls(y, z, alpha_, count);", new="Multiply(y, z, alpha_, count);")
    build = toolchain.compile(broken, [_call(tmp_path)], tmp_path / "build")
    assert build.outcome is Outcome.COMPILE_ERROR
    first = build.diagnostics[0]
    assert first.file == "op_kernel/scale_add.cpp"
    assert "Multiply" in broken.files[first.file].splitlines()[(first.line or 0) - 1]
    assert first.stage == "compile"


def test_host_code_that_does_not_compile_is_data(toolchain: Toolchain, tmp_path: Path) -> None:
    broken = _project("op_host/scale_add.cpp", "tiling.set_tile(4096);", "tiling.set_tyle(4096);")
    build = toolchain.compile(broken, [_call(tmp_path)], tmp_path / "build")
    assert build.outcome is Outcome.COMPILE_ERROR
    assert build.diagnostics


def test_a_call_that_the_tiling_function_refuses_is_a_tiling_error(
    toolchain: Toolchain, tmp_path: Path
) -> None:
    good_folder = tmp_path / "good"
    good_folder.mkdir()
    build = toolchain.compile(_project(), [_call(good_folder)], tmp_path / "build")
    launch = toolchain.run(build, _call(tmp_path, 64, other=32), tmp_path / "run")
    assert launch.outcome is Outcome.TILING_ERROR
    assert launch.outputs == ()


def test_a_kernel_that_never_ends_is_stopped(toolchain: Toolchain, tmp_path: Path) -> None:
    endless = _project(old="kernel.Process();", new="while (GetBlockNum() > 0) { kernel.Process(); }")
    call = _call(tmp_path)
    build = toolchain.compile(endless, [call], tmp_path / "build")
    assert build.outcome is None, build.diagnostics
    assert toolchain.run(build, call, tmp_path / "run", RunOptions(timeout_s=2.0)).outcome is Outcome.TIMEOUT


def test_a_trace_is_written_when_it_is_asked_for(toolchain: Toolchain, tmp_path: Path) -> None:
    call = _call(tmp_path)
    build = toolchain.compile(_project(), [call], tmp_path / "build")
    launch = toolchain.run(build, call, tmp_path / "run", RunOptions(trace=True))
    assert launch.profile is not None and launch.profile.trace is not None
    assert launch.profile.trace.stat().st_size > 0
    again = toolchain.run(build, call, tmp_path / "again").profile
    assert again is None or again.trace is None  # what is not profiled has no profile on a device


def test_memory_holds_the_poison_before_a_launch(toolchain: Toolchain, tmp_path: Path) -> None:
    call = _call(tmp_path)
    first, second = Poison(seed=7), Poison(seed=7, second=True)
    idle = toolchain.compile(
        _project(old="kernel.Process();", new="if (GetBlockNum() == 0) { kernel.Process(); }"),
        [call],
        tmp_path / "idle",
    )
    for poison in (first, second):
        launch = toolchain.run(idle, call, tmp_path / f"idle{poison.second}", RunOptions(poison=poison))
        left = launch.outputs[0].path.read_bytes()  # type: ignore[union-attr]
        assert left == poison.outputs()[: len(left)]
    if toolchain.name == "cann":
        return  # nobody can fill a device's Unified Buffer before a launch
    # What a kernel computes nothing into is what the Unified Buffer held: no number first, large ones then.
    unset = toolchain.compile(_project(old="Muls(y, z, alpha_, count);"), [call], tmp_path / "unset")
    for poison, kind in ((first, np.isnan), (second, np.isfinite)):
        launch = toolchain.run(unset, call, tmp_path / f"unset{poison.second}", RunOptions(poison=poison))
        assert kind(np.fromfile(launch.outputs[0].path, np.float32)).all()  # type: ignore[union-attr]


def test_compiling_again_elsewhere_gives_a_build_of_its_own(toolchain: Toolchain, tmp_path: Path) -> None:
    call = _call(tmp_path)
    first = toolchain.compile(_project(), [call], tmp_path / "a")
    second = toolchain.compile(_project(), [call], tmp_path / "b")
    shutil.rmtree(first.folder)
    assert toolchain.run(second, call, tmp_path / "run").outcome is None
