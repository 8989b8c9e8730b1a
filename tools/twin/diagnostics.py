"""Reduce a compiler's text to its first real cause: one code, one sentence, file, line and what to do.

The compiler reports an error of a call at the header's line; what counts is the project's line that led there.
"""

import re
from collections.abc import Callable, Sequence
from typing import NamedTuple

from akgen.tools.outcome import Diagnostic
from akgen.tools.twin.api_names import device_names, host_names, nearest, signature
from akgen.tools.twin.host_names import HOST_NAMES

_LOCATED = re.compile(
    r"^(?P<file>[^\s:][^:]*):(?P<line>\d+):(?:\d+:)?\s+(?P<kind>fatal error|error|note|warning): ?(?P<text>.*)$"
)
_REQUIRED = re.compile(
    r"^(?P<file>[^\s:][^:]*):(?P<line>\d+):(?:\d+:)?\s+(?:recursively )?required (?:from|by)"
)
_INCLUDED = re.compile(r"^\s*(?:In file included )?from (?P<file>[^\s:]+):(?P<line>\d+)")
_CONTEXT = re.compile(
    r"^In file included from |: In (?:instantiation|substitution|function|member function|lambda) "
)
_LINK = re.compile(r"(?:(?P<file>[^\s:]+):(?P<line>\d+): )?undefined reference to [`'](?P<name>[^']+)'")
_QUOTED = re.compile(r"['‘`]([^'’`]+)['’]")

MOST = 5  # findings of one compile


class CompilerError(NamedTuple):
    """One error of the compiler with the project's place that caused it; `notes` are the lines that belong to it."""

    text: str
    file: str | None
    line: int | None
    notes: tuple[str, ...]


def explain(stderr: str, *, side: str, is_project_file: Callable[[str], bool]) -> tuple[Diagnostic, ...]:
    """Return the findings in a compiler's output, the real cause first. `side` is "host" or "device"."""
    found: list[Diagnostic] = []
    seen: set[tuple[str | None, int | None] | tuple[str, None, None]] = set()
    for error in errors(stderr, is_project_file):
        diagnostic = classify(error, side)
        # What else is wrong in a line follows from its first error.
        known = diagnostic.line is not None
        key = (diagnostic.file, diagnostic.line) if known else (diagnostic.code, None, None)
        if key not in seen:
            seen.add(key)
            found.append(diagnostic)
    # A missing include or a broken parse makes everything after it wrong: such a finding leads.
    found.sort(key=lambda d: 0 if d.code in ("INCLUDE_MISSING",) else 1)
    if not found:
        tail = " ".join(stderr.strip().splitlines()[-3:])
        found.append(
            Diagnostic(code="COMPILE_ERROR", text=f"The compiler failed: {tail[-300:]}", stage="compile")
        )
    return tuple(found[:MOST])


def errors(stderr: str, is_project_file: Callable[[str], bool]) -> list[CompilerError]:
    """Split the compiler's text into errors."""
    out: list[CompilerError] = []
    origin: tuple[str, int] | None = None  # the project's line that the next error will be about
    for line in stderr.splitlines():
        if _CONTEXT.search(line):
            origin = None
        required = _REQUIRED.match(line) or _INCLUDED.match(line)
        if required and is_project_file(required["file"]):
            # The innermost place is named first: there stands what the project wrote.
            origin = origin or (_relative(required["file"]), int(required["line"]))
            continue
        located = _LOCATED.match(line)
        if located and located["kind"] in ("error", "fatal error"):
            file, number = located["file"], int(located["line"])
            place = (_relative(file), number) if is_project_file(file) else origin
            at_file, at_line = place or (None, None)
            out.append(CompilerError(located["text"], at_file, at_line, ()))
            origin = None
        elif (link := _LINK.search(line)) is not None:
            known = link["file"] is not None and is_project_file(_relative(link["file"]))
            at_file, at_line = (_relative(link["file"]), int(link["line"])) if known else (None, None)
            out.append(CompilerError(f"undefined reference to '{link['name']}'", at_file, at_line, ()))
        elif out and located and located["kind"] == "note":
            if out[-1].file is None and is_project_file(located["file"]):
                out[-1] = out[-1]._replace(file=_relative(located["file"]), line=int(located["line"]))
            out[-1] = out[-1]._replace(notes=(*out[-1].notes, located["text"]))
    return out


