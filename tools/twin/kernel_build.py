"""Compile a kernel for one combination of types and one tiling key into a library that the launcher loads."""

import re
from collections.abc import Callable
from functools import cache
from pathlib import Path, PurePosixPath
from typing import NamedTuple

from akgen.tools.dtypes import DType
from akgen.tools.outcome import Diagnostic
from akgen.tools.process import Finished
from akgen.tools.project import KernelProject
from akgen.tools.twin.code import Code
from akgen.tools.twin.columns import Column
from akgen.tools.twin.compiler import Compiler
from akgen.tools.twin.compiler_text import CompilerError, errors
from akgen.tools.twin.diagnostics import explain
from akgen.tools.twin.dialect import initialise, portable, unset_members
from akgen.tools.twin.elf import Elf, exported_by, read_elf, undefined_in
from akgen.tools.twin.entry import entries, without_comments
from akgen.tools.twin.host_info import HostInfo
from akgen.tools.twin.host_names import HOST_NAMES
from akgen.tools.twin.kernel_flags import kernel_flags
from akgen.tools.twin.kernel_template import entry_source, kernel_template
from akgen.tools.twin.launch_syntax import without_launches
from akgen.tools.twin.places import places_of
from akgen.tools.twin.precompiled import kernel_prelude
from akgen.tools.twin.results import fetch, write_result
from akgen.tools.twin.runtime_build import TWIN, Runtime
from akgen.tools.twin.sandboxed import compile_in, exhausted
from akgen.tools.twin.scalar_casts import DUMP, dump_options, refused_scalars
from akgen.tools.twin.sides import CORE_TYPE, Side, names_cube, sides_of, symbol_of, works
from akgen.tools.twin.store import Store, digest
from akgen.tools.twin.template_arguments import TemplateArguments
from akgen.tools.twin.tiling_header import plain_struct_of_key, tiling_header

_LIBRARY = "kernel.so"
_ENTRY_SOURCE = "akgen_entry.cpp"  # of a kernel that is a template
_CPP_OF_GE = {d.ge_name: d.cpp_name for d in DType} | {"DT_INT4": "int4b_t", "DT_COMPLEX32": "complex32"}
_COMPILER_CALLS = frozenset({"memcpy", "memmove", "memset", "memcmp", "__dso_handle", "__tls_get_addr"})


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
    project: KernelProject, info: HostInfo | None, variant: Variant, runtime: Runtime, store: Store
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
        *_rules(),
        *_flags(runtime.compiler),
        *options,
        project.kernel,
        prelude,
        entry_text or "",
        *parts,
    )

    def build(folder: Path) -> None:
        _build(project, files, prelude, entry_text, options, symbol, runtime, folder)

    entry, result, compiled = fetch(store, key, build)
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
    return (*kernel_flags().compile, "-nostartfiles", *compiler.brief)


@cache
def _rules() -> tuple[bytes, ...]:
    """Return the code that decides how a kernel is built: what is in the cache was built by the same."""
    return tuple((TWIN / name).read_bytes() for name in ("kernel_build.py", "sides.py", "dialect.py"))


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
    for path, text in files.items():
        target = folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text)
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
        done = _compile(runtime, command, folder)
        casts = refused_scalars(folder, files)
    else:
        done, objects, casts = _compile_sides(runtime, on, sides, symbol, folder, files)
        command = [*_flags(runtime.compiler), *runtime.compiler.linker, *objects, *link]
        done = compile_in(runtime, command, folder) if done.ok else done
    if done.ok:
        found = _check_library(folder / _LIBRARY, symbol, project, runtime) or casts
        if any(d.code in ("LINK", "HOST_NAME") for d in found):
            # The library may leave names to the loader; a second link says who asks for them.
            strict = compile_in(runtime, [*command, "-Wl,-z,defs", "-Wl,--no-demangle"], folder)
            (folder / DUMP).unlink(missing_ok=True)
            found = _placed(found, errors(strict.err, files.__contains__))
    else:
        stopped = exhausted(done, project.kernel_file)
        code = Code(side="device", files=files, given=prelude, project=project.files)
        found = (stopped,) if stopped else explain(done.err, code)
    write_result(folder, found)


def _compile(runtime: Runtime, command: list[str | Path], folder: Path) -> Finished:
    """Compile; again where constexpr constructors leave members to be assigned, which the vendor's compiler takes."""
    done = compile_in(runtime, command, folder)
    for _ in range(4):
        members = [] if done.ok else unset_members(done.err)
        changed = [initialise(folder / file, line, name) for file, line, name in members]
        if not any(changed):
            break
        done = compile_in(runtime, command, folder)
    return done


