"""Faults of the machine that the tree has on request: each ends as stated, and none is scored against a kernel."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from akgen.settings import Environment
from akgen.tools.cann.preflight import preflight
from akgen.tools.cann.runtime_errors import DeviceFault
from akgen.tools.cann.toolchain import CannToolchain
from akgen.tools.core.call import Attr, Call, OutputMeta, TensorFile, TensorMeta
from akgen.tools.core.dtypes import DType
from akgen.tools.core.outcome import InfraError, Outcome
from akgen.tools.core.project import KernelProject
from akgen.tools.core.toolchain import Build, ToolchainName
from akgen.tools.toolchains import cann_settings, make_toolchain
from tests.fake_cann.conftest import Rehearsal
from tests.fake_cann.tree import build_tree

PROJECT = Path(__file__).parents[1] / "twin" / "projects" / "scale_add"


@pytest.fixture
def whole(machine: Rehearsal) -> Iterator[Rehearsal]:
    yield machine
    machine.driver.mend()


@pytest.fixture(scope="module")
def chain(machine: Rehearsal) -> CannToolchain:
    with pytest.MonkeyPatch.context() as shell:
        for name, value in machine.env.items():
            shell.setenv(name, value)
        made = make_toolchain(ToolchainName.CANN, Environment())
    assert isinstance(made, CannToolchain)
    made.prepare(print)
    return made


@pytest.fixture(scope="module")
def built(chain: CannToolchain, tmp_path_factory: pytest.TempPathFactory) -> Build:
    build = chain.compile(_project(""), [], tmp_path_factory.mktemp("built"))
    assert build.outcome is None, build.diagnostics
    return build


def _project(note: str) -> KernelProject:
    """Return a correct project, told apart by a comment: packages are kept by their text."""
    whole = KernelProject.read_from(PROJECT, "ScaleAdd", "scale_add")
    files = dict(whole.files) | {
        "op_host/scale_add.cpp": f"{whole.files['op_host/scale_add.cpp']}\n// {note}\n"
    }
    return whole.model_copy(update={"files": files})


def _call(folder: Path) -> Call:
    folder.mkdir(parents=True)
    files = []
    for name in ("x", "z"):
        np.arange(64, dtype=np.float32).tofile(folder / name)
        files.append(TensorFile(dtype=DType.FLOAT32, shape=(64,), path=folder / name))
    meta = TensorMeta(dtype=DType.FLOAT32, shape=(64,))
    return Call(inputs=tuple(files), attrs=(Attr(name="alpha", value=3.0),), outputs=(OutputMeta(meta=meta),))


@pytest.mark.parametrize(
    ("phase", "what", "word"),
    [
        ("opc", "full", "the disk is full"),
        pytest.param("configure", "full", "the disk is full", marks=pytest.mark.slow),
        pytest.param("host", "killed", "memory ran out", marks=pytest.mark.slow),
        pytest.param("aclnn", "full", "the disk is full", marks=pytest.mark.slow),
        pytest.param("opc", "numpy", "lacks a module", marks=pytest.mark.slow),
        pytest.param("package", "denied", "was denied", marks=pytest.mark.slow),
        pytest.param("installer", "denied", "did not install", marks=pytest.mark.slow),
        pytest.param("installer", "full", "did not install", marks=pytest.mark.slow),
    ],
)
def test_a_phase_that_the_machine_breaks_is_no_fault_of_the_project(
    whole: Rehearsal, chain: CannToolchain, tmp_path: Path, phase: str, what: str, word: str
) -> None:
    whole.driver.build_fault(phase, what)
    project = _project(f"{phase} {what}")
    with pytest.raises(InfraError, match=word) as told:
        chain.compile(project, [], tmp_path / "build")
    assert told.value.remedy
    whole.driver.mend()
    assert chain.compile(project, [], tmp_path / "again").outcome is None  # nothing of the failure was kept


@pytest.mark.slow
def test_opbuild_ended_by_the_operators_registration_is_the_projects_fault(
    whole: Rehearsal, chain: CannToolchain, tmp_path: Path
) -> None:
    whole.driver.build_fault("opbuild", "crash")
    assert chain.compile(_project("crash"), [], tmp_path / "build").outcome is Outcome.COMPILE_ERROR


@pytest.mark.parametrize(
    ("function", "code", "after"),
    [
        ("aclrtSynchronizeStreamWithTimeout", 507054, 0),  # a memory error that ECC does not mend
        pytest.param("aclrtSetDevice", 507033, 0, marks=pytest.mark.slow),  # somebody else has it
        pytest.param("aclrtMalloc", 207001, 0, marks=pytest.mark.slow),  # no memory left
        pytest.param("aclrtSynchronizeStreamWithTimeout", 507010, 0, marks=pytest.mark.slow),  # lost in a run
        pytest.param(
            "aclrtSynchronizeStreamWithTimeout", 507010, 9, marks=pytest.mark.slow
        ),  # while it is timed
    ],
)
def test_a_device_that_fails_scores_nothing(
    whole: Rehearsal, chain: CannToolchain, built: Build, tmp_path: Path, function: str, code: int, after: int
) -> None:
    whole.driver.runtime_fault(function, code, after)
    with pytest.raises(InfraError, match=str(code)) as told:
        chain.run(built, _call(tmp_path / "in"), tmp_path / "run")
    assert told.value.remedy
    whole.driver.mend()
    assert chain.run(built, _call(tmp_path / "in2"), tmp_path / "run2").outcome is None  # after its probe


@pytest.mark.slow
def test_a_device_that_stays_broken_is_not_used(
    whole: Rehearsal, chain: CannToolchain, built: Build, tmp_path: Path
) -> None:
    whole.driver.runtime_fault("aclrtSynchronizeStreamWithTimeout", 507010)
    with pytest.raises(DeviceFault):
        chain.run(built, _call(tmp_path / "in"), tmp_path / "run")
    ran = len(whole.driver.launched)
    with pytest.raises(DeviceFault, match="probe"):
        chain.run(built, _call(tmp_path / "in2"), tmp_path / "run2")
    assert len(whole.driver.launched) == ran
    whole.driver.mend()
    assert chain.run(built, _call(tmp_path / "in3"), tmp_path / "run3").outcome is None


@pytest.mark.slow
def test_a_kernel_that_hangs_is_a_time_out(
    whole: Rehearsal, chain: CannToolchain, built: Build, tmp_path: Path
) -> None:
    whole.driver.runtime_fault("kernel", 507046)
    launch = chain.run(built, _call(tmp_path / "in"), tmp_path / "run", timeout_s=1)
    assert launch.outcome is Outcome.TIMEOUT and launch.time_us is None


@pytest.mark.slow
@pytest.mark.parametrize("what", ["denied", "nothing"])
def test_a_profiler_without_rights_or_rows_is_the_machines_fault(
    whole: Rehearsal, chain: CannToolchain, built: Build, tmp_path: Path, what: str
) -> None:
    whole.driver.build_fault("msprof", what)
    with pytest.raises(InfraError, match="msprof"):
        chain.run(built, _call(tmp_path / "in"), tmp_path / "run", trace=True)


def test_a_package_that_is_gone_does_not_run(chain: CannToolchain, tmp_path: Path) -> None:
    moved = chain.compile(_project(""), [], tmp_path / "build")
    (moved.folder / "opp").rename(moved.folder / "elsewhere")
    with pytest.raises(InfraError, match="not what was built"):
        chain.run(moved, _call(tmp_path / "in"), tmp_path / "run")


@pytest.mark.parametrize("columns", ["newer", pytest.param("older", marks=pytest.mark.slow)])
def test_profiles_of_older_and_newer_profilers_read_alike(
    whole: Rehearsal, chain: CannToolchain, built: Build, tmp_path: Path, columns: str
) -> None:
    whole.driver.build_fault("msprof", columns)
    launch = chain.run(built, _call(tmp_path / "in"), tmp_path / "run", trace=True)
    assert launch.profile is not None and launch.outcome is None
    assert launch.profile.cores >= 1
    assert any(p.busy_us > 0 for p in launch.profile.pipes)


def test_an_older_cann_is_told_before_anything_runs(
    machine: Rehearsal, fake_libraries: Path, tmp_path: Path
) -> None:
    home = build_tree(tmp_path / "old", fake_libraries, machine.driver.exchange, version="7.0.1")
    settings = cann_settings(
        Environment(cann_home=None).model_copy(update={"cann_home": home, "cache": tmp_path}), "Ascend910B2"
    )
    found = next(f for f in preflight(settings) if f.name == "CANN version")
    assert not found.found and found.remedy
