"""Explicit casts between floating point and unsigned integers, which CANN's compiler refuses in device code.

Every C++ compiler here makes them without a word. g++ can write its first internal form with all conversions and
types; that is read, and the source's line must hold a cast of that operand: conversions that nobody wrote down are
allowed. Other compilers do not have such a form, and nothing is said with them. Not counted are constants, bool, and
casts within the twin's headers.
"""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from akgen.tools.outcome import Diagnostic
from akgen.tools.twin.compiler import Compiler
from akgen.tools.twin.half_arithmetic import refused_arithmetic
from akgen.tools.twin.host_functions import called_host_functions

DUMP = "conversions.txt"

_FLOATING = frozenset({"float", "double", "half", "_Float16", "float16_t", "float32_t"})
_UNSIGNED = frozenset(
    {"uint8_t", "uint16_t", "uint32_t", "uint64_t", "size_t", "uintptr_t", "unsigned char", "unsigned short"}
    | {
        "short unsigned int",
        "unsigned int",
        "long unsigned int",
        "long long unsigned int",
        "unsigned",
        "uint",
    }
)
_FUNCTION = "\n;; Function "
_ANY_CAST = re.compile(r"=(?: ?\{v\})? \([\w ]+\) [\w.]")  # what every line that _CONVERTED matches has
_PARAMETERS = re.compile(r"^[^\s;{\[].*\((?P<list>.*)\)$")
_DECLARED = re.compile(r"^  (?:static )?(?P<type>[\w ]+?) (?P<name>[\w.]+);$")
_LOADED = re.compile(
    r"^\s*\[[^\]]*\] (?P<name>_\d+) =(?: ?\{v\})? .*?(?P<field>[A-Za-z_]\w*)(?:_\d+)?(?:\(D\))?;$"
)
_CONVERTED = re.compile(
    r"^\s*\[(?P<file>[^\]:]+):(?P<line>\d+):\d+\] .*?=(?: ?\{v\})? \((?P<to>[\w ]+)\) (?P<name>[\w.]+?)(?:\(D\))?;$"
)


class _Conversion(NamedTuple):
    file: str
    line: int
    source: str  # type
    to: str
    operand: str | None  # the name in the source, if it is a plain one


def dump_options(compiler: Compiler) -> tuple[str, ...]:
    """Return what makes the compiler write its conversions to DUMP."""
    # g++ calls itself after the name it was started with.
    return () if compiler.is_clang else (f"-fdump-tree-ssa-lineno={DUMP}",)


def refused_scalars(folder: Path, files: Mapping[str, str]) -> tuple[Diagnostic, ...]:
    """Return what the compiler's internal form shows and the device's compiler refuses, and drop the dump.

    Such casts, half arithmetic, calls of host functions: a finding for each line of the project's `files`.
    """
    dump = folder / DUMP
    if not dump.is_file():
        return ()
    text = dump.read_text(errors="replace")
    dump.unlink()
    found = (*_refused_casts(text, files), *refused_arithmetic(text, files))
    return (*found, *called_host_functions(text, files))


def _refused_casts(text: str, files: Mapping[str, str]) -> tuple[Diagnostic, ...]:
    found: dict[tuple[str, int], _Conversion] = {}
    for c in _conversions(text):
        name = c.file.removeprefix("./")
        if name in files and _is_written(c, files[name].splitlines()[c.line - 1 : c.line]):
            found.setdefault((name, c.line), c)
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


def _conversions(text: str) -> Iterator[_Conversion]:
    for function in text.split(_FUNCTION):
        if _ANY_CAST.search(function):  # few functions have one, and reading all takes longer than the linker
            yield from _conversions_in(function)


def _conversions_in(function: str) -> Iterator[_Conversion]:
    types: dict[str, str] = {}
    fields: dict[str, str] = {}
    for row in function.splitlines():
        if match := _CONVERTED.match(row):
            name = match["name"]
            plain = re.sub(r"_\d+$", "", name)
            source, to = types.get(name) or types.get(plain, ""), _plain(match["to"])
            if (source in _FLOATING and to in _UNSIGNED) or (source in _UNSIGNED and to in _FLOATING):
                operand = fields.get(name) if name.startswith("_") else plain
                yield _Conversion(match["file"], int(match["line"]), source, to, operand)
        elif match := _DECLARED.match(row):
            types[match["name"]] = _plain(match["type"])
        elif match := _PARAMETERS.match(row):
            for parameter in match["list"].split(","):
                kind, _, name = parameter.strip().rpartition(" ")
                types[name] = _plain(kind)
        elif match := _LOADED.match(row):
            fields[match["name"]] = match["field"]


def _is_written(c: _Conversion, line: list[str]) -> bool:
    """Say whether the source's line casts this operand: static_cast<T>(a.n), (T)a.n, (T)(...), T(a.n)."""
    kinds = _FLOATING if c.to in _FLOATING else _UNSIGNED
    names = "|".join(sorted(kinds, key=len, reverse=True))
    target = rf"(?:const\s+)?(?:{names}|[A-Z]\w*)"  # a template's parameter has a capital
    cast = rf"(?:static_cast<\s*{target}\s*>\s*\(|\(\s*{target}\s*\)\s*\(?|\b{target}\s*\()\s*"
    operand = rf"(?:[\w.>\-]*\b{re.escape(c.operand)}\b)" if c.operand else r"\(?[A-Za-z_]"
    return any(re.search(cast + operand, text) for text in line)


def _plain(kind: str) -> str:
    return " ".join(w for w in kind.split() if w not in ("const", "volatile", "register"))