def _compile_sides(
    runtime: Runtime,
    on: Callable[[Side], list[str | Path]],
    sides: tuple[Side, ...],
    symbol: str,
    folder: Path,
    files: dict[str, str],
) -> tuple[Finished, list[str | Path], tuple[Diagnostic, ...]]:
    """Compile for each kind of core. Return the objects of those that have something to do, and refused casts."""
    objects: list[str | Path] = []
    casts: dict[tuple[str | None, int | None], Diagnostic] = {}
    for side in sides:
        name = f"{side}.o"
        # What both sides define has one name and two contents; it stays within its object.
        whole = "-ffunction-sections" if runtime.compiler.is_clang else "-fwhole-program"
        own = ("-c", whole, "-o", name)
        done = _compile(runtime, [*on(side), *own], folder)
        casts |= {(c.file, c.line): c for c in refused_scalars(folder, files)}
        if done.ok and runtime.compiler.is_clang:
            done = _only_symbol(runtime, name, symbol_of(symbol, side), folder)
        if not done.ok:
            return done, [], ()
        needs = undefined_in(folder / (f"{name}.live" if runtime.compiler.is_clang else name))
        if works(needs, side):
            objects.append(name)
    return done, objects or [f"{Side.VECTOR}.o"], tuple(casts.values())


def _only_symbol(runtime: Runtime, name: str, symbol: str, folder: Path) -> Finished:
    """Do for clang's object what -fwhole-program does for g++: keep only this name, and say what it needs.

    The object without what nobody calls lies beside it as `<name>.live`; it lacks the records of other sections.
    """
    merge = ["-r", "-nostdlib", "-fuse-ld=bfd", "-Wl,--force-group-allocation"]
    live = compile_in(
        runtime,
        [*merge, "-Wl,--gc-sections", f"-Wl,-u,{symbol}", "-o", f"{name}.live", name],
        folder,
    )
    whole = compile_in(runtime, [*merge, "-o", f"{name}.whole", name], folder) if live.ok else live
    if not whole.ok:
        return whole
    keep = [f"--keep-global-symbol={symbol}", f"{name}.whole", name]
    return compile_in(runtime, keep, folder, program=runtime.compiler.objcopy)


def _placed(found: tuple[Diagnostic, ...], asked: list[CompilerError]) -> tuple[Diagnostic, ...]:
    """Give findings about unknown symbols the lines that the linker names, if it names them all."""
    places = list(dict.fromkeys((e.file, e.line) for e in asked if e.line is not None))
    if len(found) != 1 or not places:
        return found
    return (found[0].model_copy(update={"file": places[0][0], "line": places[0][1]}),)


def _check_library(
    library: Path, symbol: str, project: KernelProject, runtime: Runtime
) -> tuple[Diagnostic, ...]:
    file = project.kernel_file
    elf = read_elf(library)
    if elf.startup:
        text = f"The kernel brings code that runs when it is loaded ({', '.join(elf.startup)})."
        found = _finding(
            "STATIC_CONSTRUCTOR", text, file, "Remove constructors of globals; set members in Init."
        )
        place = _startup_place(library, elf, runtime)
        return (found.model_copy(update={"file": place[0], "line": place[1]}) if place else found,)
    unknown = elf.undefined - exported_by(runtime.device_library) - _COMPILER_CALLS
    if unknown:
        return tuple(_unknown_symbol(name, file) for name in sorted(unknown)[:3])
    if not elf.defined & {symbol_of(symbol, side) for side in Side}:
        text = 'The kernel function is not extern "C".'
        found = _finding("ENTRY_NAME", text, file, 'Write extern "C" __global__ __aicore__ void ...')
        entry = next((e for e in entries(project) if e.name == project.kernel), None)
        return (found.model_copy(update={"file": entry.file, "line": entry.line}) if entry else found,)
    return ()


def _startup_place(library: Path, elf: Elf, runtime: Runtime) -> tuple[str, int] | None:
    """Return the line of what runs at load. The compiler gives its own wrapper the file's last line."""
    for begin, size in elf.startup_code:
        found = places_of(runtime, library, range(begin + 1, begin + min(size, 400)))
        wrapper = found.get(begin + 1)
        inner = [place for _, place in sorted(found.items()) if place != wrapper]
        if inner or wrapper:
            return inner[0] if inner else wrapper
    return None


def _unknown_symbol(name: str, file: str) -> Diagnostic:
    if name.startswith(("_Znw", "_Zna", "_Zdl", "_Zda")):
        text = "The kernel uses new or delete; device code has no heap."
        return _finding("HOST_NAME", text, file, "Use buffers from TPipe::InitBuffer, or plain objects.")
    if name in HOST_NAMES:
        return _finding(
            "HOST_NAME",
            f"{name} is a host name; device code does not have it.",
            file,
            f"Use {HOST_NAMES[name]}.",
        )
    return _finding("LINK", f"{name} is declared and never defined.", file, "Define it, or call what exists.")


def _finding(code: str, text: str, file: str, remedy: str) -> Diagnostic:
    return Diagnostic(code=code, text=text, file=file, remedy=remedy, stage="compile")
