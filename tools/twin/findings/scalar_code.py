"""What CANN's compiler refuses in scalar device code and every other compiler takes without a word.

Casts between floating point and unsigned integers, and from and to double and bfloat16_t (written ones, and those of
an initialisation or assignment), arithmetic on halves and comparisons of them (the scalar unit has none), and calls
of functions without `__aicore__`, which are the host's, show in the compiler's intermediate representation: GIMPLE of
g++, LLVM IR of clang++. Promotion within an expression is allowed: a cast there must stand in the source's line. Not
counted are constants, which are folded before, bool, comparisons, and what the twin's headers do. Constexpr functions
belong to host and device; lambdas, functions that nobody wrote down (default constructors), and names of which one
overload is marked are passed over. What the language lacks there as a whole is in `language_limits.py`.
Source: "Function Execution Space Qualifier" and "C++ Standard Support" in the vendor's guides.
"""

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path

from akgen.tools.core.outcome import Diagnostic
from akgen.tools.core.untrusted import FileRefused
from akgen.tools.process.program import Finished
from akgen.tools.twin.compiler import Compiler
from akgen.tools.twin.findings import compiler_ir, llvm_ir
from akgen.tools.twin.findings.compiler_ir import (
    FLOATING,
    UNSIGNED,
    CompiledFunction,
    Computed,
    Converted,
    Steps,
    take_dump,
)
from akgen.tools.twin.findings.language_limits import beyond_the_language
from akgen.tools.twin.kernel.dialect import blanked
from akgen.tools.twin.runtime_build import Runtime
from akgen.tools.twin.sandboxed import compile_in


def dump_options(compiler: Compiler) -> tuple[str, ...]:
    """Return what makes a compile write its GIMPLE dump beside its result, where the compiler can do both."""
    return () if compiler.is_clang else compiler_ir.WRITE_GIMPLE


def refused_scalars(
    runtime: Runtime,
    arguments: Sequence[str | Path],
    compiled: Finished,
    folder: Path,
    files: Mapping[str, str],
) -> tuple[Diagnostic, ...]:
    """Return what GIMPLE or LLVM IR shows and the device's compiler refuses, and remove the dump.

    Such casts, half arithmetic, calls of host functions: a finding for each line of the project's `files`. `arguments`
    are what these were `compiled` with, less the output.
    """
    if compiled.ok and runtime.compiler.is_clang:
        compile_in(runtime, [*arguments, *llvm_ir.WRITE_LLVM_IR], folder)
    try:
        text = take_dump(folder)
    except FileRefused as problem:
        said = f"What the compiler says of the kernel's scalar code is not read: {problem}."
        return (Diagnostic(code="COMPILE_RESOURCES", text=said, stage="compile"),)
    if not text:
        return ()
    found = refused_in(text, files)
    told = {(d.file, d.line) for d in found}
    implicit = tuple(
        c
        for c in compiler_ir.narrowed(compiled.err)
        if not _is_compound(c, files) and not _is_the_hosts(c, text)
    )
    return (*found, *(d for d in _refused_casts(implicit, files) if (d.file, d.line) not in told))


def _is_the_hosts(step: Converted | Computed, text: str) -> bool:
    """Say whether a cast of a double stands outside of device functions, in the host's code beside the kernel."""
    if not isinstance(step, Converted) or "double" not in (step.source, step.to):
        return False
    return not any(file == step.file and step.line in lines for file, lines in _device_spans(text))


@lru_cache(maxsize=2)
def _device_spans(text: str) -> tuple[tuple[str, range], ...]:
    if text.startswith(llvm_ir.MARK):
        return llvm_ir.spans_of_the_device(text)
    return compiler_ir.spans_of_the_device(text)


def _is_compound(c: Converted, files: Mapping[str, str]) -> bool:
    """Say whether an assignment like y += 0.5 makes the conversion, which is no cast to the compiler."""
    line = "".join(files.get(c.file.removeprefix("./"), "").splitlines()[c.line - 1 : c.line])
    return re.match(r"[\w.>\[\]-]*\s*[-+*/]=", line[(c.column or 1) - 1 :]) is not None


def refused_in(text: str, files: Mapping[str, str]) -> tuple[Diagnostic, ...]:
    """Return what this GIMPLE or LLVM IR shows, in the project's `files`."""
    read = llvm_ir if text.startswith(llvm_ir.MARK) else compiler_ir
    text = compiler_ir.of_files(text, files) if read is compiler_ir else text
    steps = tuple(s for s in read.steps(text) if not _is_the_hosts(s, text))
    found = (*_refused_casts(steps, files), *refused_arithmetic(steps, files))
    functions = tuple(read.functions(text))
    return (*found, *called_host_functions(functions, files), *beyond_the_language(functions, files))


def _remedy(c: Converted) -> str:
    if "double" in (c.source, c.to):
        return "Compute in float: float variables, and numbers that end in f, as in x * 0.5f and 1.0f / n."
    if "bfloat16_t" in (c.source, c.to):
        return "Use AscendC::ToFloat(value) and AscendC::ToBfloat16(value), or Cast on tensors."
    return "Go through a signed integer: static_cast<float>(static_cast<int32_t>(n))."


