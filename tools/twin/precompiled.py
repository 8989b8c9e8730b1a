"""The headers that kernels and op_host code include, as they lie in the built runtime, some of them compiled once.

Most of the vendor's paths bring what another header brings: those headers are written from a list, the rest is copied.

What host files and kernels see first is compiled once per machine, beside the runtime. A compiler that cannot use the
precompiled form (another option, a macro that a header asks for) reads the header of the same name instead, and the
result is the same. Only g++ gets them: clang++ refuses a form that does not fit, or whose folder has moved.
"""

import shutil
from pathlib import Path
from typing import NamedTuple

from akgen.tools.cache.content import ContentCache, digest
from akgen.tools.core.project import HOST_STANDARDS
from akgen.tools.process.program import run
from akgen.tools.twin.compiler import Compiler, CompileSlots, must
from akgen.tools.twin.kernel.sides import CORE_TYPE, Side

TWIN = Path(__file__).resolve().parent
DEVICE_INCLUDE = TWIN / "include"
HOST_INCLUDE = TWIN / "host_include"
_LIST = TWIN / "forwarding_headers.txt"


class ForwardingHeader(NamedTuple):
    """A header that has nothing of its own. One that brings nothing stands for a header that the device lacks."""

    folder: str  # below the runtime's folder
    path: str
    brings: tuple[str, ...]  # below the same folder

    @property
    def text(self) -> str:
        if not self.brings:
            return f"// <{self.path}>: nothing of it exists on the device, so its names stay unknown to a kernel.\n"
        return "#pragma once\n" + "".join(f'#include "{self._up}{name}"\n' for name in self.brings)

    @property
    def _up(self) -> str:
        # By its own place: code that has a header of the same name still gets this one.
        return "../" * self.path.count("/")


def forwarding_headers() -> tuple[ForwardingHeader, ...]:
    rows = (row.split("\t") for row in _LIST.read_text().splitlines() if not row.startswith("#"))
    return tuple(
        ForwardingHeader(folder, path, tuple(brings))
        for folder, paths, *brings in rows
        for path in _alternatives(paths)
    )


def _alternatives(path: str) -> list[str]:
    """Return `path` with each of the alternatives of its {a,b}, as a shell does."""
    begin, brace, rest = path.partition("{")
    if not brace:
        return [path]
    choices, _, end = rest.partition("}")
    return [begin + choice + tail for choice in choices.split(",") for tail in _alternatives(end)]


def write_include_folders(work: Path) -> None:
    """Write both folders, whole, below `work`."""
    for folder in (DEVICE_INCLUDE, HOST_INCLUDE):
        shutil.copytree(folder, work / folder.name)
    for header in forwarding_headers():
        file = work / header.folder / header.path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(header.text)


_TIMEOUT_S = 600.0


def kernel_prelude(side: Side, *, names_cube: bool) -> str:
    """Name the header that a kernel sees first. One that names nothing of the cube core is spared its half."""
    return f"kernel_{side}_{'cube' if names_cube or side is Side.CUBE else 'vector'}.h"


def kernel_preludes() -> dict[str, str]:
    """Return every header that kernel_prelude can name, with its text."""
    texts = {}
    for side in Side:
        for cube in (True, False):
            only = "" if cube or side is Side.CUBE else "#define AKGEN_VECTOR_ONLY 1\n"
            text = f'#define AKGEN_CORE_TYPE {CORE_TYPE[side]}\n{only}#include "kernel_operator.h"\n'
            texts[kernel_prelude(side, names_cube=cube)] = text
    return texts


class Precompiler(NamedTuple):
    """With what headers are compiled, where the result is kept, and who has a turn."""

    compiler: Compiler
    objects: ContentCache
    slots: CompileSlots


def host_flags(standard: str = HOST_STANDARDS[0]) -> tuple[str, ...]:
    """Return the options of an operator's host code and of its precompiled header."""
    return (f"-std={standard}", "-O0", "-g1", "-fPIC", "-w")


def precompile_host(header: Path, standard: str, by: Precompiler) -> Path:
    """Precompile the standard headers that operators' host code sees; return the folder that holds both forms."""
    return _precompile(header.name, header.read_text(), host_flags(standard), "", by)


def precompile_kernel(name: str, include: Path, by: Precompiler) -> Path:
    """Write and precompile one of kernel_preludes(); return the folder that holds both forms."""
    files = sorted(p for p in include.rglob("*") if p.is_file())
    content = digest(*(part for p in files for part in (str(p.relative_to(include)), p.read_bytes())))
    options = (*by.compiler.kernel_options, f"-I{include}")
    return _precompile(name, kernel_preludes()[name], options, content, by)


def _precompile(name: str, text: str, options: tuple[str, ...], content: str, by: Precompiler) -> Path:
    """`content` stands for what the header includes and the key does not name otherwise."""

    def build(folder: Path) -> None:
        header = folder / name
        header.write_text(text)
        if by.compiler.is_clang:
            return
        command: list[str | Path] = [by.compiler.path, *options, "-x", "c++-header"]
        with by.slots.one():
            done = run([*command, "-o", f"{header}.gch", header], cwd=folder, timeout_s=_TIMEOUT_S)
        must(done, f"Precompiling {name}")

    return by.objects.get(digest("precompiled", *by.compiler.identity, *options, name, text, content), build)
