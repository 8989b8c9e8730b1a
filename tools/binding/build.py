"""Compile a binding against the headers in PyTorch's wheel, once per content.

What every binding sees first is precompiled, once per machine and PyTorch; so is the device that its tensors live on.
"""

import re
import sys
import sysconfig
from collections.abc import Callable, Sequence
from pathlib import Path

from akgen.tools.cache.content import ContentCache, digest
from akgen.tools.core.frozen import Frozen
from akgen.tools.core.outcome import InputError
from akgen.tools.core.toolchain import Progress
from akgen.tools.core.untrusted import read_text
from akgen.tools.direct.kernels import INCLUDE as ACL_INCLUDE
from akgen.tools.direct.launches import launch_headers
from akgen.tools.direct.split import host_text
from akgen.tools.process.program import Finished, run
from akgen.tools.twin.compiler import Compiler, compile_slots, must

INCLUDE = Path(__file__).resolve().parent / "include"
BUILD_TIMEOUT_S = 900.0
_FORWARDING = Path(__file__).resolve().parent / "forwarding_headers.txt"
_DEVICE = Path(__file__).resolve().parent / "src" / "npu_device.cpp"
_PRELUDE = "akgen/binding_prelude.h"
_MODULE = re.compile(r"\bPYBIND11_MODULE\s*\(\s*(\w+)\s*,")
LIBRARY = re.compile(r"\bTORCH_LIBRARY(?:_FRAGMENT|_IMPL)?\s*\(")
_BRINGS_TORCH = re.compile(
    r'#\s*include\s*[<"](?:torch|ATen|c10|pybind11|torch_npu|pytorch_npu|aclnn_torch|op_api)'
)
HEADERS = (".h", ".hh", ".hpp", ".inc")
SOURCES = (".cpp", ".cc", ".cxx", ".asc")
Compile = Callable[
    [Sequence[str | Path], Path, tuple[Path, ...]], Finished
]  # arguments, folder, what it may read
_FLAGS = ("-std=c++17", "-O0", "-w", "-fPIC", "-fvisibility=hidden")
_LIBRARIES = ("-ltorch_python", "-ltorch_cpu", "-ltorch", "-lc10")
# What a message says that asks for more of PyTorch than the small header has.
_NEEDS_MORE = re.compile(
    r"\b(?:torch::(?:nn|optim|jit|data|serialize|save|load|autograd|OrderedDict)|torch/\S+\.h)|[‘'](?:torch|nn|jit)[’']"
)


class TorchParts(Frozen):
    """Where PyTorch keeps what a binding is compiled against."""

    version: str
    include: tuple[Path, ...]
    library: Path  # folder
    options: tuple[str, ...]


class BuiltBinding(Frozen):
    library: Path
    module: str  # as PYBIND11_MODULE names it, or the file
    has_module: bool = True  # False: it registers operators with PyTorch, and nothing else
    any_name: bool = False  # the name is whatever the build gives it: TORCH_EXTENSION_NAME
    kernels: tuple[Path, ...] = ()  # sources of the kernels that it launches itself


