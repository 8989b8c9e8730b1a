"""The files of an answer with a class: which is the binding, which hold kernels; and its binding, built."""

import re
from collections.abc import Sequence
from pathlib import Path, PurePosixPath

from akgen.tools.binding.build import (
    BUILD_TIMEOUT_S,
    HEADERS,
    LIBRARY,
    SOURCES,
    BuiltBinding,
    build_binding,
    build_chip,
    build_device,
)
from akgen.tools.cache.content import ContentCache, digest
from akgen.tools.core.frozen import Frozen
from akgen.tools.core.outcome import Diagnostic, InputError
from akgen.tools.core.project import KernelProject, without_comments, write_files
from akgen.tools.process.program import Finished
from akgen.tools.twin.sandboxed import compile_in
from akgen.tools.twin.toolchain import TwinToolchain

_MODULE = re.compile(r"\bPYBIND11_MODULE\s*\(")
_KERNEL = re.compile(r"<<<|\b__global__\b")
_OPERATOR = ("op_host/", "op_kernel/")


class Placed(Frozen):
    """An answer's files where they are built: the same content lies at the same place."""

    folder: Path
    model_file: str
    model_class: str
    binding: Path | None
    kernels: tuple[Path, ...]
    others: tuple[Path, ...]

    @property
    def sources(self) -> dict[str, str]:
        """Return the project's name of each C++ file by the path that the compiler knows it by."""
        files = (*((self.binding,) if self.binding else ()), *self.kernels, *self.others)
        return {str(p): p.relative_to(self.folder).as_posix() for p in files}


def operator_of(project: KernelProject) -> KernelProject | None:
    """Return the operator with OpDef and tiling that an answer brings; None if it launches its kernels itself."""
    if not project.kernel_files:
        return None
    files = {p: t for p, t in project.files.items() if p.startswith(_OPERATOR) or p == "CMakeLists.txt"}
    return project.model_copy(update={"files": files, "model": None})


def place(project: KernelProject, cache: Path) -> Placed:
    """Write an answer's files to a folder named by their content."""
    assert project.model is not None
    own = {p: t for p, t in project.files.items() if not p.startswith(_OPERATOR)}
    file, _, name = project.model.partition("::")

    def build(folder: Path) -> None:
        write_files(own, folder)

    parts = [part for pair in sorted(own.items()) for part in pair]
    folder = ContentCache(cache / "answer").get(digest("answer", *parts), build)
    code = {p: without_comments(t) for p, t in own.items() if p.endswith(SOURCES)}
    binding = next((p for p in code if _MODULE.search(code[p])), None) or next(
        (p for p in code if LIBRARY.search(code[p])), None
    )
    kernels = [p for p in code if p != binding and _KERNEL.search(code[p])]
    headers = [p for p in own if PurePosixPath(p).suffix in HEADERS]
    others = [p for p in (*code, *headers) if p != binding and p not in kernels]
    return Placed(
        folder=folder,
        model_file=file,
        model_class=name or "ModelNew",
        binding=folder / binding if binding else None,
        kernels=tuple(folder / p for p in kernels),
        others=tuple(folder / p for p in others),
    )


class BindingRefused(Exception):
    """The binding does not compile."""

    def __init__(self, found: tuple[Diagnostic, ...]) -> None:
        super().__init__(found[0].text)
        self.diagnostics = found


def device_of(twin: TwinToolchain) -> tuple[Path, Path]:
    """Return the library that stands in for an NPU in PyTorch, and the one that names its chip."""
    from akgen.tools.binding.module import torch_parts  # imports torch: only where an answer has a class

    compiler, cache = twin.runtime.compiler, twin.settings.cache
    chip = build_chip(twin.chip_file.with_suffix(".h"), compiler, cache)
    return build_device(torch_parts(), compiler, cache, lambda _: None), chip


def build(placed: Placed, twin: TwinToolchain) -> BuiltBinding | None:
    """Compile the binding in the sandbox, or take it from the cache. Raises BindingRefused, InfraError."""
    from akgen.tools.binding.module import torch_parts

    if placed.binding is None:
        return None
    runtime = twin.runtime

    def sandboxed(arguments: Sequence[str | Path], folder: Path, read: tuple[Path, ...]) -> Finished:
        paths = (*read, placed.folder, runtime.folder)
        return compile_in(runtime, arguments, folder, paths, timeout_s=BUILD_TIMEOUT_S)

    try:
        return build_binding(
            placed.binding,
            torch_parts(),
            runtime.compiler,
            twin.settings.cache,
            lambda _: None,
            kernels=placed.kernels,
            runtime=runtime.folder,
            others=placed.others,
            compile_with=sandboxed,
        )
    except InputError as e:
        raise BindingRefused((_finding(e, placed),)) from e


def _finding(error: InputError, placed: Placed) -> Diagnostic:
    text = error.text.replace(f"{placed.folder}/", "")
    where = re.search(r"([\w./+-]+\.(?:cpp|cc|cxx|asc|h|hh|hpp)):(\d+):\d+: ", text)
    assert placed.binding is not None
    file = where[1] if where else placed.binding.relative_to(placed.folder).as_posix()
    return Diagnostic(
        code="BINDING_BUILD", text=text, file=file, line=int(where[2]) if where else None, stage="compile",
        remedy="Correct it; a binding includes torch/extension.h, and pytorch_npu_helper.hpp or torch_npu's stream.",
    )  # fmt: skip
