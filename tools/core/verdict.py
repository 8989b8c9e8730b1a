"""What the judge says about a project on a task."""

import math
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, model_validator

from akgen.tools.core.frozen import Frozen
from akgen.tools.core.outcome import Diagnostic, Outcome
from akgen.tools.core.profile import Profile
from akgen.tools.timed import Timed, TimeSource, with_sources


def _comparable(value: object) -> object:
    """Read what versions before 0.2 wrote where nothing could be compared: an infinity, or its name."""
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return None if value in ("Infinity", "-Infinity", "NaN") else value


# The largest error of an output; None where no element can be compared (another shape, nothing but NaN).
LargestError = Annotated[float | None, BeforeValidator(_comparable)]


class Mismatch(Frozen):
    """Where and how an output differs: enough for a critic to guess the cause without seeing the values."""

    output: int
    pattern: Literal[
        "shape",
        "dtype",
        "all_zero",
        "unwritten",
        "nan",
        "tail",
        "block_edge",
        "row",
        "stale",
        "scattered",
        "all",
    ]
    count: int
    total: int
    first_index: tuple[int, ...]
    max_abs: LargestError
    max_rel: LargestError
    note: str = ""


class CaseVerdict(Timed):
    """One case over its trials; the worst trial counts."""

    id: str
    outcome: Outcome
    trials: int = 0
    max_abs: LargestError = None
    max_rel: LargestError = None
    mismatch: Mismatch | None = None
    own_checker: Literal["pass", "fail"] | None = None  # the task's own precision check, where it has one
    diagnostics: tuple[Diagnostic, ...] = ()
    profile: Profile | None = None


class Verdict(Frozen):
    """The worst case decides. Every verdict names its toolchain."""

    outcome: Outcome
    toolchain: str
    compile_s: float
    kernel_compile_s: float | None = None
    cases: tuple[CaseVerdict, ...] = ()
    diagnostics: tuple[Diagnostic, ...] = ()

    @model_validator(mode="before")
    @classmethod
    def _earlier_names(cls, value: Any) -> Any:
        """Tell the cases of an earlier version where their times come from: they do not name the toolchain."""
        return with_sources(value)

    @property
    def time_source(self) -> TimeSource | None:
        """Say where the cases' times come from; None where no case was timed."""
        return next((case.time_source for case in self.cases if case.time_source), None)

    def cause(self) -> Diagnostic | CaseVerdict | None:
        """Return what to mend first: the first error, else the first case with other numbers; None if there is none."""
        found = (*self.diagnostics, *(d for case in self.cases for d in case.diagnostics))
        error = next((d for d in found if d.severity == "error"), None)
        return error or next((case for case in self.cases if case.mismatch is not None), None)
