"""Compile a kernel for one combination of types and one tiling key into a library that the launcher loads."""

import re
from pathlib import Path, PurePosixPath
from typing import NamedTuple

from akgen.tools.core.dtypes import DType
from akgen.tools.core.outcome import Diagnostic
from akgen.tools.core.project import KernelProject, write_files
from akgen.tools.twin.address_spaces import without_global_space
from akgen.tools.twin.build_cache import BuildCache, digest
from akgen.tools.twin.code import Code
from akgen.tools.twin.columns import Column
from akgen.tools.twin.compiler import Compiler
from akgen.tools.twin.compiler_text import errors
from akgen.tools.twin.diagnostics import explain
from akgen.tools.twin.dialect import portable
from akgen.tools.twin.entry import without_comments
from akgen.tools.twin.host_info import HostInfo
from akgen.tools.twin.internal_form import DUMP
from akgen.tools.twin.kernel_compile import compile_kernel, compile_sides
from akgen.tools.twin.kernel_flags import kernel_flags
from akgen.tools.twin.kernel_template import entry_source, kernel_template
from akgen.tools.twin.launch_syntax import without_launches
from akgen.tools.twin.library_check import check_library, placed
from akgen.tools.twin.precompiled import kernel_prelude
from akgen.tools.twin.results import fetch, write_result
from akgen.tools.twin.runtime_build import Runtime
from akgen.tools.twin.sandboxed import compile_in, exhausted
from akgen.tools.twin.scalar_casts import dump_options, refused_scalars
from akgen.tools.twin.sides import CORE_TYPE, Side, names_cube, sides_of, symbol_of
from akgen.tools.twin.template_arguments import TemplateArguments
from akgen.tools.twin.tiling_header import plain_struct_of_key, tiling_header

_LIBRARY = "kernel.so"
_ENTRY_SOURCE = "akgen_entry.cpp"  # of a kernel that is a template
_CPP_OF_GE = {d.ge_name: d.cpp_name for d in DType} | {"DT_INT4": "int4b_t", "DT_COMPLEX32": "complex32"}


class Variant(NamedTuple):
    """What one build of the kernel is for. `column` is None for a kernel without an OpDef."""

    column: Column | None
    tiling_key: int
    template: TemplateArguments | None = None  # what the key stands for, for a kernel that is a template


class BuiltKernel(NamedTuple):
    """`library` is None if it does not build. `symbol` is the function to call."""

    library: Path | None
    symbol: str
    diagnostics: tuple[Diagnostic, ...]
    cheat: bool
    compiled: bool  # false: it was in the cache


def build_kernel(
    project: KernelProject, info: HostInfo | None, variant: Variant, runtime: Runtime, kernels: BuildCache
) -> BuiltKernel:
    """Build a variant, or take it from the cache. Raises InfraError only."""
    symbol = f"{project.kernel}_{variant.tiling_key}_tilingkey"
    template = kernel_template(project)
    entry_text = None
    if template is not None and variant.template is not None:
        cube = symbol_of(symbol, Side.CUBE)
        entry_text = entry_source(project, template, variant.template, symbol, cube)
    prelude = _prelude(project, info, variant, None if entry_text else symbol)
    files = {p: portable(without_launches(project.files[p])) for p in project.kernel_files}
    options = (*_project_options(project), *dump_options(runtime.compiler))
    parts = (part for pair in sorted(files.items()) for part in pair)
    key = digest(
        "kernel",
        runtime.digest,
        *_flags(runtime.compiler),
        *options,
        project.kernel,
        prelude,
        entry_text or "",
        *parts,
    )

    def build(folder: Path) -> None:
        _build(project, files, prelude, entry_text, options, symbol, runtime, folder)

    entry, result, compiled = fetch(kernels, key, build)
    return BuiltKernel(
        library=entry / _LIBRARY if result.ok else None,
        symbol=symbol,
        diagnostics=result.diagnostics,
        cheat=any(d.code == "STATIC_CONSTRUCTOR" for d in result.diagnostics),
        compiled=compiled,
    )


def auto_sync(project: KernelProject) -> bool:
    """Say whether the build asks the compiler to insert synchronisation; CANN's default is that it does."""
    return "--cce-auto-sync=off" not in project.files.get("CMakeLists.txt", "")


def _flags(compiler: Compiler) -> tuple[str, ...]:
    return (*kernel_flags().compile, "-nostartfiles", *compiler.brief, *compiler.records)


def _project_options(project: KernelProject) -> tuple[str, ...]:
    """Return the macro definitions that the project's CMakeLists.txt gives its kernel."""
    text = project.files.get("CMakeLists.txt", "")
    blocks = re.findall(r"add_ops_compile_options\s*\(([^)]*)\)", text)
    return tuple(o for block in blocks for o in re.findall(r"(?<!\S)-[DU]\w+(?:=\w+)?(?!\S)", block))