def classify(error: CompilerError, side: str) -> Diagnostic:
    """Turn one compiler error into a finding with a stable code and, where one is known, the remedy."""
    text = error.text
    for pattern, make in _RULES:
        match = re.search(pattern, text)
        if match is not None:
            code, sentence, remedy = make(match, error, side)
            break
    else:
        code, sentence, remedy = "COMPILE_ERROR", text, None
    return Diagnostic(
        code=code, text=sentence, file=error.file, line=error.line, remedy=remedy, stage="compile"
    )


_Found = tuple[str, str, str | None]


def _static_assert(match: re.Match[str], error: CompilerError, side: str) -> _Found:
    del error, side
    return match[1], match[2].strip(), None


def _undeclared(match: re.Match[str], error: CompilerError, side: str) -> _Found:
    name = match[1].split("::")[-1].split("<")[0]
    if name == "AKGEN_TILING_STRUCT":
        return (
            "TILING_STRUCT",
            "GET_TILING_DATA is used, but op_host registers no tiling struct for this operator.",
            "Define the struct with BEGIN_TILING_DATA_DEF and REGISTER_TILING_DATA_CLASS(<Op>, <Struct>).",
        )
    if side == "device" and name in HOST_NAMES:
        return _host_name(name)
    if name.startswith("TilingData") or name.endswith("TilingData"):
        return (
            "TILING_STRUCT",
            f"{name} is no tiling struct that op_host registers.",
            "Use the struct's name as BEGIN_TILING_DATA_DEF gives it, and register it.",
        )
    if name[:1].isupper() and not name.isupper():
        return _unknown("UNKNOWN_API", name, side, f"{name}: no such API")
    return "UNDECLARED", f"{name} is not declared here.", _mean(name, error)


def _member(match: re.Match[str], error: CompilerError, side: str) -> _Found:
    del error
    owner, name = match[1].split("<")[0].replace("class ", "").replace("struct ", ""), match[2]
    if owner.endswith(("TilingData", "Tiling")) and side == "device":
        sentence = f"The tiling struct {owner} has no field {name}."
        return "TILING_STRUCT", sentence, "Name the field as TILING_DATA_FIELD_DEF does."
    return _unknown("UNKNOWN_MEMBER", name, side, f"{owner.split('::')[-1]} has no member {name}")


def _unknown(code: str, name: str, side: str, sentence: str) -> _Found:
    close = nearest(name, device_names() if side == "device" else host_names())
    if not close:
        return code, sentence + ".", None
    form = signature(close[0])
    return (
        code,
        f"{sentence}; did you mean {close[0]}?",
        f"{form or close[0]}" if form else f"Use {close[0]}.",
    )


def _no_match(match: re.Match[str], error: CompilerError, side: str) -> _Found:
    call = match[1]
    name = call.split("(")[0].split("::")[-1].split("<")[0]
    counts = [n for n in error.notes if re.search(r"candidate expects \d+ argument", n)]
    reasons = [
        n
        for n in error.notes
        if "no known conversion" in n or "couldn't deduce" in n or "mismatched types" in n
    ]
    form = signature(name) if side == "device" else None
    if counts and not reasons:
        wants = sorted(
            {int(m[1]) for n in counts if (m := re.search(r"expects (?:at least )?(\d+) argument", n))}
        )
        given = re.search(r"(\d+) provided", counts[0])
        told = " or ".join(map(str, wants))
        sentence = f"{name} takes {told} arguments, {given[1] if given else 'another number'} are given."
        return "WRONG_ARITY", sentence, form
    reason = f" ({reasons[0].strip()})" if reasons else ""
    return "WRONG_ARGUMENTS", f"No form of {name} takes these arguments: {_short(call)}{reason}.", form


