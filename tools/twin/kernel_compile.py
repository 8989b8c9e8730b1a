"""Compile a kernel's source, once for each kind of core that it has a program for."""

from collections.abc import Callable
from pathlib import Path

from akgen.tools.core.outcome import Diagnostic
from akgen.tools.process import Finished
from akgen.tools.twin.dialect import initialise, unset_members
from akgen.tools.twin.elf import undefined_in
from akgen.tools.twin.runtime_build import Runtime
from akgen.tools.twin.sandboxed import compile_in
from akgen.tools.twin.scalar_casts import refused_scalars
from akgen.tools.twin.sides import Side, symbol_of, works


def compile_kernel(runtime: Runtime, command: list[str | Path], folder: Path) -> Finished:
    """Compile; again where constexpr constructors leave members to be assigned, which the vendor's compiler takes."""
    done = compile_in(runtime, command, folder)
    for _ in range(4):
        members = [] if done.ok else unset_members(done.err)
        changed = [initialise(folder / file, line, name) for file, line, name in members]
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
        done = compile_kernel(runtime, [*on(side), *own], folder)
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
