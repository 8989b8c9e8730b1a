"""Compile a binding against the headers in PyTorch's wheel, once per content."""

import re
import sysconfig
from collections.abc import Sequence
from pathlib import Path

from akgen.tools.core.frozen import Frozen
from akgen.tools.core.outcome import InputError
from akgen.tools.core.toolchain import Progress
from akgen.tools.direct.kernels import INCLUDE as ACL_INCLUDE
from akgen.tools.process.program import run
from akgen.tools.twin.build_cache import BuildCache, digest
from akgen.tools.twin.compiler import Compiler, compile_slots

INCLUDE = Path(__file__).resolve().parent / "include"
BUILD_TIMEOUT_S = 900.0
_MODULE = re.compile(r"\bPYBIND11_MODULE\s*\(\s*(\w+)\s*,")
_HEADERS = (".h", ".hpp", ".inc")
_FLAGS = ("-std=c++17", "-O0", "-w", "-shared", "-fPIC", "-fvisibility=hidden")
_LIBRARIES = ("-ltorch_python", "-ltorch_cpu", "-ltorch", "-lc10")


class TorchParts(Frozen):
    """Where PyTorch keeps what a binding is compiled against."""

    version: str
    include: tuple[Path, ...]
    library: Path  # folder
    options: tuple[str, ...]


class BuiltBinding(Frozen):
    library: Path
    module: str  # as PYBIND11_MODULE names it


def build_binding(
    source: Path, torch_parts: TorchParts, compiler: Compiler, cache: Path, progress: Progress
) -> BuiltBinding:
    """Compile a pybind.cpp, or take it from the cache. Raises InputError with the first reasons if it does not."""
    if not source.is_file():
        raise InputError(f"There is no file {source}.", "Give the binding's .cpp file.")
    text = source.read_text()
    found = _MODULE.search(text)
    if found is None:
        raise InputError(f"{source.name} holds no PYBIND11_MODULE.", "Give the file that defines the module.")
    module = "akgen_torch_extension" if found[1] == "TORCH_EXTENSION_NAME" else found[1]
    beside = sorted(p for p in source.parent.iterdir() if p.suffix in _HEADERS and p.is_file())
    python = sysconfig.get_paths()["include"]
    command = _command(source, module, torch_parts, compiler, Path(python))
    parts: list[str | bytes] = [text, *(p.read_bytes() for p in beside)]
    # Nothing else of this program takes part in a binding, and compiling one takes a minute: it is not built again.
    ours = (
        Path(__file__),
        *sorted(p for root in (INCLUDE, ACL_INCLUDE) for p in root.rglob("*") if p.is_file()),
    )
    parts += [p.read_bytes() for p in ours]
    key = digest(*("binding", *compiler.identity, torch_parts.version), *map(str, command), *parts)

    def build(folder: Path) -> None:
        progress(f"compiling {source.name} against PyTorch {torch_parts.version} (once; about half a minute)")
        # A copy, so that a helper beside the source does not hide ours; errors name the source all the same.
        (folder / "binding.cpp").write_text(f'#line 1 "{source}"\n{text}')
        with compile_slots(cache).one():
            done = run([*command, "binding.cpp"], cwd=folder, timeout_s=BUILD_TIMEOUT_S)
        if not done.ok:
            raise InputError(
                f"{source.name} does not compile ({done.ending}): {_reasons(done.err)}",
                "Correct it; what stands in for the vendor's helper is tools/binding/include/pytorch_npu_helper.hpp.",
            )

    return BuiltBinding(library=BuildCache(cache / "binding").get(key, build) / "binding.so", module=module)


def _command(
    source: Path, module: str, torch_parts: TorchParts, compiler: Compiler, python: Path
) -> Sequence[str | Path]:
    folders = (INCLUDE, ACL_INCLUDE, *torch_parts.include, python, source.parent)
    return [
        compiler.path,
        *_FLAGS,
        *torch_parts.options,
        f"-DTORCH_EXTENSION_NAME={module}",
        *(f"-I{folder}" for folder in folders),
        f"-L{torch_parts.library}",
        f"-Wl,-rpath,{torch_parts.library}",
        *("-Wl,--no-as-needed", *_LIBRARIES),
        *("-o", "binding.so"),
    ]


def _reasons(said: str) -> str:
    lines = [line.strip() for line in said.splitlines() if "error:" in line]
    return "; ".join(lines[:3]) or said.strip()[-300:]
