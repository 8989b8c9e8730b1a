"""CANN, its programs, compilers, Python's modules and folders: what is found of them, what is needed, what to do.

Source: vendor pages "CANN Software Installation", "Installing dependencies".
"""

import os
import platform
import re
import shutil
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

from akgen.tools.cann import environment
from akgen.tools.cann.asc_project import asc_package
from akgen.tools.cann.environment import CannSettings, find_program
from akgen.tools.core.frozen import Frozen
from akgen.tools.core.outcome import InfraError
from akgen.tools.process.program import run

# what CANN's kernel compiler imports (vendor page "Installing dependencies")
_MODULES = ("numpy", "decorator", "sympy", "cffi", "yaml", "psutil", "scipy", "attr", "absl", "tornado",
            "google.protobuf", "cloudpickle")  # fmt: skip
_FOR = {
    "opc": "which the build calls",
    "op_build": "which the build calls",
    "bisheng": "for files with <<<>>>",
    "mssanitizer": "for --device-check",
}
_LEAST_GXX, _LEAST_CMAKE = (7, 3), (3, 16)
FREE_DISK_BYTES = 5 << 30


class Prerequisite(Frozen):
    """One thing that was looked for."""

    name: str
    found: bool
    detail: str
    remedy: str | None = None
    needed: str | None = None  # what would do
    group: str = ""
    optional: bool = False  # a run works without it


def program_row(settings: CannSettings, name: str, *, optional: bool) -> Prerequisite:
    """Look for a program of the toolkit, or on the user's path."""
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


def project_row(settings: CannSettings) -> Prerequisite:
    """Look for what makes operator projects: msopgen, or CMake's package ASC of newer CANN."""
    generator = find_program(settings, "msopgen")
    asc = asc_package(settings) if generator is None else None
    return Prerequisite(
        name="msopgen",
        found=generator is not None or asc is not None,
        detail=str(generator)
        if generator
        else f"not there, but find_package(ASC) in {asc}"
        if asc
        else "not found",
        remedy=None
        if generator or asc
        else "It comes with the CANN toolkit: install it whole, of one version.",
        needed="the toolkit's, or CMake's package ASC of 8.5 and later",
        group="programs",
    )


def cmake_row(settings: CannSettings, *, ask: bool = False) -> Prerequisite:
    """Look for CMake; with `ask`, start it and judge its version."""
    hit = shutil.which("cmake", path=settings.path)
    version = program_version([hit, "--version"], settings) if hit and ask else None
    old = version is not None and numbers(version) < _LEAST_CMAKE
    return Prerequisite(
        name="cmake",
        found=hit is not None and not old,
        detail=f"{hit} {version or ''}".strip() if hit else "not found",
        remedy=None if hit and not old else "Install cmake 3.16 or later.",
        needed="3.16 or later",
        group="programs",
    )


def compiler_row(settings: CannSettings) -> Prerequisite:
    hit = shutil.which("g++", path=settings.path)
    version = program_version([hit, "-dumpfullversion", "-dumpversion"], settings) if hit else None
    good = version is not None and numbers(version) >= _LEAST_GXX
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


def python_row() -> Prerequisite:
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


def version_row(home: Path) -> Prerequisite:
    version = environment.cann_version(home)
    good = version is None or numbers(version) >= (8, 0)
    return Prerequisite(
        name="CANN version",
        found=good,
        detail=version or "no file says it",
        remedy=None if good else "Install CANN 8.0 or later and source its set_env.sh.",
        needed="8.0 or later",
        group="CANN",
    )


def cann_rows(settings: CannSettings, home: Path) -> Iterator[Prerequisite]:
    yield version_row(home)
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


def folder_rows(settings: CannSettings) -> Iterator[Prerequisite]:
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


def info_version(path: Path) -> str | None:
    """Return what a version.info says; None if there is none."""
    return next((value for key, value in version_fields(path) if key.lower() == "version"), None)


def version_fields(path: Path) -> list[tuple[str, str]]:
    """Read the lines `key=value` of a file that says versions."""
    lines = path.read_text(errors="replace").splitlines() if path.is_file() else []
    pairs = (line.partition("=") for line in lines if "=" in line)
    return [(key.strip(), value.strip().strip('"')) for key, _, value in pairs]


def program_version(argv: list[str], settings: CannSettings) -> str | None:
    """Return the first number that a program prints; None if it fails."""
    done = run(argv, cwd=Path("/"), timeout_s=20, env={"PATH": settings.path, "LANG": "C"})
    found = re.search(r"\d+(?:\.\d+)+|\b\d+\b", done.out) if done.ok else None
    return found[0] if found else None


def numbers(version: str) -> tuple[int, ...]:
    """Return the first two numbers of a version, to compare by."""
    return tuple(int(n) for n in re.findall(r"\d+", version)[:2])
