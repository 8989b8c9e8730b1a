"""Functions without `__aicore__` that device code calls: the vendor's compiler takes them for functions of the host.

g++ calls them without a word. Its first internal form (scalar_casts.py) gives each function's attributes, and
`__aicore__` is one that changes nothing (`language.h`). Constexpr functions belong to both sides; functions that
nobody wrote down (default constructors), lambdas, and names of which one overload is marked are passed over.
Source: "Function Execution Space Qualifier" in the vendor's compiler guide.
"""

import re
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from akgen.tools.outcome import Diagnostic

_HEAD = re.compile(r"\n?;; Function (?P<name>.+) \(\S+, funcdef_no=")
_FUNCTION = "\n;; Function "
_PLACE = re.compile(r"\[(?P<file>[^\]:]+):(?P<line>\d+):\d+\]")
_MARKS = ("noplt", "externally_visible")  # __aicore__, __global__
# What may stand between a function's parameters and its body; parameters hold no more than one level of parentheses.
_HAS_BODY = re.compile(
    r"(?:[^(){};]|\([^(){};]*\))*\)\s*(?:const|noexcept|override|final|\s)*(?::[^;{}]*(?:\{[^{}]*\}[^;{}]*)*)?\{"
)
_OPAQUE = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)


class _Function(NamedTuple):
    name: str  # with its scope and template arguments
    file: str
    line: int  # of its first statement
    body: str
    marked: bool


def called_host_functions(dump: str, files: Mapping[str, str]) -> tuple[Diagnostic, ...]:
    """Return a finding for each function of the project's `files` that device code calls and that is not marked."""
    functions = list(_functions(dump, files))
    marked = {f.name for f in functions if f.marked}
    device = "\n".join(f.body for f in functions if f.marked)
    found: dict[tuple[str, int], str] = {}
    for f in functions:
        if f.name not in marked and "<lambda" not in f.name and f" {f.name} (" in device:
            line = _defined(_base(f.name), files[f.file], f.line)
            if line is not None:
                found.setdefault((f.file, line), _base(f.name))
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


def _functions(dump: str, files: Mapping[str, str]) -> Iterator[_Function]:
    for chunk in dump.split(_FUNCTION):
        place = _PLACE.search(chunk)
        if place is None:
            continue
        file = place["file"].removeprefix("./")
        head = _HEAD.match(_FUNCTION + chunk)
        if file in files and head is not None:
            attributes = chunk[: chunk.find("{")]
            marked = any(m in attributes for m in _MARKS)
            yield _Function(head["name"], file, int(place["line"]), chunk, marked)


def _base(name: str) -> str:
    """Return the name without scope and template arguments: up of detail::up<int>, K of K<half>::K."""
    depth, plain = 0, ""
    for c in name:
        depth += (c == "<") - (c == ">")
        plain += c if depth == 0 and c != ">" else ""
    return plain.split("::")[-1].strip()


def _defined(name: str, text: str, line: int) -> int | None:
    """Return the line where a function that is neither constexpr nor marked is written; None if nobody wrote it."""
    plain = _OPAQUE.sub(lambda m: re.sub(r"[^\n]", " ", m[0]), text)
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