def build_binding(
    source: Path,
    torch_parts: TorchParts,
    compiler: Compiler,
    cache: Path,
    progress: Progress,
    *,
    kernels: Sequence[Path] = (),
    runtime: Path | None = None,
    others: Sequence[Path] = (),
    compile_with: Compile | None = None,
) -> BuiltBinding:
    """Compile a binding, or take it from the cache.

    `kernels` are files whose kernels it launches itself; they need the folder of the twin's runtime. `others` are files
    beside it: sources are compiled too, headers are found. `compile_with` runs the compiler for a stranger's code; it
    is told what may be read. Raises InputError with the first reasons if it does not compile.
    """
    more = [p for p in others if p.suffix in SOURCES]
    for file in (source, *kernels, *more):
        if not file.is_file():
            raise InputError(f"There is no file {file}.", "Give the binding's .cpp file, and its kernels'.")
    text = read_text(source)
    found = _MODULE.search(text)
    if found is None and not LIBRARY.search(text):
        raise InputError(
            f"{source.name} holds no PYBIND11_MODULE and no TORCH_LIBRARY.",
            "Give the file that defines the module.",
        )
    any_name = found is not None and found[1] == "TORCH_EXTENSION_NAME"
    module = "akgen_torch_extension" if any_name else found[1] if found else source.stem
    headers = {p for p in source.parent.iterdir() if p.suffix in HEADERS and p.is_file()}
    beside = sorted(headers | {p for p in others if p.suffix in HEADERS})
    generated = launch_headers((source, *kernels))
    both = [source, *more, *(k for k in kernels if "<<<" in read_text(k))]
    host = {p: host_text(read_text(p)) for p in both}
    parts: list[str | bytes] = [*host.values(), *(t for pair in generated.items() for t in pair)]
    parts += [p.read_bytes() for p in beside]
    # A binding is linked with the device and what it includes of ours; nothing else of this program takes part in it.
    ours = (
        Path(__file__),
        _FORWARDING,
        _DEVICE,
        *sorted(p for root in (INCLUDE, ACL_INCLUDE) for p in root.rglob("*") if p.is_file()),
    )
    parts += [p.read_bytes() for p in ours]
    brings = any(_BRINGS_TORCH.search(t) for t in (text, *(read_text(p) for p in beside)))
    by = _Build(
        torch_parts,
        compiler,
        cache,
        progress,
        prelude=brings and bool(torch_parts.include),
        compile_with=compile_with,
    )
    include = (source.parent, *(k.parent for k in kernels), *(p.parent for p in (*more, *beside)))
    command = by.command(module, (*include, *_device_folders(runtime if generated else None)))
    key = digest("binding", *compiler.identity, torch_parts.version, *map(str, command), *parts)

    def build(folder: Path) -> None:
        progress(f"compiling {source.name} against PyTorch {torch_parts.version} (once)")
        for name, header in {**_forwarding_headers(), **generated}.items():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_text(header)
        files = []
        for i, (path, half) in enumerate(host.items()):
            # A copy, so that a helper beside the source does not hide ours; errors name the source all the same.
            name = f"binding_{i}.cpp"
            (folder / name).write_text(f'#define TORCH_EXTENSION_NAME {module}\n#line 1 "{path}"\n{half}')
            files.append(name)
        done = by.compile(command, files, folder, runtime=runtime if generated else None)
        if not done.ok:
            raise InputError(
                f"{source.name} does not compile ({done.ending}): {_reasons(done.err)}",
                "Correct it; what stands in for the vendor's helper is tools/binding/include/pytorch_npu_helper.hpp.",
            )

    library = ContentCache(cache / "binding").get(key, build) / "binding.so"
    own = (*kernels, *([source] if "__global__" in text else []))
    return BuiltBinding(
        library=library, module=module, has_module=found is not None, any_name=any_name, kernels=own
    )


def _forwarding_headers() -> dict[str, str]:
    """Return the vendor's other paths of our headers, with their texts."""
    rows = (row.split("\t") for row in _FORWARDING.read_text().splitlines() if not row.startswith("#"))
    return {path: f'#pragma once\n#include "{brings}"\n' for path, brings in rows}


