"""`akgen doctor --npu` on the tree: the verdict and its last step, and each part missing or wrong in turn."""

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from akgen.tools.cann.environment import CannSettings
from akgen.tools.cann.preflight import preflight, verdict
from akgen.tools.cann.preflight_device import abi_row, counting_row, memory_rows
from akgen.tools.cann.preflight_software import Prerequisite
from tests.command import command
from tests.fake_cann.machine import Rehearsal
from tests.fake_cann.scene import settings_of
from tests.fake_cann.tree import build_driver, build_tree
from tests.sampled import sampled

ASC = "cann/compiler/tikcpp/ascendc_kernel_cmake/ASCConfig.cmake"
Change = Callable[["Parts"], CannSettings]


class Parts:
    """A whole machine's parts in a folder, for a test to take one away."""

    def __init__(self, machine: Rehearsal, folder: Path) -> None:
        self.machine, self.folder = machine, folder
        self.home = build_tree(folder / "cann", machine.home / "lib64", machine.driver.exchange)
        self.driver = build_driver(folder / "Ascend" / "driver")
        (folder / "davinci0").touch()
        path = settings_of(machine.env).path.replace(f"{machine.home}/bin", f"{self.home}/bin")
        self.whole = settings_of(machine.env).model_copy(
            update={"home": self.home, "driver": self.driver, "nodes": folder, "path": path}
        )

    def without(self, *places: str) -> CannSettings:
        for place in places:
            path = self.folder / place
            shutil.rmtree(path) if path.is_dir() else path.unlink()
        return self.whole

    def having(self, place: str, text: str) -> CannSettings:
        (self.folder / place).write_text(text)
        return self.whole

    def differing(self, **changes: object) -> CannSettings:
        return self.whole.model_copy(update=changes)

    def saying(self, program: str, what: str) -> CannSettings:
        self.machine.driver.build_fault(program, what)
        return self.whole


def _only(parts: Parts, *programs: str) -> CannSettings:
    """Have a PATH with these programs of the system, and no others."""
    folder = parts.folder / "programs"
    folder.mkdir()
    for name in programs:
        (folder / name).symlink_to(Path(shutil.which(name) or f"/usr/bin/{name}").resolve())
    return parts.differing(path=f"{parts.home}/bin:{folder}")