def _prelude(project: KernelProject, info: HostInfo | None, variant: Variant, symbol: str | None) -> str:
    """Write what CANN's operator compiler passes to a kernel: types, formats, the key, tiling structs, the symbol."""
    lines = [
        "#undef TILING_KEY_VAR",
        f"#define TILING_KEY_VAR {variant.tiling_key}UL",
    ]
    if info is not None and info.op is not None and variant.column is not None:
        lines += _type_macros(info, variant.column)
    classes = info.tiling_classes if info is not None else ()
    of_key = info.tiling_class(project.op_type, variant.tiling_key) if info is not None else None
    lines.append(tiling_header(classes, of_key))
    if of_key is None:
        text = without_comments("\n".join(project.files[p] for p in project.kernel_files))
        chosen = variant.template.tiling_struct if variant.template is not None else None
        plain = chosen or plain_struct_of_key(text, variant.tiling_key)
        lines += [f"#define AKGEN_TILING_STRUCT {plain}"] if plain else []
    if symbol is None:
        return "\n".join(lines) + "\n"
    # After the headers, for the kernel may be called like something in them (`sqrt`, `equal`).
    lines += [f"#if AKGEN_CORE_TYPE == {CORE_TYPE[Side.CUBE]}"]
    lines += [f"#define {project.kernel} {symbol_of(symbol, Side.CUBE)}", "#else"]
    lines += [f"#define {project.kernel} {symbol}", "#endif"]
    return "\n".join(lines) + "\n"


def _type_macros(info: HostInfo, column: Column) -> list[str]:
    assert info.op is not None
    lines = []
    inputs = {p.name for p in info.op.inputs}
    rows = [
        *(
            (p.name, t, f)
            for p, t, f in zip(info.op.inputs, column.input_types, column.input_formats, strict=True)
        ),
        *(
            (p.name + ("_ref" if p.name in inputs else ""), t, f)
            for p, t, f in zip(info.op.outputs, column.output_types, column.output_formats, strict=True)
        ),
    ]
    for name, dtype, layout in rows:
        upper = name.upper()
        if dtype:
            lines.append(f"#define DTYPE_{upper} {_CPP_OF_GE.get(dtype, 'uint8_t')}")
            lines.append(f"#define ORIG_DTYPE_{upper} {dtype}")
        lines.append(f"#define FORMAT_{upper} FORMAT_{layout}")
    return lines


def _build(
    project: KernelProject,
    files: dict[str, str],
    prelude: str,
    entry_text: str | None,
    options: tuple[str, ...],
    symbol: str,
    runtime: Runtime,
    folder: Path,
) -> None:
    write_files(files, folder)
    (folder / "prelude.h").write_text(prelude)
    source = project.kernel_file
    if entry_text is not None:
        source = _ENTRY_SOURCE
        (folder / source).write_text(entry_text)
    include = sorted({str(PurePosixPath(p).parent) for p in files})
    compile_: list[str | Path] = [
        *_flags(runtime.compiler),
        *options,
        f"-fdebug-prefix-map={folder}=.",
        *(f"-I{runtime.folder / name}" for name in kernel_flags().include),
        *(f"-I{i}" for i in include),
    ]
    cube = any(names_cube(text) for text in files.values())

    def on(side: Side) -> list[str | Path]:
        """Return what compiles the kernel for one kind of core. The precompiled header has to come first."""
        first = runtime.folder / kernel_prelude(side, names_cube=cube)
        return [*compile_, "-include", first, "-include", "prelude.h", source]

    link = ("-o", _LIBRARY, f"-L{runtime.folder}", "-lakgen_twin", *kernel_flags().link)
    sides = sides_of(without_comments("\n".join(files.values())))
    if len(sides) == 1:
        command = [*on(sides[0]), *runtime.compiler.linker, *link]
        done = compile_kernel(runtime, command, folder)
        casts = refused_scalars(runtime, on(sides[0]), done, folder, files)
    else:
        done, objects, casts = compile_sides(runtime, on, sides, symbol, folder, files)
        command = [*_flags(runtime.compiler), *runtime.compiler.linker, *objects, *link]
        done = compile_in(runtime, command, folder) if done.ok else done
    if done.ok:
        found = check_library(folder / _LIBRARY, symbol, project, runtime) or (
            *casts,
            *without_global_space(files),
        )
        if any(d.code in ("LINK", "HOST_NAME") for d in found):
            # The library may leave names to the loader; a second link says who asks for them.
            strict = compile_in(runtime, [*command, "-Wl,-z,defs", "-Wl,--no-demangle"], folder)
            (folder / DUMP).unlink(missing_ok=True)
            found = placed(found, errors(strict.err, files.__contains__))
    else:
        stopped = exhausted(done, project.kernel_file)
        code = Code(side="device", files=files, given=prelude, project=project.files)
        found = (stopped,) if stopped else explain(done.err, code)
    write_result(folder, found)
