"""Headers that are compiled once per machine and lie beside the runtime: what host files and kernels see first.

A compiler that cannot use the precompiled form (another option, a macro that a header asks for) reads the header of the
same name instead, and the result is the same. Only g++ gets them: clang++ refuses a form that does not fit, or whose
folder has moved.
"""

from pathlib import Path
from typing import NamedTuple

from akgen.tools.cache.content import ContentCache, digest
from akgen.tools.core.project import HOST_STANDARDS
from akgen.tools.process.program import run
from akgen.tools.twin.compiler import Compiler, CompileSlots, must
from akgen.tools.twin.kernel.sides import CORE_TYPE, Side

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
