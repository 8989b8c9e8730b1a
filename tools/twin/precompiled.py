"""Headers that are compiled once per machine and lie beside the runtime: what host files and kernels see first.

A compiler that cannot use the precompiled form (another option, a macro that a header asks for) reads the header of the
same name instead, and the result is the same. Only g++ gets them: clang++ refuses a form that does not fit, or whose
folder has moved.
"""

from pathlib import Path

from akgen.tools.process import run
from akgen.tools.twin.build_cache import BuildCache, digest
from akgen.tools.twin.compiler import Compiler, must
from akgen.tools.twin.kernel_flags import kernel_flags
from akgen.tools.twin.sides import CORE_TYPE, Side

HOST_FLAGS = ("-std=c++17", "-O0", "-g1", "-fPIC", "-w")  # an operator's host code and its precompiled header
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


def precompile_host(header: Path, compiler: Compiler, objects: BuildCache) -> Path:
    """Precompile the standard headers that operators' host code sees; return the folder that holds both forms."""
    return _precompile(header.name, header.read_text(), HOST_FLAGS, "", compiler, objects)


def precompile_kernel(name: str, include: Path, compiler: Compiler, objects: BuildCache) -> Path:
    """Write and precompile one of kernel_preludes(); return the folder that holds both forms."""
    flags = kernel_flags()
    files = sorted(p for p in include.rglob("*") if p.is_file())
    content = digest(*(part for p in files for part in (str(p.relative_to(include)), p.read_bytes())))
    options = (*flags.compile, *compiler.brief, f"-I{include}")
    return _precompile(name, kernel_preludes()[name], options, content, compiler, objects)


def _precompile(
    name: str, text: str, options: tuple[str, ...], content: str, compiler: Compiler, objects: BuildCache
) -> Path:
    """`content` stands for what the header includes and the key does not name otherwise."""

    def build(folder: Path) -> None:
        header = folder / name
        header.write_text(text)
        command: list[str | Path] = [
            compiler.path,
            *options,
            "-x",
            "c++-header",
            "-o",
            f"{header}.gch",
            header,
        ]
        must(run(command, cwd=folder, timeout_s=_TIMEOUT_S), f"Precompiling {name}")

    plain = compiler.is_clang
    key = digest("precompiled", *compiler.identity, *options, name, text, content, str(plain))
    return objects.get(key, (lambda folder: _write(folder / name, text)) if plain else build)


def _write(path: Path, text: str) -> None:
    path.write_text(text)
