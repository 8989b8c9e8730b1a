"""Compile a kernel's source, once for each kind of core that it has a program for; explain what does not compile."""

from collections.abc import Callable, Mapping
from pathlib import Path, PurePosixPath
from typing import NamedTuple

from akgen.tools.core.outcome import Diagnostic
from akgen.tools.core.project import KernelProject, without_comments, write_files
from akgen.tools.process.program import Finished
from akgen.tools.twin.build_cache import write_result
from akgen.tools.twin.compiler import kernel_flags
from akgen.tools.twin.findings.code import Code
from akgen.tools.twin.findings.compiler_ir import DUMP
from akgen.tools.twin.findings.compiler_text import errors
from akgen.tools.twin.findings.diagnostics import explain
from akgen.tools.twin.findings.llvm_ir import without_address_spaces
from akgen.tools.twin.findings.scalar_code import dump_options, refused_scalars
from akgen.tools.twin.kernel.dialect import initialise, unset_members
from akgen.tools.twin.kernel.elf import ElfRefused, undefined_in
from akgen.tools.twin.kernel.library_check import check_library, damaged, placed, shared_names
from akgen.tools.twin.kernel.sides import Side, names_cube, sides_of, symbol_of, works
from akgen.tools.twin.precompiled import kernel_prelude
from akgen.tools.twin.runtime_build import Runtime
from akgen.tools.twin.sandboxed import compile_in, exhausted

_ENTRY_SOURCE = "akgen_entry.cpp"  # of a kernel that is a template


class KernelSource(NamedTuple):
    """One variant of a kernel, as it goes to the compiler. `files` are the kernel's, in the compiler's dialect."""

    project: KernelProject
    files: dict[str, str]
    prelude: str
    entry_text: str | None  # calls a kernel that is a template
    options: tuple[str, ...]  # of the project
    symbol: str


def compile_variant(given: KernelSource, runtime: Runtime, library: Path) -> None:
    """Write the sources beside `library`, compile and check it, and write the result beside it."""
    try:
        found = _findings(given, runtime, library)
    except ElfRefused as problem:
        found = (damaged(problem, given.project.kernel_file),)
    write_result(library.parent, found)


def _findings(given: KernelSource, runtime: Runtime, library: Path) -> tuple[Diagnostic, ...]:
    folder = library.parent
    write_files(given.files, folder)
    (folder / "prelude.h").write_text(given.prelude)
    source = given.project.kernel_file
    if given.entry_text is not None:
        source = _ENTRY_SOURCE
        (folder / source).write_text(given.entry_text)
    include = sorted({str(PurePosixPath(p).parent) for p in given.files})
    compile_: list[str | Path] = [
        *_flags(runtime),
        *given.options,
        *dump_options(runtime.compiler),
        f"-fdebug-prefix-map={folder}=.",
        *(f"-I{runtime.folder / name}" for name in kernel_flags().include),
        *(f"-I{i}" for i in include),
    ]
    cube = any(names_cube(text) for text in given.files.values())

    def on(side: Side) -> list[str | Path]:
        """Return what compiles the kernel for one kind of core. The precompiled header has to come first."""
        first = runtime.folder / kernel_prelude(side, names_cube=cube)
        return [*compile_, "-include", first, "-include", "prelude.h", source]

    linker = (*runtime.compiler.linker, *runtime.compiler.code_apart)
    link = ("-o", library.name, f"-L{runtime.folder}", "-lakgen_twin", *kernel_flags().link)
    sides = sides_of(without_comments("\n".join(given.files.values())))
    objects: list[str | Path] = []
    if len(sides) == 1:
        command = [*on(sides[0]), *linker, *link]
        done = compile_kernel(runtime, command, folder, given.files)
        casts = refused_scalars(runtime, on(sides[0]), done, folder, given.files)
    else:
        done, objects, casts = compile_sides(runtime, on, sides, given.symbol, folder, given.files)
        command = [*_flags(runtime), *linker, *objects, *link]
        done = compile_in(runtime, command, folder) if done.ok else done
    if done.ok:
        found = (
            shared_names([folder / o for o in objects], given.symbol, source)
            or tuple(c for c in casts if c.code == "DEVICE_LANGUAGE")  # why a name is missing
            or check_library(library, given.symbol, given.project, runtime)
            or (*casts, *without_address_spaces(given.files))
        )
        if any(d.code in ("LINK", "HOST_NAME") for d in found):
            # The library may leave names to the loader; a second link says who asks for them.
            strict = compile_in(runtime, [*command, "-Wl,-z,defs", "-Wl,--no-demangle"], folder)
            (folder / DUMP).unlink(missing_ok=True)
            found = placed(found, errors(strict.err, given.files.__contains__))
    else:
        stopped = exhausted(done, given.project.kernel_file)
        code = Code(side="device", files=given.files, given=given.prelude, project=given.project.files)
        found = (stopped,) if stopped else explain(done.err, code)
    return found


def _flags(runtime: Runtime) -> tuple[str, ...]:
    seal = (f"-B{runtime.seal}/",) if runtime.seal else ()
    return (*runtime.compiler.kernel_options, "-nostartfiles", *seal, *runtime.kernel_flags)


def compile_kernel(
    runtime: Runtime, command: list[str | Path], folder: Path, files: Mapping[str, str]
) -> Finished:
    """Compile; again where constexpr constructors leave members to be assigned, which the vendor's compiler takes.

    Only the project's `files` are changed for that: sources choose the files that messages name.
    """
    done = compile_in(runtime, command, folder)
    for _ in range(4):
        members = [] if done.ok else unset_members(done.err)
        changed = [initialise(folder / file, line, name) for file, line, name in members if file in files]
        if not any(changed):
            break
        done = compile_in(runtime, command, folder)
    return done


def compile_sides(
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
        done = compile_kernel(runtime, [*on(side), *own], folder, files)
        found = refused_scalars(runtime, on(side), done, folder, files)
        casts |= {(c.file, c.line): c for c in found}
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