CASES: list[tuple[str, Change, str, str]] = [
    ("NPU", lambda p: p.without("davinci0"), "davinci*", "twin"),
    ("driver", lambda p: p.without("Ascend/driver"), "no version.info", "driver"),
    ("firmware", lambda p: p.without("Ascend/firmware"), "no version.info", "driver"),
    ("driver for this CANN", lambda p: p.having("Ascend/driver/version.info", "Version=23\nascendhal_version=7.2\n"),
     "ascendhal 7.2", "Install the driver"),
    ("npu-smi", lambda p: p.without("cann/bin/npu-smi"), "not found", "mount"),
    ("npu-smi", lambda p: p.saying("npu-smi", "broken"), "fails", "npu-smi info"),
    ("device 0", lambda p: p.saying("npu-smi", "alarm"), "health Alarm", "reset"),
    ("device 0", lambda p: p.saying("npu-smi", "others"), "4711 python3", "End what uses"),
    ("device 6", lambda p: p.differing(devices=(6,)), "lists 1 devices", "AKGEN_NPU_DEVICES"),
    ("CANN toolkit", lambda p: p.differing(home=None), "ASCEND_HOME_PATH", "set_env.sh"),
    ("CANN version", lambda p: p.having("cann/version.cfg", "version=[7.0.1]\n"), "7.0.1", "8.0 or later"),
    ("set_env.sh", lambda p: p.having("cann/set_env.sh", "exit 3\n"), "status 3", "Source it"),
    ("libnnopbase.so", lambda p: p.without("cann/lib64/libnnopbase.so"), "not on", "of one version"),
    ("msopgen", lambda p: p.without("cann/python/site-packages/bin/msopgen", ASC), "not found", "toolkit"),
    ("msprof", lambda p: p.without("cann/bin/msprof"), "not found", "toolkit"),
    ("opc", lambda p: p.without("cann/bin/opc"), "not found", "toolkit"),
    ("mssanitizer", lambda p: p.without("cann/bin/mssanitizer"), "not found", "toolkit"),
    ("cmake", lambda p: _only(p, "g++"), "not found", "3.16"),
    ("g++", lambda p: _only(p, "cmake"), "not found", "7.3"),
    ("operator packages", lambda p: p.differing(cache=p.folder / "davinci0"), "cannot be written", "AKGEN_CACHE"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("name", "change", "found", "remedy"), sampled(CASES, 3), ids=lambda v: v if isinstance(v, str) else ""
)
def test_what_is_missing_or_wrong_is_a_line_with_found_needed_and_remedy(
    machine: Rehearsal, tmp_path: Path, name: str, change: Change, found: str, remedy: str
) -> None:
    try:
        rows = {f.name: f for f in preflight(change(Parts(machine, tmp_path)))}
    finally:
        machine.driver.mend()
    row = rows[name]
    assert not row.found and found in row.detail and row.needed
    assert remedy in (row.remedy or "")
    lines = verdict(tuple(rows.values()), ran=False)
    assert len(lines) <= 10 and any(name in line for line in lines)


def test_on_a_whole_machine_nothing_of_it_is_missing(machine: Rehearsal, tmp_path: Path) -> None:
    rows = tuple(preflight(Parts(machine, tmp_path).whole))
    of_this_machine = {"Python for CANN's compiler", "torch_npu", "op_build", "disk"}
    assert [f.name for f in rows if not f.found and f.name not in of_this_machine] == []


def test_a_cann_without_msopgen_is_whole_if_it_has_cmakes_package(machine: Rehearsal, tmp_path: Path) -> None:
    settings = Parts(machine, tmp_path).without("cann/python/site-packages/bin/msopgen")
    (row,) = (f for f in preflight(settings) if f.name == "msopgen")
    assert row.found and "find_package(ASC) in" in row.detail


@pytest.mark.slow
def test_the_command_says_in_ten_lines_that_a_kernel_ran(machine: Rehearsal) -> None:
    before = len(machine.driver.asked)
    done = command("doctor", "--npu", "--json", env=machine.env)
    assert done.code == 0, done.err
    lines, rows = done.document["verdict"], [Prerequisite(**f) for f in done.document["findings"]]
    assert len(lines) <= 10 and lines[-1] == "this machine can judge kernels with --toolchain cann"
    assert [f.name for f in rows[-3:]] == [
        f"{step} a known-good kernel" for step in ("compile", "run", "profile")
    ]
    assert all(f.found for f in rows[-3:])
    assert len(machine.driver.asked) > before


def test_the_command_tries_no_kernel_on_a_machine_that_lacks_something(
    machine: Rehearsal, tmp_path: Path
) -> None:
    before = len(machine.driver.asked)
    done = command("doctor", "--npu", "--json", env={**machine.env, "AKGEN_NPU_NODES": str(tmp_path)})
    assert done.code != 0 and len(machine.driver.asked) == before
    assert done.document["verdict"][-1].startswith("first: NPU: no ")


def test_free_memory_is_asked_of_the_runtime(machine: Rehearsal, tmp_path: Path) -> None:
    settings = Parts(machine, tmp_path).whole
    (row,) = memory_rows(settings)
    assert row.found and row.detail == "61440 MB free"
    machine.driver.runtime_fault("left", 100)
    try:
        (row,) = memory_rows(settings)
    finally:
        machine.driver.mend()
    assert not row.found and row.detail == "100 MB free" and "End what uses" in (row.remedy or "")


def test_a_library_that_this_python_cannot_load_is_told(machine: Rehearsal, tmp_path: Path) -> None:
    """Have a compiler whose libraries want what this Python has not: a stand-in for a libstdc++ that is too old."""
    whole = Parts(machine, tmp_path).whole
    assert abi_row(whole).found
    (tmp_path / "newer").mkdir()
    newer = tmp_path / "newer/g++"
    newer.write_text(f'#!/bin/bash\nexec {shutil.which("g++")} "$@" -Dakgen_abi=other\n')
    newer.chmod(0o755)
    row = abi_row(whole.model_copy(update={"path": f"{tmp_path}/newer:{whole.path}"}))
    assert not row.found and "akgen_abi" in row.detail and "libstdc++" in (row.remedy or "")


def test_a_profiler_that_counts_nothing_is_told(machine: Rehearsal, tmp_path: Path) -> None:
    parts = Parts(machine, tmp_path)
    assert counting_row(parts.whole).found
    (tmp_path / "cann/bin/msprof").write_text("#!/bin/bash\necho '[ERROR] invalid argument: op'; exit 1\n")
    row = counting_row(parts.whole)
    assert (not row.found and row.optional and "exit" in row.detail) or "status" in row.detail
