"""What of CANN, driver and NPU a machine has: each with what is needed and what to do. Starts no kernel.

Source: vendor pages "CANN Software Installation", "Ascend Extension for PyTorch: version matching", "npu-smi info".
Which driver a CANN needs stands in its release notes; the driver's version is shown here, not judged.
"""

import csv
import os
import platform
import re
import shutil
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

from akgen.tools.cann import environment, npu_smi
from akgen.tools.cann.environment import CannSettings, find_program
from akgen.tools.core.frozen import Frozen
from akgen.tools.core.outcome import InfraError
from akgen.tools.core.versions import package_version
from akgen.tools.process.program import run

_TORCH = Path(__file__).with_name("torch_versions.csv")
# what CANN's kernel compiler imports (vendor page "Installing dependencies")
_MODULES = ("numpy", "decorator", "sympy", "cffi", "yaml", "psutil", "scipy", "attr", "absl", "tornado",
            "google.protobuf", "cloudpickle")  # fmt: skip
_PROGRAMS = {
    "msopgen": True,
    "opc": False,
    "op_build": False,
    "bisheng": False,
    "msprof": True,
    "mssanitizer": False,
}
_FOR = {
    "opc": "which the build calls",
    "op_build": "which the build calls",
    "bisheng": "for files with <<<>>>",
    "mssanitizer": "for --device-check",
}
_LEAST_GXX, _LEAST_CMAKE = (7, 3), (3, 16)
FREE_DISK_BYTES, FREE_DEVICE_MB = 5 << 30, 4096


class Prerequisite(Frozen):
    """One thing that was looked for."""

    name: str
    found: bool
    detail: str
    remedy: str | None = None
    needed: str | None = None  # what would do
    group: str = ""
    optional: bool = False  # a run works without it


def inspect(settings: CannSettings) -> tuple[Prerequisite, ...]:
    """Look for what --toolchain cann cannot do without, starting no program."""
    home = settings.home
    usable = home is not None and home.is_dir()
    return (
        Prerequisite(
            name="CANN toolkit",
            found=usable,
            detail=str(home) if usable else "ASCEND_HOME_PATH is not set or no folder",
            remedy=None if usable else "Install the CANN toolkit and source its set_env.sh.",
            needed="8.0 or later",
            group="CANN",
        ),
        *((_version(home),) if home is not None and usable else ()),
        _program(settings, "msopgen", optional=False),
        _program(settings, "msprof", optional=False),
        *((_program(settings, "mssanitizer", optional=False),) if settings.checks else ()),
        _cmake(settings),
        _nodes(settings),
        *_torch(None),
    )


def missing(settings: CannSettings) -> tuple[Prerequisite, ...]:
    return tuple(f for f in inspect(settings) if not f.found and not f.optional)


def preflight(settings: CannSettings) -> Iterator[Prerequisite]:
    """Look at everything, programs' versions included, in the order in which a run needs it."""
    yield from _driver(settings)
    home = settings.home if settings.home and settings.home.is_dir() else None
    yield inspect(settings)[0]
    if home is not None:
        yield from _cann(settings, home)
    for name, needed in _PROGRAMS.items():
        asked = name == "mssanitizer" and bool(settings.checks)
        yield _program(settings, name, optional=not needed and not asked)
    yield _cmake(settings, ask=True)
    yield _compiler(settings)
    yield _python()
    yield from _torch(environment.cann_version(home) if home else None)
    yield from _folders(settings)


def verdict(found: tuple[Prerequisite, ...], *, ran: bool) -> list[str]:
    """Sum up in at most ten lines: one a group, then what to do first. `ran`: the known-good kernel passed."""
    lines: list[str] = []
    for group in dict.fromkeys(f.group for f in found):
        rows = [f for f in found if f.group == group]
        bad = [f for f in rows if not f.found and not f.optional]
        doubts = [f.name for f in rows if not f.found and f.optional]
        state = "no: " + ", ".join(f.name for f in bad) if bad else "ok"
        lines.append(f"{group}: {state}" + (f" (without {', '.join(doubts)})" if doubts else ""))
    if ran:
        return [*lines[:9], "this machine can judge kernels with --toolchain cann"]
    first = next((f for f in found if not f.found and not f.optional), found[-1])
    return [*lines[:9], f"first: {first.name}: {first.detail}. {first.remedy or ''}".strip()]


