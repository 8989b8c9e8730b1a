"""Three kinds of failure: a bad attempt is an Outcome, a broken machine an InfraError, our bug crashes."""

from collections.abc import Iterable
from enum import StrEnum
from types import TracebackType
from typing import Literal

from akgen.tools.core.frozen import Frozen
from akgen.tools.core.plain_text import Printable


class Outcome(StrEnum):
    """How one attempt ended. Everything but CORRECT is data about the attempt, never about the machine."""

    CORRECT = "correct"
    WRONG = "wrong"  # ran, and the numbers, shape or dtype differ
    TRAP = "trap"  # a check of the toolchain fired, or the process died of a signal
    TIMEOUT = "timeout"
    CHEAT = "cheat"
    TILING_ERROR = "tiling_error"  # host code compiled, and its tiling function refused or crashed
    COMPILE_ERROR = "compile_error"
    PLAN_REJECTED = "plan_rejected"  # the tiling plan does not fit the chip
    NO_CODE = "no_code"  # the model's reply held no usable code
    UNSUPPORTED = "unsupported"  # the composer says that the task is outside its scope
    BUDGET = "budget"  # stopped by a budget before a verdict


class Diagnostic(Frozen):
    """One finding with a stable code; `text` is written for the model or person who must mend it."""

    code: Printable  # stable, from knowledge/errors.json, such as "UB_OVERFLOW"
    text: Printable
    said: Printable | None = None  # by the compiler, where `text` says it in other words
    file: Printable | None = None  # relative to the project
    line: int | None = None
    remedy: str | None = None
    severity: Literal["error", "warning"] = "error"
    stage: Literal["plan", "write", "compile", "tiling", "test", "profile"] | None = None
    api: Printable | None = None
    core: Printable | None = None  # such as "AIV 3"

    @property
    def sentence(self) -> str:
        """Say it in one line: code, text, place."""
        place = (
            f" ({self.file}:{self.line})"
            if self.file and self.line
            else f" ({self.file})"
            if self.file
            else ""
        )
        return f"{self.code}: {one_line(self.text)}{place}"


def first_cause(found: Iterable[Diagnostic]) -> Diagnostic | None:
    """Return what to mend first: the first error, else the first warning; None if there is neither."""
    found = tuple(found)
    return next((d for d in found if d.severity == "error"), next(iter(found), None))


def one_line(text: str) -> str:
    """Return a text without line ends, cut at 300 characters."""
    return " ".join(text.split())[:300]


class AfterCandidate:
    """Mark what is raised inside: the attempt answers for it, not the machine, since its code had run.

    With `bugs`, only what is neither InfraError nor InputError is marked: a bug of ours that its text provoked.
    """

    def __init__(self, *, bugs: bool = False) -> None:
        self._bugs = bugs

    def __enter__(self) -> None: ...

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if error is not None and not (self._bugs and isinstance(error, InfraError | InputError)):
            error.add_note(_TEXT_READ if self._bugs else _CANDIDATE_RAN)


_CANDIDATE_RAN = "its code had run"
_TEXT_READ = "what it wrote was being read"


def after_candidate(error: BaseException) -> str | None:
    """Say how far the candidate had come when an exception was raised; None: it had no part in it."""
    notes = getattr(error, "__notes__", ())
    return next((n for n in (_CANDIDATE_RAN, _TEXT_READ) if n in notes), None)


class InfraError(Exception):
    """The machine is broken, not the attempt: compiler missing, endpoint down, disk full, device lost."""

    def __init__(self, text: str, remedy: str) -> None:
        super().__init__(f"{text} {remedy}")
        self.text = text
        self.remedy = remedy


class InputError(Exception):
    """What the user gave cannot be used (unknown task, broken csv, reference that raises)."""

    def __init__(self, text: str, remedy: str) -> None:
        super().__init__(f"{text} {remedy}")
        self.text = text
        self.remedy = remedy