class _Build:
    """Compiles against one PyTorch."""

    def __init__(
        self,
        torch_parts: TorchParts,
        compiler: Compiler,
        cache: Path,
        progress: Progress,
        *,
        prelude: bool = True,
        compile_with: Compile | None = None,
    ) -> None:
        self._torch, self._compiler, self._cache, self._progress = torch_parts, compiler, cache, progress
        self._compile_with = compile_with
        self._has_prelude = prelude  # False: the source includes nothing of PyTorch, and gets nothing

    def command(self, module: str, include: Sequence[Path]) -> tuple[str | Path, ...]:
        return (
            self._compiler.path,
            *self._flags(),
            f"-DAKGEN_MODULE_{module}",
            *(f"-I{p}" for p in dict.fromkeys(include)),
        )

    def compile(
        self, command: Sequence[str | Path], files: Sequence[str], folder: Path, *, runtime: Path | None
    ) -> Finished:
        """Compile with the precompiled prelude; with all of PyTorch where that is not enough."""
        link = [
            f"-L{self._torch.library}",
            f"-Wl,-rpath,{self._torch.library}",
            *("-Wl,--no-as-needed", *_LIBRARIES),
            *(self._device_link() if self._has_prelude else ()),
            *self._compiler.linker,
            *((f"-L{runtime}", f"-Wl,-rpath,{runtime}", "-lakgen_twin_host") if runtime else ()),
            *("-o", "binding.so"),
        ]
        before: list[str | Path] = ["-include", self._prelude()] if self._has_prelude else []
        before += ["-include", "akgen/listener.h"] if self._has_prelude else []
        before += ["-DAKGEN_DIRECT_HOST=1"] if runtime else []

        def once(*more: str | Path) -> Finished:
            whole: list[str | Path] = [command[0], "-shared", "-I.", *more, *command[1:]]
            whole += [*files, *link]
            if self._compile_with is not None:
                return self._compile_with(whole[1:], folder, self._read(whole))
            with compile_slots(self._cache).one():
                return run(whole, cwd=folder, timeout_s=BUILD_TIMEOUT_S)

        done = once(*before)
        if not done.ok and self._has_prelude and _NEEDS_MORE.search(done.err):
            without = [
                part for part in before if part not in ("-include", self._prelude(), "akgen/listener.h")
            ]
            whole = once("-DAKGEN_WHOLE_TORCH=1", "-include", "akgen/listener.h", *without)
            done = whole if whole.ok else done
        return done

    def _read(self, command: Sequence[str | Path]) -> tuple[Path, ...]:
        """Return the folders that a command names, and those of PyTorch."""
        named = [Path(str(part).removeprefix("-I").removeprefix("-L")) for part in command]
        folders = [p.parent if p.is_file() else p for p in named if p.is_absolute() and p.exists()]
        return tuple(dict.fromkeys([*folders, *self._torch.include, self._torch.library]))

    def device(self) -> Path:
        """Return the library of the device that stands in for an NPU."""
        options = [*self._flags(), "-shared"]
        key = digest(
            "npu", *self._compiler.identity, self._torch.version, *map(str, options), _DEVICE.read_bytes()
        )

        def build(folder: Path) -> None:
            self._progress("building the device for PyTorch's tensors (once per machine)")
            libraries: tuple[str, ...] = (
                f"-L{self._torch.library}",
                f"-Wl,-rpath,{self._torch.library}",
                *_LIBRARIES[1:],
            )
            command: list[str | Path] = [
                self._compiler.path,
                *options,
                _DEVICE,
                *libraries,
                "-o",
                "libakgen_npu.so",
            ]
            with compile_slots(self._cache).one():
                must(run(command, cwd=folder, timeout_s=BUILD_TIMEOUT_S), "Building the device for PyTorch")

        return ContentCache(self._cache / "binding").get(key, build) / "libakgen_npu.so"

    def _device_link(self) -> tuple[str, ...]:
        library = self.device()
        return (str(library), f"-Wl,-rpath,{library.parent}")

    def _flags(self) -> tuple[str, ...]:
        python = sysconfig.get_paths()["include"]
        folders = (INCLUDE, ACL_INCLUDE, *self._torch.include, python)
        return (*_FLAGS, *self._torch.options, *(f"-I{folder}" for folder in folders))

    def _prelude(self) -> Path:
        header = INCLUDE / _PRELUDE

        def build(folder: Path) -> None:
            copy = folder / header.name
            copy.write_bytes(header.read_bytes())
            if self._compiler.is_clang:
                return
            self._progress(
                f"precompiling PyTorch {self._torch.version} (once per machine; about half a minute)"
            )
            command: list[str | Path] = [
                self._compiler.path,
                *self._flags(),
                "-x",
                "c++-header",
                copy,
                "-o",
                f"{copy}.gch",
            ]
            with compile_slots(self._cache).one():
                must(run(command, cwd=folder, timeout_s=BUILD_TIMEOUT_S), "Precompiling PyTorch")

        key = prelude_digest(self._torch, self._compiler)
        return ContentCache(self._cache / "binding").get(key, build) / header.name


def prelude_digest(torch_parts: TorchParts, compiler: Compiler) -> str:
    """Return what names the precompiled header: all that is in it, and not where PyTorch and this package lie.

    It has half a gigabyte and takes a minute; g++ takes it in whatever folders the same headers are found.
    """
    texts = [(INCLUDE / name).read_bytes() for name in (_PRELUDE, "torch/extension.h")]
    identity = (*compiler.identity, sys.version, torch_parts.version, *_FLAGS, *torch_parts.options)
    return digest("prelude", *identity, *texts)


def _device_folders(runtime: Path | None) -> tuple[Path, ...]:
    return (runtime / "include", runtime / "host_include") if runtime else ()


def build_device(torch_parts: TorchParts, compiler: Compiler, cache: Path, progress: Progress) -> Path:
    """Build the device that stands in for an NPU, or take it from the cache; return its library."""
    return _Build(torch_parts, compiler, cache, progress).device()


def build_chip(header: Path, compiler: Compiler, cache: Path) -> Path:
    """Return a library that names the chip whose facts bindings ask the platform for; `header` is the twin's."""
    text = header.read_text()

    def build(folder: Path) -> None:
        (folder / "chip.cpp").write_text(text)
        command = (compiler.path, "-shared", "-fPIC", "-o", "libakgen_chip.so", "chip.cpp")
        must(run(command, cwd=folder, timeout_s=BUILD_TIMEOUT_S), "Naming the chip to bindings")

    key = digest("chip", *compiler.identity, text)
    return ContentCache(cache / "binding").get(key, build) / "libakgen_chip.so"


def _reasons(said: str) -> str:
    lines = [line.strip() for line in said.splitlines() if "error:" in line]
    return "; ".join(lines[:3]) or said.strip()[-300:]
