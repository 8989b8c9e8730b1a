"""Build a kernel for one combination of types and one tiling key, or take the library from the cache."""

import re
from pathlib import Path
from typing import NamedTuple

from akgen.tools.cache.content import ContentCache, digest
from akgen.tools.core.outcome import Diagnostic
from akgen.tools.core.project import KernelProject
from akgen.tools.twin.build_cache import fetch
from akgen.tools.twin.host.host_info import HostInfo
from akgen.tools.twin.kernel.dialect import portable, without_launches
from akgen.tools.twin.kernel.kernel_entry import ENTRY_MACRO, entry_apart, entry_source, kernel_template
from akgen.tools.twin.kernel.kernel_prelude import Variant, write_prelude
from akgen.tools.twin.kernel.sides import Side, symbol_of
from akgen.tools.twin.runtime_build import Runtime

_LIBRARY = "kernel.so"


class BuiltKernel(NamedTuple):
    """`library` is None if it does not build. `symbol` is the function to call."""

    library: Path | None
    symbol: str
    diagnostics: tuple[Diagnostic, ...]
    cheat: bool
    compiled: bool  # false: it was in the cache


def build_kernel(
    project: KernelProject, info: HostInfo | None, variant: Variant, runtime: Runtime, kernels: ContentCache
) -> BuiltKernel:
    """Build a variant, or take it from the cache. Raises InfraError only."""
    symbol = f"{project.kernel}_{variant.tiling_key}_tilingkey"
    template = kernel_template(project)
    entry_text = None
    if template is not None and variant.template is not None:
        cube = symbol_of(symbol, Side.CUBE)
        entry_text = entry_source(project, template, variant.template, symbol, cube)
    files = {p: portable(without_launches(project.files[p])) for p in project.kernel_files}
    alone = entry_apart(files, project.kernel) if entry_text is None else None
    files = dict(alone or files)
    called = ENTRY_MACRO if alone else project.kernel
    prelude = write_prelude(project, info, variant, None if entry_text else symbol, called)
    options = _project_options(project)
    parts = (part for pair in sorted(files.items()) for part in pair)
    key = digest(
        "kernel",
        runtime.digest,
        "sealed" if runtime.sealed else "open",
        *runtime.kernel_flags,
        *options,
        project.kernel,
        prelude,
        entry_text or "",
        *parts,
    )

    def build(folder: Path) -> None:
        # What reads compilers' messages is imported where there is something to compile.
        from akgen.tools.twin.kernel.kernel_compile import KernelSource, compile_variant

        source = KernelSource(project, files, prelude, entry_text, options, symbol)
        compile_variant(source, runtime, folder / _LIBRARY)

    entry, result, compiled = fetch(kernels, key, build)
    return BuiltKernel(
        library=entry / _LIBRARY if result.ok else None,
        symbol=symbol,
        diagnostics=result.diagnostics,
        cheat=any(
            d.code == "STATIC_CONSTRUCTOR" or d.code.startswith("SANDBOX_") for d in result.diagnostics
        ),
        compiled=compiled,
    )


def auto_sync(project: KernelProject) -> bool:
    """Say whether the build asks the compiler to insert synchronisation; CANN's default is that it does."""
    return "--cce-auto-sync=off" not in project.files.get("CMakeLists.txt", "")


def _project_options(project: KernelProject) -> tuple[str, ...]:
    """Return the macro definitions that the project's CMakeLists.txt gives its kernel."""
    text = project.files.get("CMakeLists.txt", "")
    blocks = re.findall(r"add_ops_compile_options\s*\(([^)]*)\)", text)
    return tuple(o for block in blocks for o in re.findall(r"(?<!\S)-[DU]\w+(?:=\w+)?(?!\S)", block))
