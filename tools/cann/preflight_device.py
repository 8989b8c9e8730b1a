"""Driver, firmware and the devices: what is found of them, what is needed, what to do; and what only a try tells.

Source: vendor pages "CANN Software Installation", "npu-smi info". Which driver a CANN needs stands in its release notes
and in some of its version.info files. Tried is, once all that is looked for is there and before the known-good kernel,
how much memory the runtime has free, whether libraries of g++ load, whether msprof knows `op`; no candidate's code is
in it.
"""

import os
import re
import shutil
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from akgen.tools.cann import environment, npu_smi
from akgen.tools.cann.confined import Confinement
from akgen.tools.cann.environment import CannSettings, find_program
from akgen.tools.cann.launcher import WORKER, Launcher
from akgen.tools.cann.preflight_software import Prerequisite, info_version, numbers, version_fields
from akgen.tools.cann.probe import opened
from akgen.tools.cann.worker import FREE
from akgen.tools.core.untrusted import FileRefused, read_bytes
from akgen.tools.process.program import run

FREE_DEVICE_MB = 4096
_MB = 1 << 20
_ABI = """#include <filesystem>
#include <string>
extern "C" int akgen_abi(const char *text) { return int(std::filesystem::path(std::string(text)).string().size()); }
"""
_LOAD = "import ctypes, sys; sys.exit(ctypes.CDLL(sys.argv[1]).akgen_abi(b'four') != 4)"


def driver_rows(settings: CannSettings) -> Iterator[Prerequisite]:
    yield node_row(settings)
    folder = settings.driver_folder
    for name, path in (("driver", folder), ("firmware", folder.parent / "firmware")):
        version = info_version(path / "version.info")
        yield Prerequisite(
            name=name,
            found=version is not None,
            detail=version or f"no version.info in {path}",
            remedy=None
            if version
            else "Install driver and firmware; in a container, mount /usr/local/Ascend/driver.",
            needed="the one that the release notes of your CANN name, or newer",
            group="device",
            optional=name == "firmware",  # a container has none
        )
    yield from _driver_fits(settings, folder)
    smi, npus = npu_smi.program(settings), npu_smi.ask(settings)
    if npus is None:
        yield Prerequisite(
            name="npu-smi",
            found=False,
            detail=f"{smi} fails, or says nothing for {npu_smi.TIMEOUT_S:.0f} s" if smi else "not found",
            remedy="Run `npu-smi info` and read what it says; in a container, mount /usr/local/bin/npu-smi.",
            needed="the driver's, which says how the devices are",
            group="device",
            optional=True,
        )
        return
    for number in settings.devices:
        yield _device(number, npus)


def _driver_fits(settings: CannSettings, folder: Path) -> Iterator[Prerequisite]:
    """Hold what CANN's parts require of the driver against what it says of itself; nothing where neither says it."""
    if settings.home is None:
        return
    needed: dict[str, str] = {}
    for path in sorted(settings.home.glob("*/version.info")):
        for key, value in version_fields(path):
            if (m := re.fullmatch(r"required_driver_(\w+_version)", key)) is not None:
                needed[m[1]] = max(needed.get(m[1], "0"), value, key=numbers)
    has = dict(version_fields(folder / "version.info"))
    old = [k for k, v in needed.items() if k in has and numbers(has[k]) < numbers(v)]
    if not needed or not has:
        return
    told = [f"{k.removesuffix('_version')} {has[k]}" for k in needed if k in has]
    yield Prerequisite(
        name="driver for this CANN",
        found=not old,
        detail=", ".join(told) or "the driver does not say",
        remedy="Install the driver that the release notes of your CANN name, or a CANN for this driver."
        if old
        else None,
        needed=", ".join(f"{k.removesuffix('_version')} {v} or newer" for k, v in needed.items()),
        group="device",
        optional=True,  # the kernel at the end decides
    )


def _device(number: int, npus: npu_smi.Npus) -> Prerequisite:
    state = next((d for d in npus.devices if d.number == number), None)
    if state is None:
        detail, good = f"npu-smi lists {len(npus.devices)} devices", False
        remedy = "Choose among those with AKGEN_NPU_DEVICES, such as 0,1."
    else:
        free = (
            state.total_mb - state.used_mb
            if state.total_mb is not None and state.used_mb is not None
            else None
        )
        memory = f", {free} MB free" if free is not None else ""
        others = f", used by {', '.join(state.processes)}" if state.processes else ""
        heat = f", {state.temperature_c} C" if state.temperature_c is not None else ""
        detail = f"{state.name}, health {state.health}{heat}{memory}{others}"
        good = state.health == "OK" and (free is None or free >= FREE_DEVICE_MB)
        remedy = (
            "Look at `npu-smi info -t health -i N`; have the device reset."
            if state.health != "OK"
            else "End what uses the device, or choose another with AKGEN_NPU_DEVICES."
        )
    return Prerequisite(
        name=f"device {number}",
        found=good,
        detail=detail,
        remedy=None if good else remedy,
        needed=f"health OK, {FREE_DEVICE_MB} MB free; alone, for times that can be compared",
        group="device",
    )


def node_row(settings: CannSettings) -> Prerequisite:
    nodes = sorted(settings.nodes.glob("davinci[0-9]*"))
    closed = [p.name for p in nodes if not os.access(p, os.R_OK | os.W_OK)]
    good = bool(nodes) and not closed
    remedy = "Add your user to the group of the driver (HwHiAiUser)." if closed else (
        "Use a machine with an Ascend NPU and its driver, or the twin (--toolchain twin)."
    )  # fmt: skip
    return Prerequisite(
        name="NPU",
        found=good,
        detail=(f"no right to open {', '.join(closed)}" if closed else ", ".join(p.name for p in nodes))
        or f"no {settings.nodes}/davinci* device",
        remedy=None if good else remedy,
        needed="a device file for each NPU, which your user may open",
        group="device",
    )


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
