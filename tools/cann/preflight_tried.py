"""What only a try tells: memory that the runtime has free, whether libraries of g++ load, whether msprof knows `op`.

Tried once all that is looked for is there, before the known-good kernel; no candidate's code is in it.
"""

import shutil
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from akgen.tools.cann import environment
from akgen.tools.cann.confined import Confinement
from akgen.tools.cann.environment import CannSettings, find_program
from akgen.tools.cann.launcher import WORKER, Launcher
from akgen.tools.cann.preflight_device import FREE_DEVICE_MB
from akgen.tools.cann.prerequisite import Prerequisite
from akgen.tools.cann.probe import opened
from akgen.tools.cann.worker import FREE
from akgen.tools.core.untrusted import FileRefused, read_bytes
from akgen.tools.process.program import run

_MB = 1 << 20


_ABI = """#include <filesystem>
#include <string>
extern "C" int akgen_abi(const char *text) { return int(std::filesystem::path(std::string(text)).string().size()); }
"""
_LOAD = "import ctypes, sys; sys.exit(ctypes.CDLL(sys.argv[1]).akgen_abi(b'four') != 4)"


def tried_rows(settings: CannSettings) -> Iterator[Prerequisite]:
    """Try each in turn."""
    yield abi_row(settings)
    yield counting_row(settings)
    yield from memory_rows(settings)


def abi_row(settings: CannSettings) -> Prerequisite:
    """Compile a library as CANN's template compiles host code, C++17 and the older ABI, and load it where kernels run.

    A Python that brings an older libstdc++ (conda's) cannot load what a newer g++ makes.
    """
    with tempfile.TemporaryDirectory(prefix="akgen-abi-") as work:
        folder = Path(work)
        (folder / "abi.cpp").write_text(_ABI)
        compiler = shutil.which("g++", path=settings.path) or "g++"
        flags = ["-std=c++17", "-D_GLIBCXX_USE_CXX11_ABI=0", "-fPIC", "-shared"]
        made = run([compiler, *flags, "abi.cpp", "-o", "abi.so"], cwd=folder, timeout_s=120)
        done = made
        if made.ok:
            env = environment.base_environment(settings, folder)
            done = run([sys.executable, "-c", _LOAD, folder / "abi.so"], cwd=folder, timeout_s=60, env=env)
        words = (done.err.strip().splitlines() or [done.ending])[-1]
    return Prerequisite(
        name="C++ ABI",
        found=done.ok,
        detail="a library of g++ loads in this Python, with CANN's environment" if done.ok else words[:300],
        remedy=None
        if done.ok
        else "Use a Python whose libstdc++ is that of g++ or newer (`conda install libstdcxx-ng`), or an older g++.",
        needed="libstdc++ of g++ or newer where kernels are launched; C++17",
        group="programs",
    )


def counting_row(settings: CannSettings) -> Prerequisite:
    """Ask msprof whether it knows `op`."""
    tool = find_program(settings, "msprof")
    with tempfile.TemporaryDirectory(prefix="akgen-msprof-") as work:
        env = environment.base_environment(settings, Path(work))
        done = run([tool, "op", "--help"], cwd=Path(work), timeout_s=60, env=env) if tool else None
    good = done is not None and done.ok and "--output" in done.out + done.err
    return Prerequisite(
        name="msprof op",
        found=good,
        detail=str(tool)
        if good
        else "msprof was not found"
        if done is None
        else f"not known ({done.ending})",
        remedy=None if good else "Install the whole toolkit; without it nothing is counted on cores.",
        needed="the toolkit's, for counts of each core and profiles of files with <<<>>>",
        group="programs",
        optional=True,
    )


def memory_rows(settings: CannSettings) -> Iterator[Prerequisite]:
    """Open each device in a process of its own, no candidate's code in it, and ask `aclrtGetMemInfo`."""
    launcher = Launcher(settings, Confinement(settings, None))
    for number in settings.devices:
        with tempfile.TemporaryDirectory(prefix="akgen-memory-") as work:
            folder = Path(work)
            wrong = opened(launcher, folder, number)
            free = _read(folder / WORKER / FREE) if wrong is None else None
        good = wrong is None and (free is None or free >= FREE_DEVICE_MB * _MB)
        said = f"{free // _MB} MB free" if free is not None else "the runtime does not say"
        yield Prerequisite(
            name=f"memory of device {number}",
            found=good,
            detail=f"it does not open: {wrong}" if wrong is not None else said,
            remedy=None
            if good
            else "End what uses the device (`npu-smi info`), or choose another with AKGEN_NPU_DEVICES.",
            needed=f"{FREE_DEVICE_MB} MB free for the runtime's users",
            group="device",
        )


def _read(path: Path) -> int | None:
    try:
        return int(read_bytes(path, most_bytes=32))
    except (FileRefused, ValueError):
        return None
