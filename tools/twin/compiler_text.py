"""Split a compiler's text into its errors, each with the project's line that led to it.

The compiler reports an error of a call at the header's line; what counts is the place in the project.
"""

import re
from collections.abc import Callable
from typing import NamedTuple

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


class CompilerError(NamedTuple):
    """One error of the compiler with the project's place that caused it; `notes` are the lines that belong to it."""

    text: str
    file: str | None
    line: int | None
    notes: tuple[str, ...]


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


def _relative(file: str) -> str:
    return file.removeprefix("./")
