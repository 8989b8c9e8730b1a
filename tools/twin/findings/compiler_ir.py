"""What a compiler's intermediate representation says of scalar code: GIMPLE and LLVM IR alike; how g++'s is read.

Its GIMPLE dump (in SSA form) gives every conversion and operation, with types and lines.
"""

import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from akgen.tools.core.untrusted import plain_text, read_bytes

DUMP = "conversions.txt"  # the file that it is written to
MOST_DUMP_BYTES = 64 << 20
FLOATING = frozenset({"float", "double", "half", "_Float16", "float16_t", "float32_t"})
UNSIGNED = frozenset(
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
HALF = frozenset({"half", "_Float16", "float16_t"})
# g++ calls itself after the name it was started with; it writes the dump beside what it compiles. Conversions to float
# that change nothing in `x * 0.5` are gone by then: a warning has them.
WRITE_GIMPLE = (f"-fdump-tree-ssa-lineno={DUMP}", "-Wfloat-conversion")
_NARROWED = re.compile(
    r"^(?P<file>[^\s:][^:\n]*):(?P<line>\d{1,9}):(?P<column>\d{1,9}): warning: conversion from "
    r"['‘]double['’] to ['‘](?P<to>[^'’]+)['’](?: \{aka [^}]*\})? may change value",
    re.MULTILINE,
)
_FUNCTION = "\n;; Function "
_HEAD = re.compile(r"\n?;; Function (?P<name>.+) \(\S+, funcdef_no=")
_AT = r"\[(?P<file>[^\[\]:\n]{1,1000}):(?P<line>\d{1,9}):\d+\]"
_PLACE = re.compile(_AT)
_MARKS = ("noplt", "externally_visible")  # __aicore__, __global__
_ANY_CAST = re.compile(r"=(?: ?\{v\})? \([\w ]+\) [\w.]")  # what every line that _CONVERTED matches has
_PARAMETERS = re.compile(r"^[^\s;{\[].*\((?P<list>.*)\)$", re.MULTILINE)
_DECLARED = re.compile(r"^  (?:static )?(?P<type>[\w ]+?) (?P<name>[\w.]+);$", re.MULTILINE)
_LOADED = r"^[ \t]*\[[^\]\n]*\] NAME =(?: ?\{v\})? .*?(?P<field>[A-Za-z_]\w*)(?:_\d+)?(?:\(D\))?;$"
_CONVERTED = re.compile(
    r"^[ \t]*" + _AT + r" (?P<into>.*?) ?=(?: ?\{v\})? \((?P<to>[\w ]+)\) (?P<name>[\w.]+?)(?:\(D\))?;$",
    re.MULTILINE,
)
_VARIABLE = re.compile(r"^[A-Za-z]\w*_\d+$")  # what the source calls by name; the compiler's own have a dot
_STORED = re.compile(r"^[ \t]*(?:\[[^\]\n]*\] )*[^(\n]+? =(?: ?\{v\})? (?P<value>_\d+);$", re.MULTILINE)
_ANY_HALF = tuple(f"{half} " for half in HALF)
_OPERAND = re.compile(r"^  (?:static |const )*(?P<type>[\w]+) (?P<name>[\w.]+);$", re.MULTILINE)
_COMPUTED = re.compile(
    r"^[ \t]*" + _AT + r" (?P<name>[\w.]+) =(?: ?\{v\})? \S+ (?P<sign>[-+*/]) \S+;$",
    re.MULTILINE,
)
_COMPARED = re.compile(
    r"^[ \t]*" + _AT + r" (?:if \(|[\w.]+ = )(?P<name>[\w.]+?)(?:\(D\))? (?P<sign>[<>]=?|[=!]=) \S+[;)]$",
    re.MULTILINE,
)
# Calls of bfloat16_t's own conversions, of which only constants are none to the device's compiler.
_BRAIN = re.compile(
    r"^[ \t]*" + _AT + r" .*?\bbfloat16_t::(?:(?P<from>operator float)|bfloat16_t) "
    r"\((?:\[[^\]]*\] )?[^,]*?(?:, (?P<value>[A-Za-z_][^,]*))?\);$",
    re.MULTILINE,
)


def take_dump(folder: Path) -> str:
    """Return the dump that a compile left and remove it; empty if there is none. Raises FileRefused."""
    dump = folder / DUMP
    if not dump.is_file():
        return ""
    try:
        return plain_text(read_bytes(dump, most_bytes=MOST_DUMP_BYTES), most_bytes=MOST_DUMP_BYTES)
    finally:
        dump.unlink()


def is_refused(source: str, to: str) -> bool:
    """Say whether the device's compiler refuses to convert variables so: float and unsigned, double and anything."""
    return (
        (source in FLOATING and to in UNSIGNED)
        or (source in UNSIGNED and to in FLOATING)
        or ("double" in (source, to) and source != to and bool(source) and to != "bool")
    )


class Converted(NamedTuple):
    """A conversion that `is_refused`. `operand` or `column`, or neither, is known."""

    file: str
    line: int
    source: str  # type
    to: str
    operand: str | None = None  # the name in the source, if it is a plain one
    column: int | None = None  # where the operand begins in its line, from 1
    kept: bool = False  # a variable is initialised with it or assigned it; else it is part of an expression


class Computed(NamedTuple):
    """An operation on two halves, or a comparison of them."""

    file: str
    line: int
    sign: str


Steps = tuple[Converted | Computed, ...]


class CompiledFunction(NamedTuple):
    """A function that is compiled. Its body holds a call of another one as ` SYMBOL (`."""

    symbol: str
    name: str  # with template arguments, and with its scope where that is known
    file: str
    line: int  # of its head or its first statement
    body: str
    marked: bool  # with __aicore__ or __global__

    @property
    def plain_name(self) -> str:
        """Return the name without scope and template arguments: up of detail::up<int>, K of K<half>::K."""
        depth, plain = 0, ""
        for c in self.name:
            depth += (c == "<") - (c == ">")
            plain += c if depth == 0 and c != ">" else ""
        return plain.split("::")[-1].strip()


def of_files(text: str, files: Iterable[str]) -> str:
    """Return the functions that have a line of one of these files; headers' are most of a dump."""
    marks = [mark for name in files for mark in (f"[{name}:", f"[./{name}:")]
    return _FUNCTION.join(f for f in ("", *text.split(_FUNCTION)) if not f or any(m in f for m in marks))


def steps(text: str) -> Iterator[Converted | Computed]:
    """Yield every such step, also of headers."""
    for function in text.split(_FUNCTION):
        if _ANY_CAST.search(function):  # few functions have one, and reading all takes longer than the linker
            yield from _conversions(function)
        if any(half in function for half in _ANY_HALF):
            yield from _operations(function)
        if "bfloat16_t::" in function:
            yield from _brain_conversions(function)


def narrowed(stderr: str) -> Iterator[Converted]:
    """Yield every conversion of a double that nobody wrote down, as g++ warns of it."""
    for match in _NARROWED.finditer(stderr):
        column = int(match["column"])
        yield Converted(match["file"], int(match["line"]), "double", match["to"], column=column, kept=True)


def functions(text: str) -> Iterator[CompiledFunction]:
    """Yield every function, also of headers."""
    for chunk in text.split(_FUNCTION):
        place = _PLACE.search(chunk)
        head = _HEAD.match(_FUNCTION + chunk)
        if place is not None and head is not None:
            attributes = chunk[: chunk.find("{")]
            marked = any(m in attributes for m in _MARKS)
            yield CompiledFunction(
                head["name"], head["name"], place["file"], int(place["line"]), chunk, marked
            )


def spans_of_the_device(text: str) -> tuple[tuple[str, range], ...]:
    """Return file and lines of each function that is marked, and of lambdas; a warning elsewhere is the host's."""
    spans = []
    for f in functions(text):
        if f.marked or "<lambda" in f.name:
            lines = [int(m["line"]) for m in _PLACE.finditer(f.body) if m["file"] == f.file]
            spans.append((f.file, range(min(lines), max(lines) + 1)))
    return tuple(spans)


def _conversions(function: str) -> Iterator[Converted]:
    casts = list(_CONVERTED.finditer(function))
    types = _types(function, _DECLARED) if casts else {}
    for match in casts:
        name = match["name"]
        plain = re.sub(r"_\d+$", "", name)
        source, to = types.get(name) or types.get(plain, ""), _plain(match["to"])
        if is_refused(source, to):
            operand = _loaded(function, name) if name.startswith("_") else plain
            stored = _STORED.match(function, match.end() + 1)
            kept = stored["value"] == match["into"] if stored else bool(_VARIABLE.match(match["into"]))
            yield Converted(match["file"], int(match["line"]), source, to, operand, kept=kept)


def _loaded(function: str, name: str) -> str | None:
    """Return the member or variable that a temporary is read from."""
    match = re.search(_LOADED.replace("NAME", name), function, re.MULTILINE)
    return match["field"] if match else None


def _types(function: str, declared: re.Pattern[str]) -> dict[str, str]:
    types = {match["name"]: _plain(match["type"]) for match in declared.finditer(function)}
    for head in _PARAMETERS.finditer(function):
        types |= _parameters(head)
    return types


def _brain_conversions(function: str) -> Iterator[Converted]:
    for match in _BRAIN.finditer(function):
        if match["from"] or match["value"]:
            kinds = ("bfloat16_t", "float") if match["from"] else ("float", "bfloat16_t")
            yield Converted(match["file"], int(match["line"]), *kinds, kept=True)


def _operations(function: str) -> Iterator[Computed]:
    types = _types(function, _OPERAND)
    for match in (*_COMPUTED.finditer(function), *_COMPARED.finditer(function)):
        name = match["name"]
        kind = types.get(name) or types.get(re.sub(r"_\d+$", "", name))
        if kind in HALF:
            yield Computed(match["file"], int(match["line"]), match["sign"])


def _parameters(head: re.Match[str]) -> dict[str, str]:
    split = (parameter.strip().rpartition(" ") for parameter in head["list"].split(","))
    return {name: _plain(kind) for kind, _, name in split}


def _plain(kind: str) -> str:
    return " ".join(w for w in kind.split() if w not in ("const", "volatile", "register"))
