"""Explicit casts between floating point and unsigned integers, which CANN's compiler refuses in device code.

Every C++ compiler here makes them without a word. Its first internal form has all conversions and types; that is read,
and the source's line must hold a cast of that operand: conversions that nobody wrote down are allowed. Not counted are
constants, bool, and casts within the twin's headers.
"""

import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from akgen.tools.core.outcome import Diagnostic
from akgen.tools.process import Finished
from akgen.tools.twin import clang_form, gcc_form
from akgen.tools.twin.compiler import Compiler
from akgen.tools.twin.half_arithmetic import refused_arithmetic
from akgen.tools.twin.host_functions import called_host_functions
from akgen.tools.twin.internal_form import DUMP, FLOATING, UNSIGNED, Converted, Steps
from akgen.tools.twin.runtime_build import Runtime
from akgen.tools.twin.sandboxed import compile_in


def dump_options(compiler: Compiler) -> tuple[str, ...]:
    """Return what makes a compile write its internal form beside its result, where the compiler can do both."""
    return () if compiler.is_clang else gcc_form.WRITE_FORM


def refused_scalars(
    runtime: Runtime,
    arguments: Sequence[str | Path],
    compiled: Finished,
    folder: Path,
    files: Mapping[str, str],
) -> tuple[Diagnostic, ...]:
    """Return what the compiler's internal form shows and the device's compiler refuses, and remove the form.

    Such casts, half arithmetic, calls of host functions: a finding for each line of the project's `files`. `arguments`
    are what these were `compiled` with, less the output.
    """
    if compiled.ok and runtime.compiler.is_clang:
        compile_in(runtime, [*arguments, *clang_form.WRITE_FORM], folder)
    dump = folder / DUMP
    if not dump.is_file():
        return ()
    text = dump.read_text(errors="replace")
    dump.unlink()
    read = clang_form if text.startswith(clang_form.MARK) else gcc_form
    steps = tuple(read.steps(text))
    found = (*_refused_casts(steps, files), *refused_arithmetic(steps, files))
    return (*found, *called_host_functions(tuple(read.functions(text)), files))


def _refused_casts(steps: Steps, files: Mapping[str, str]) -> tuple[Diagnostic, ...]:
    found: dict[tuple[str, int], Converted] = {}
    for step in steps:
        name = step.file.removeprefix("./")
        if isinstance(step, Converted) and name in files:
            lines = files[name].splitlines()[step.line - 1 : step.line]
            if any(_is_written(step, line) for line in lines):
                found.setdefault((name, step.line), step)
    return tuple(
        Diagnostic(
            code="SCALAR_CAST",
            text=f"A value of type {c.source} is cast to {c.to}; the device's compiler refuses such casts.",
            file=file,
            line=line,
            remedy="Go through a signed integer: static_cast<float>(static_cast<int32_t>(n)).",
            stage="compile",
        )
        for (file, line), c in sorted(found.items())
    )


def _is_written(c: Converted, line: str) -> bool:
    """Say whether the source's line casts this operand: static_cast<T>(a.n), (T)a.n, (T)(...), T(a.n)."""
    kinds = FLOATING if c.to in FLOATING else UNSIGNED
    names = "|".join(sorted(kinds, key=len, reverse=True))
    target = rf"(?:const\s+)?(?:{names}|[A-Z]\w*)"  # a template's parameter has a capital
    cast = rf"(?:static_cast<\s*{target}\s*>\s*\(|\(\s*{target}\s*\)\s*\(?|\b{target}\s*\()\s*"
    if c.column is not None:
        return re.search(cast + r"[(\s]*$", line[: c.column - 1]) is not None
    operand = rf"(?:[\w.>\-]*\b{re.escape(c.operand)}\b)" if c.operand else r"\(?[A-Za-z_]"
    return re.search(cast + operand, line) is not None