def _arity(match: re.Match[str], error: CompilerError, side: str) -> _Found:
    del error
    name = match[2].split("(")[0].split("::")[-1].split()[-1]
    return (
        "WRONG_ARITY",
        f"Too {match[1]} arguments to {name}.",
        signature(name) if side == "device" else None,
    )


def _include(match: re.Match[str], error: CompilerError, side: str) -> _Found:
    del error, side
    return (
        "INCLUDE_MISSING",
        f"The header {match[1]} does not exist.",
        "Include headers of CANN or of the project only.",
    )


def _redefined(match: re.Match[str], error: CompilerError, side: str) -> _Found:
    del error, side
    return (
        "REDEFINITION",
        f"{match[1]} is defined twice.",
        "Keep one definition; tiling structs are generated from op_host.",
    )


def _type(match: re.Match[str], error: CompilerError, side: str) -> _Found:
    del match, side
    return "TYPE_MISMATCH", error.text.rstrip(".") + ".", None


def _digit(match: re.Match[str], error: CompilerError, side: str) -> _Found:
    del match, side
    sentence = f"An identifier starts with a digit ({error.text})."
    return "SYNTAX", sentence, "Start names with a letter."


def _syntax(match: re.Match[str], error: CompilerError, side: str) -> _Found:
    del match, side
    return "SYNTAX", error.text.rstrip(".") + ".", None


def _link(match: re.Match[str], error: CompilerError, side: str) -> _Found:
    del error
    name = match[1]
    if side == "device" and name.split("(")[0] in HOST_NAMES:
        return _host_name(name.split("(")[0])
    return "LINK", f"{name} is declared and never defined.", "Define it, or call what exists."


def _host_name(name: str) -> _Found:
    return "HOST_NAME", f"{name} is a host name; device code does not have it.", f"Use {HOST_NAMES[name]}."


def _mean(name: str, error: CompilerError) -> str | None:
    hint = re.search(r"did you mean ['‘]([^'’]+)['’]", error.text)
    return f"Did you mean {hint[1]}?" if hint and hint[1] != name else None


def _short(text: str, most: int = 160) -> str:
    plain = text.replace("AscendC::", "").replace("std::", "")
    return plain if len(plain) <= most else plain[: most - 3] + "..."


def _relative(file: str) -> str:
    return file.removeprefix("./")


_Q = r"['‘`]([^'’`]+)['’`]"
_RULES: Sequence[tuple[str, Callable[[re.Match[str], CompilerError, str], _Found]]] = (
    (r"static assertion failed: AKGEN:(\w+):\s*(.*)", _static_assert),
    (r"(?:^|: )([^\s:]+\.\w+|[\w/.]+): No such file or directory", _include),
    (r"unable to find numeric literal operator|before numeric constant|invalid suffix .* on integer", _digit),
    (_Q + r" was not declared in this scope", _undeclared),
    (_Q + r" is not a member of ", _undeclared),
    (_Q + r" has not been declared", _undeclared),
    (_Q + r" does not name a (?:template )?type", _undeclared),
    (_Q + r" in namespace .* does not name", _undeclared),
    (r"there are no arguments to " + _Q, _undeclared),
    (r"use of undeclared identifier " + _Q, _undeclared),
    (_Q + r"(?: \{aka .*\})? has no member named " + _Q, _member),
    (r"no matching (?:member )?function for call to " + _Q, _no_match),
    (r"no match for call to " + _Q, _no_match),
    (r"too (few|many) arguments to function " + _Q, _arity),
    (r"(?:redefinition|conflicting declaration|redeclaration) of " + _Q, _redefined),
    (r"undefined reference to '([^']+)'", _link),
    (
        r"cannot convert|invalid conversion|could not convert|cannot bind|no match for .operator|invalid operands"
        r"|invalid cast|invalid .*_cast|incompatible types|conversion from .* requested",
        _type,
    ),
    (
        r"expected |stray |unterminated|missing terminating|extended character|does not match any"
        r"|two or more data types",
        _syntax,
    ),
)  # fmt: skip