def _program(settings: CannSettings, name: str, *, optional: bool) -> Prerequisite:
    hit = find_program(settings, name) or (Path(p) if (p := shutil.which(name, path=settings.path)) else None)
    return Prerequisite(
        name=name,
        found=hit is not None,
        detail=str(hit or "not found"),
        remedy=None if hit else "It comes with the CANN toolkit: install it whole, of one version.",
        needed="the toolkit's" + (f", {_FOR[name]}" if name in _FOR else ""),
        group="programs",
        optional=optional,
    )


def _cmake(settings: CannSettings, *, ask: bool = False) -> Prerequisite:
    hit = shutil.which("cmake", path=settings.path)
    version = _version_of([hit, "--version"], settings) if hit and ask else None
    old = version is not None and _numbers(version) < _LEAST_CMAKE
    return Prerequisite(
        name="cmake",
        found=hit is not None and not old,
        detail=f"{hit} {version or ''}".strip() if hit else "not found",
        remedy=None if hit and not old else "Install cmake 3.16 or later.",
        needed="3.16 or later",
        group="programs",
    )


def _compiler(settings: CannSettings) -> Prerequisite:
    hit = shutil.which("g++", path=settings.path)
    version = _version_of([hit, "-dumpfullversion", "-dumpversion"], settings) if hit else None
    good = version is not None and _numbers(version) >= _LEAST_GXX
    libc = " ".join(platform.libc_ver())
    return Prerequisite(
        name="g++",
        found=good,
        detail=f"{hit} {version}, {libc}" if hit else "not found",
        remedy=None
        if good
        else "Install g++ 7.3 or later; its libstdc++ must not be newer than the one that runs.",
        needed="7.3 or later",
        group="programs",
    )


def _python() -> Prerequisite:
    absent = [m for m in _MODULES if not _has(m)]
    names = {"yaml": "pyyaml", "attr": "attrs", "absl": "absl-py", "google.protobuf": "protobuf"}
    return Prerequisite(
        name="Python for CANN's compiler",
        found=not absent,
        detail=f"{sys.executable} {platform.python_version()}"
        + (f" lacks {', '.join(absent)}" if absent else ""),
        remedy=f"pip install {' '.join(names.get(m, m) for m in absent)}" if absent else None,
        needed=", ".join(_MODULES),
        group="Python",
    )


def _has(module: str) -> bool:
    try:
        return find_spec(module) is not None
    except ModuleNotFoundError:
        return False


def _torch(cann: str | None) -> Iterator[Prerequisite]:
    """Hold torch, torch_npu, Python and CANN against the table. Judging needs none of torch_npu."""
    torch, npu = package_version("torch"), package_version("torch_npu")
    python = f"{sys.version_info.major}.{sys.version_info.minor}"
    if npu is None:
        yield Prerequisite(
            name="torch_npu",
            found=False,
            detail="not installed; only PyTorch bindings and training on NPUs need it",
            remedy=f"pip install torch_npu=={fitting(cann, torch, python) or 'VERSION'}",
            group="torch",
            optional=True,
        )
        return
    wrong = torch_mismatch(cann, torch, npu, python)
    yield Prerequisite(
        name="torch_npu",
        found=wrong is None,
        detail=f"torch_npu {npu}, torch {torch or 'none'}, Python {python}" + (f": {wrong}" if wrong else ""),
        remedy=f"pip install torch_npu=={fitting(cann, torch, python) or 'VERSION'}; see docs/npu.md"
        if wrong
        else None,
        needed="a row of torch_versions.csv",
        group="torch",
        optional=True,
    )


def torch_mismatch(cann: str | None, torch: str | None, npu: str, python: str) -> str | None:
    """Say what does not fit; None if all does, or the table is too old to tell."""
    plain = (torch or "").partition("+")[0]
    rows = [r for r in torch_table() if r["torch_npu"] == npu]
    if plain != _release(npu):
        return f"it is for torch {_release(npu)}"
    if not rows:
        return None
    if cann is not None and not any(_same(r["cann"], cann) for r in rows):
        return f"it is for CANN {' or '.join(r['cann'] for r in rows)}, not {cann}"
    if not any(_within(python, r["python"]) for r in rows):
        return f"it is for Python {rows[0]['python']}"
    return None


def fitting(cann: str | None, torch: str | None, python: str) -> str | None:
    """Return the torch_npu that fits, if the table has one."""
    plain = (torch or "").partition("+")[0]
    for row in torch_table():
        if (
            cann is not None
            and _same(row["cann"], cann)
            and row["torch"] == plain
            and _within(python, row["python"])
        ):
            return row["torch_npu"]
    return None


def torch_table() -> list[dict[str, str]]:
    with _TORCH.open() as file:
        return list(csv.DictReader(file))


def _release(npu: str) -> str:
    return re.split(r"\.?(?:post|rc|dev)", npu)[0]