def _refused_casts(steps: Steps, files: Mapping[str, str]) -> tuple[Diagnostic, ...]:
    found: dict[tuple[str, int], Converted] = {}
    for step in steps:
        name = step.file.removeprefix("./")
        if isinstance(step, Converted) and name in files:
            lines = files[name].splitlines()[step.line - 1 : step.line]
            if step.kept or any(_is_written(step, line, _types(files[name])) for line in lines):
                found.setdefault((name, step.line), step)
    return tuple(
        Diagnostic(
            code="SCALAR_CAST",
            text=f"A value of type {c.source} is {_how(c, files[file])} {c.to}; the device's compiler "
            "refuses such casts.",
            file=file,
            line=line,
            remedy=_remedy(c),
            stage="compile",
        )
        for (file, line), c in sorted(found.items())
    )


def _how(c: Converted, text: str) -> str:
    written = any(_is_written(c, line, _types(text)) for line in text.splitlines()[c.line - 1 : c.line])
    if "bfloat16_t" in (c.source, c.to):
        return "converted to"
    return "cast to" if written else "kept in a variable of type"


@lru_cache(maxsize=16)
def _types(text: str) -> tuple[str, ...]:
    """Return the names that a file uses for types: of template parameters and aliases."""
    return tuple(dict.fromkeys(re.findall(r"\b(?:typename|class|using)\s+([A-Z]\w*)", text)))


def _is_written(c: Converted, line: str, types: tuple[str, ...]) -> bool:
    """Say whether the source's line casts this operand: static_cast<T>(a.n), (T)a.n, (T)(...), T(a.n)."""
    kinds = FLOATING if c.to in FLOATING else UNSIGNED
    names = "|".join(sorted(kinds, key=len, reverse=True))
    target = rf"(?:const\s+)?(?:{names}|[A-Z]\w*)"  # a template's parameter has a capital
    called = "|".join([names, *types])  # T(n); Read(n) is a function
    cast = rf"(?:static_cast<\s*{target}\s*>\s*\(|\(\s*{target}\s*\)\s*\(?|\b(?:{called})\s*\()\s*"
    if c.column is not None:
        return re.search(cast + r"[(\s]*$", line[: c.column - 1]) is not None
    operand = rf"(?:[\w.>\-]*\b{re.escape(c.operand)}\b)" if c.operand else r"\(?[A-Za-z_]"
    return re.search(cast + operand, line) is not None


def refused_arithmetic(steps: Steps, files: Mapping[str, str]) -> tuple[Diagnostic, ...]:
    """Return a finding for each line of the project's `files` that adds, subtracts, multiplies or divides halves."""
    found: dict[tuple[str, int], str] = {}
    for step in steps:
        name = step.file.removeprefix("./")
        if isinstance(step, Computed) and name in files:
            # What is cast to float and compared shows as the halves' comparison.
            line = "".join(files[name].splitlines()[step.line - 1 : step.line])
            if step.sign in "+-*/" or not re.search(r"float(?!16)", line, re.IGNORECASE):
                found.setdefault((name, step.line), step.sign)
    return tuple(
        Diagnostic(
            code="HALF_ARITHMETIC",
            text=f"Two halves are combined with {sign} in scalar code; the device's compiler refuses that.",
            file=file,
            line=line,
            remedy="Compute in float: half(static_cast<float>(a) + static_cast<float>(b)); or work on tensors.",
            stage="compile",
        )
        for (file, line), sign in sorted(found.items())
    )


# What may stand between a function's parameters and its body; parameters hold no more than one level of parentheses.
_HAS_BODY = re.compile(
    r"(?:[^(){};]|\([^(){};]*\))*\)\s*(?:const|noexcept|override|final|\s)*(?::[^;{}]*(?:\{[^{}]*\}[^;{}]*)*)?\{"
)


def called_host_functions(
    every: Sequence[CompiledFunction], files: Mapping[str, str]
) -> tuple[Diagnostic, ...]:
    """Return a finding for each function of the project's `files` that device code calls and that is not marked."""
    ours = [f._replace(file=f.file.removeprefix("./")) for f in every]
    functions = [f for f in ours if f.file in files]
    marked = {f.name for f in functions if f.marked}
    device = "\n".join(f.body for f in functions if f.marked)
    found: dict[tuple[str, int], str] = {}
    for f in functions:
        if f.name not in marked and "<lambda" not in f.name and f" {f.symbol} (" in device:
            line = _defined(f.plain_name, files[f.file], f.line)
            if line is not None:
                found.setdefault((f.file, line), f.plain_name)
    return tuple(
        Diagnostic(
            code="HOST_FUNCTION",
            text=f"{name} is not marked __aicore__, which makes it a function of the host; device code calls it.",
            file=file,
            line=line,
            remedy=f"Write __aicore__ inline before {name}, or make it constexpr.",
            stage="compile",
        )
        for (file, line), name in sorted(found.items())
    )


def _defined(name: str, text: str, line: int) -> int | None:
    """Return the line where a function that is neither constexpr nor marked is written; None if nobody wrote it."""
    plain = blanked(text)
    end = len("\n".join(plain.split("\n")[:line]))
    written = list(re.finditer(rf"(?<![\w.>~]){re.escape(name)}\s*\(", plain[:end]))
    for match in reversed(written):
        before = re.split(r"[;{}]|\b(?:public|private|protected)\s*:", plain[: match.start()])[-1]
        if not _HAS_BODY.match(plain, match.end()):
            continue  # a declaration, a call, or = default
        if re.search(r"[=(,?!&|]|\b(?:return|new)\b", re.sub(r"<[^;{}]*>|operator\s*\S+", "", before)):
            continue  # a call, not a definition
        if re.search(r"\b(?:constexpr|consteval)\b|aicore|__global__", before):
            return None
        return plain.count("\n", 0, match.start()) + 1
    return None
