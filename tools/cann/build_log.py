"""The first real error in a log of CANN's build, whose fault it is, and where in the candidate's own files it lies."""

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from pathlib import Path, PurePosixPath
from typing import Literal

from akgen.tools.core.frozen import Frozen
from akgen.tools.core.outcome import Diagnostic, InfraError
from akgen.tools.core.plain_text import shown
from akgen.tools.core.untrusted import read_model

_TABLE = Path(__file__).with_name("build_errors.json")
# path:line:column: error: text, with or without column, as g++ and clang write it; opc puts words before it
_COMPILED = re.compile(
    r"(?P<file>[\w./+-]+\.(?:cpp|cc|h|hpp|inc|asc|cce)):(?P<line>\d+)(?::\d+)?: (?:fatal )?error: (?P<text>.+)"
)
_BROKEN_WRITE = re.compile(r"error writing to|unable to open output file|IO failure on output")
_ANSI = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")

Phase = Literal["opbuild", "opc", "linker"]


class MachineSign(Frozen):
    pattern: str
    what: str
    remedy: str


class CandidateSign(Frozen):
    pattern: str
    phase: Phase
    code: str


class CompilerSign(Frozen):
    pattern: str
    code: str


class BuildTable(Frozen):
    source: str
    machine: tuple[MachineSign, ...]
    candidate: tuple[CandidateSign, ...]
    compiler: tuple[CompilerSign, ...]


@lru_cache(maxsize=1)
def table() -> BuildTable:
    return read_model(BuildTable, _TABLE, "Install AKGen again.")


class SourceNames(Frozen):
    """What the build's names were in the candidate's project: its files by name, and words that carry the digest."""

    files: dict[str, str]  # name of a file as it was built -> path in the project
    words: dict[str, str]

    def place(self, path: str) -> str | None:
        """Return the project's path of a file that a compiler names; None: not the candidate's."""
        name = PurePosixPath(path).name
        return self.files.get("/".join(PurePosixPath(path).parts[-2:])) or self.files.get(name)

    def told(self, text: str) -> str:
        """Put the project's own names where the digest stood."""
        for built, own in sorted(self.words.items(), key=lambda w: -len(w[0])):
            text = text.replace(built, own)
        return text


NOWHERE = SourceNames(files={}, words={})


def first_error(log: str, origin: SourceNames = NOWHERE) -> Diagnostic:
    """Return what to mend first in a failed build. Raises InfraError where machine or set-up is at fault."""
    lines = [_ANSI.sub("", line) for line in log.splitlines()]
    compiled = [m for line in lines if (m := _COMPILED.search(line)) is not None]
    for m in compiled:
        if _BROKEN_WRITE.search(m["text"]):
            _raise_machine([m["text"]])
    if compiled:
        own = next((m for m in compiled if origin.place(m["file"]) is not None), compiled[0])
        return _of_compiler(own, origin, lines)
    for signs in table().candidate[:2]:  # linker and a crash, which a machine's denial does not look like
        if (found := _of_candidate(signs, lines, origin)) is not None:
            return found
    _raise_machine(lines)
    for sign in table().candidate[2:]:
        if (found := _of_candidate(sign, lines, origin)) is not None:
            return found
    last = next((line for line in reversed(lines) if line.strip()), "the build left no package")
    return _diagnostic("BUILD_FAILED", last, origin)


def _of_compiler(found: re.Match[str], origin: SourceNames, lines: list[str]) -> Diagnostic:
    text = found["text"].strip()
    code = next(
        (s.code for s in table().compiler if re.search(s.pattern, text, re.IGNORECASE)), "BUILD_FAILED"
    )
    own = origin.place(found["file"])
    line: int | None = int(found["line"])
    if own is None:
        instantiated = next(_instantiated_at(lines, origin), None)
        own, line = instantiated or (PurePosixPath(found["file"]).name, line)
    return _diagnostic(code, text, origin).model_copy(update={"file": own, "line": line})


def _instantiated_at(lines: list[str], origin: SourceNames) -> Iterator[tuple[str, int]]:
    """Yield the places in the candidate's files that led into a header."""
    for line in lines:
        m = re.search(r"(?P<file>[\w./+-]+):(?P<line>\d+)(?::\d+)?:", line)
        own = origin.place(m["file"]) if m is not None else None
        if m is not None and own is not None:
            yield own, int(m["line"])


def _of_candidate(sign: CandidateSign, lines: list[str], origin: SourceNames) -> Diagnostic | None:
    for line in lines:
        if re.search(sign.pattern, line):
            named = re.search(r"(?P<file>[\w./+-]+\.(?:cpp|cc|h|hpp|asc)):(?P<line>\d+)", line)
            own = origin.place(named["file"]) if named is not None else None
            update = {"file": own, "line": int(named["line"]) if named is not None and own else None}
            text = line if sign.phase == "linker" else f"{sign.phase}: {line.strip()}"
            return _diagnostic(sign.code, text, origin).model_copy(update=update)
    return None


def _raise_machine(lines: list[str]) -> None:
    for sign in table().machine:
        for line in lines:
            if re.search(sign.pattern, line):
                raise InfraError(
                    f"CANN's build failed: {sign.what} ({shown(line.strip(), 200)}).", sign.remedy
                )


def _diagnostic(code: str, text: str, origin: SourceNames) -> Diagnostic:
    return Diagnostic(code=code, text=origin.told(text.strip())[:300], stage="compile")


def origin_of(built: Mapping[str, str], words: Mapping[str, str]) -> SourceNames:
    """Return how to find back: `built` maps each path as it was built to the project's own path."""
    files: dict[str, str] = {}
    for path, own in built.items():
        parts = PurePosixPath(path).parts
        files["/".join(parts[-2:])] = own
        files.setdefault(parts[-1], own)
    return SourceNames(files=files, words=dict(words))