def _same(row: str, cann: str) -> bool:
    a, b = row.lower(), cann.lower().partition(".beta")[0].partition(".alpha")[0]
    return a == b or b.startswith(a + ".")


def _within(python: str, wanted: str) -> bool:
    low, _, high = wanted.partition("-")
    return _numbers(low) <= _numbers(python) <= _numbers(high or low)


def _driver(settings: CannSettings) -> Iterator[Prerequisite]:
    yield _nodes(settings)
    folder = settings.driver_folder
    for name, path in (("driver", folder), ("firmware", folder.parent / "firmware")):
        version = _info(path / "version.info")
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
        for key, value in _fields(path):
            if (m := re.fullmatch(r"required_driver_(\w+_version)", key)) is not None:
                needed[m[1]] = max(needed.get(m[1], "0"), value, key=_numbers)
    has = dict(_fields(folder / "version.info"))
    old = [k for k, v in needed.items() if k in has and _numbers(has[k]) < _numbers(v)]
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


def _nodes(settings: CannSettings) -> Prerequisite:
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


def _version(home: Path) -> Prerequisite:
    version = environment.cann_version(home)
    good = version is None or _numbers(version) >= (8, 0)
    return Prerequisite(
        name="CANN version",
        found=good,
        detail=version or "no file says it",
        remedy=None if good else "Install CANN 8.0 or later and source its set_env.sh.",
        needed="8.0 or later",
        group="CANN",
    )


def _cann(settings: CannSettings, home: Path) -> Iterator[Prerequisite]:
    yield _version(home)
    script = environment.set_env_script(home)
    try:
        env = environment.base_environment(settings, settings.cache)
        detail = str(script) if script else "none; the documented variables are used"
        problem = None
    except InfraError as failed:
        env, detail, problem = {}, failed.text, failed
    yield Prerequisite(
        name="set_env.sh",
        found=script is not None and problem is None,
        detail=detail,
        remedy=problem.remedy
        if problem
        else None
        if script
        else "Install the toolkit again if programs do not start.",
        needed="the toolkit's script, which ends without an error",
        group="CANN",
        optional=problem is None,
    )
    folders = [Path(p) for p in env.get("LD_LIBRARY_PATH", "").split(":") if p]
    for name in ("libascendcl.so", "libnnopbase.so"):
        hit = next((p / name for p in folders if (p / name).is_file()), None)
        yield Prerequisite(
            name=name,
            found=hit is not None,
            detail=str(hit or "not on LD_LIBRARY_PATH of set_env.sh"),
            remedy=None if hit else "Install the toolkit and the kernels package of one version.",
            needed="the toolkit's, where set_env.sh says",
            group="CANN",
        )


def _folders(settings: CannSettings) -> Iterator[Prerequisite]:
    try:
        settings.cache.mkdir(parents=True, exist_ok=True)
        writable = os.access(settings.cache, os.W_OK)
    except OSError:
        writable = False
    yield Prerequisite(
        name="operator packages",
        found=writable,
        detail=f"{settings.cache}" + ("" if writable else " cannot be written"),
        remedy=None if writable else "Give AKGen another folder with AKGEN_CACHE.",
        needed="a folder that you may write; nothing is installed into CANN",
        group="folders",
    )
    free = shutil.disk_usage(settings.cache).free if writable else 0
    yield Prerequisite(
        name="disk",
        found=free >= FREE_DISK_BYTES,
        detail=f"{free / 2**30:.1f} GiB free",
        remedy=None
        if free >= FREE_DISK_BYTES
        else "Free space, or give AKGen another folder with AKGEN_CACHE.",
        needed=f"{FREE_DISK_BYTES >> 30} GiB",
        group="folders",
    )


def _info(path: Path) -> str | None:
    return next((value for key, value in _fields(path) if key.lower() == "version"), None)


def _fields(path: Path) -> list[tuple[str, str]]:
    """Read the lines `key=value` of a file that says versions."""
    lines = path.read_text(errors="replace").splitlines() if path.is_file() else []
    pairs = (line.partition("=") for line in lines if "=" in line)
    return [(key.strip(), value.strip().strip('"')) for key, _, value in pairs]


def _version_of(argv: list[str], settings: CannSettings) -> str | None:
    done = run(argv, cwd=Path("/"), timeout_s=20, env={"PATH": settings.path, "LANG": "C"})
    found = re.search(r"\d+(?:\.\d+)+|\b\d+\b", done.out) if done.ok else None
    return found[0] if found else None


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(n) for n in re.findall(r"\d+", version)[:2])
