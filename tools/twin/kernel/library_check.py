"""Read a built kernel library: what would run when it is loaded, and names that nobody defines."""

import re
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path

from akgen.tools.core.outcome import Diagnostic
from akgen.tools.core.project import KernelProject
from akgen.tools.twin.findings.compiler_text import CompilerError
from akgen.tools.twin.findings.names_elsewhere import HOST_NAMES
from akgen.tools.twin.kernel.elf import Elf, ElfRefused, global_in, read_elf
from akgen.tools.twin.kernel.kernel_entry import entries
from akgen.tools.twin.kernel.sides import Side, symbol_of
from akgen.tools.twin.places import places_of
from akgen.tools.twin.runtime_build import Runtime


@lru_cache(maxsize=4)
def entry_points(runtime: Runtime) -> frozenset[str]:
    """Return the symbols of the runtime that a kernel may need: what its headers declare, and what sealing adds."""
    exported = read_elf(runtime.device_library).defined
    headers = "\n".join(p.read_text() for p in (runtime.device_include / "akgen").rglob("*.h"))
    declared = set(re.findall(r"AKGEN_API\s[^;{}()]*?(\w+)\(", headers))
    return frozenset(s for s in exported if s.startswith(_SEALING) or _function_of(s) in declared)


_SEALING = ("akgen_check_", "akgen_checked_", "akgen_stack_left")


def _function_of(symbol: str) -> str | None:
    """Return the name of a function in the runtime's namespace from its mangled form."""
    length = re.match(r"_ZN5akgen4twin(\d+)", symbol)
    return symbol[length.end() : length.end() + int(length[1])] if length else None


_MOST_PLACES = 8  # each starts a program; a project may name as many functions so as it likes
_COMPILER_CALLS = frozenset({"memcpy", "memmove", "memset", "memcmp", "__dso_handle", "__tls_get_addr"})


def placed(found: tuple[Diagnostic, ...], asked: list[CompilerError]) -> tuple[Diagnostic, ...]:
    """Give findings about unknown symbols the lines that the linker names, if it names them all."""
    places = list(dict.fromkeys((e.file, e.line) for e in asked if e.line is not None))
    if len(found) != 1 or not places:
        return found
    return (found[0].model_copy(update={"file": places[0][0], "line": places[0][1]}),)


def check_library(
    library: Path, symbol: str, project: KernelProject, runtime: Runtime
) -> tuple[Diagnostic, ...]:
    """Return what is wrong with a library that was built: code that runs at load, names that nobody has, no entry."""
    file = project.kernel_file
    elf = read_elf(library)
    if elf.startup:
        text = f"The kernel brings code that runs when it is loaded ({', '.join(elf.startup)})."
        found = _finding(
            "STATIC_CONSTRUCTOR", text, file, "Remove constructors of globals; set members in Init."
        )
        place = _startup_place(library, elf, runtime)
        return (found.model_copy(update={"file": place[0], "line": place[1]}) if place else found,)
    if runtime.sealed and (refused := _unsealed(elf, symbol)):
        return (_refused(refused, file),)
    unknown = elf.undefined - entry_points(runtime) - _COMPILER_CALLS
    if unknown:
        return tuple(_unknown_symbol(name, file) for name in sorted(unknown)[:3])
    if not any(symbol_of(symbol, side) in elf.defined for side in Side):
        text = 'The kernel function is not extern "C".'
        found = _finding("ENTRY_NAME", text, file, 'Write extern "C" __global__ __aicore__ void ...')
        entry = next((e for e in entries(project) if e.name == project.kernel), None)
        return (found.model_copy(update={"file": entry.file, "line": entry.line}) if entry else found,)
    return ()


def shared_names(objects: Sequence[Path], symbol: str, file: str) -> tuple[Diagnostic, ...]:
    """Find names that one kind of core's object would give to the other's: only the kernel's own is seen outside.

    Whether a name is a function is known only where it is defined, and sealed code may call nothing else.
    """
    own = {symbol_of(symbol, side) for side in Side}
    shared = sorted(frozenset[str]().union(*map(global_in, objects)) - own)
    if not shared:
        return ()
    text = f"{shared[0]} is defined for other object files; a kernel has one function that others call."
    return (_refused(text, file),)


def _unsealed(elf: Elf, symbol: str) -> str | None:
    """Say what sealed code would reach that is no function: its entry, or a name that the linker gave a meaning."""
    for side in Side:
        name = symbol_of(symbol, side)
        if name in elf.defined and elf.defined[name] not in elf.functions:
            return f"{name} is no function."
    here = sorted(elf.called - elf.undefined)
    return f"{here[0]} is called and is no function of the kernel's." if here else None


def _refused(text: str, file: str) -> Diagnostic:
    return _finding(
        "HOST_INSTRUCTION", text, file, "Write the kernel in C++ and leave names to the compiler."
    )


def _startup_place(library: Path, elf: Elf, runtime: Runtime) -> tuple[str, int] | None:
    """Return the line of what runs at load. The compiler gives its own wrapper the file's last line."""
    for begin, size in elf.startup_code[:_MOST_PLACES]:
        found = places_of(runtime, library, range(begin + 1, begin + min(size, 400)))
        wrapper = found.get(begin + 1)
        inner = [place for _, place in sorted(found.items()) if place != wrapper]
        if inner or wrapper:
            return inner[0] if inner else wrapper
    return None


def damaged(problem: ElfRefused, file: str) -> Diagnostic:
    """Return the finding about a compiled file that is no ELF file as compilers write it."""
    remedy = "Leave sections and symbol tables to the compiler."
    return _finding("LIBRARY_FORM", f"The compiled kernel cannot be read: {problem}.", file, remedy)


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
    own = "Define it in the kernel's file or in a header, or call what exists: CANN compiles each file by itself."
    return _finding("LINK", f"{_written_name(name)} is declared and never defined.", file, own)


def _written_name(symbol: str) -> str:
    """Return a function's name as its source has it, without arguments; the symbol where it has another form."""
    rest, parts = re.sub(r"^_ZN?K?", "", symbol), list[str]()
    while symbol.startswith("_Z") and (length := re.match(r"[1-9]\d*", rest)):
        end = length.end() + int(length[0])
        parts.append(rest[length.end() : end])
        rest = rest[end:]
    return "::".join(parts) or symbol


def _finding(code: str, text: str, file: str, remedy: str) -> Diagnostic:
    return Diagnostic(code=code, text=text, file=file, remedy=remedy, stage="compile")
