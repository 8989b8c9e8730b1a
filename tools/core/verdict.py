"""What the judge says about a project on a task."""

import math
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, model_validator

from akgen.tools.core.frozen import Frozen
from akgen.tools.core.outcome import Diagnostic, Outcome, first_cause, one_line
from akgen.tools.core.profile import DeviceReadings, HasTime, MeasuredBy, Profile, TimeSource, with_sources


def _comparable(value: object) -> object:
    """Read what versions before 0.2 wrote where nothing could be compared: an infinity, or its name."""
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return None if value in ("Infinity", "-Infinity", "NaN") else value


# The largest error of an output; None where no element can be compared (another shape, nothing but NaN).
LargestError = Annotated[float | None, BeforeValidator(_comparable)]


# Why an output differs, where its numbers show it; "unknown" where nothing explains them. The last ones say where only.
Cause = Literal[
    "sign", "scaled", "mean_for_sum", "sum_for_mean", "divisor", "reciprocal", "offset", "function", "formula",
    "branch", "clipped", "fill", "overflow", "wrapped", "rounding_mode", "precision", "zero_division", "reinterpreted",
    "stale", "swapped_outputs", "swapped_inputs", "copied_input", "wrong_input", "ignored_input", "transposed",
    "reversed", "repeated", "shifted", "other_tile", "neighbour", "missing_term", "missing_factor", "operation",
    "missing_eps", "eps_place", "uncentred", "window", "broadcast", "constant_along", "partial_sum", "carry", "axis",
    "order", "unknown",
    "tail", "row", "block_edge", "border", "part", "one_index", "lanes",
]  # fmt: skip


class HeatMap(Frozen):
    """The share of wrong elements over an output: its last axis across, all others down, in at most 24 x 64 cells.

    A cell is "." where nothing is wrong, else the share in tenths, rounded down: "0" is below a tenth, "9" up to all.
    """

    rows: int  # of the output, that the cells stand for
    columns: int
    cells: tuple[str, ...]  # a line each


Pattern = Literal[
    "shape", "dtype", "all_zero", "unwritten", "nan", "tail", "block_edge", "row", "stale", "scattered", "all"
]


class Mismatch(Frozen):
    """Where and how an output differs: enough for a critic to guess the cause without seeing the values."""

    output: int
    pattern: Pattern
    count: int
    total: int
    first_index: tuple[int, ...]
    max_abs: LargestError
    max_rel: LargestError
    note: str = ""
    one_value: bool = False  # all elements are the same, and the expected ones are not
    by_axis: str = ""  # which indices of each axis are wrong, and what share of them; "" where all are
    heat: HeatMap | None = None  # None where no element is compared, or an earlier version judged
    cause: Cause | None = None  # None: the pattern says it all, or nobody looked (versions before 0.3)
    what: str = ""  # the cause in words, with the numbers that stay from one trial to the next
    evidence: str = ""  # the numbers of this trial that show it

    @property
    def explanation(self) -> str:
        """Say the cause with what shows it; empty where none was looked for."""
        if self.cause is None or (self.cause == "unknown" and self.pattern in ("nan", "unwritten")):
            return ""
        said = f"cause {self.cause}" + (f": {self.what}" if self.what else "")
        return said + (f" ({self.evidence})" if self.evidence else "")

    @property
    def sentence(self) -> str:
        """Say it in one line."""
        size = f"largest error {self.max_abs:.3g}" if self.max_abs is not None else "not comparable"
        said = f"output {self.output}: {self.pattern}, {self.count} of {self.total} elements, {size}"
        more = ". ".join(one_line(text).rstrip(". ") for text in (self.note, self.explanation) if text)
        return f"{said}. {more}".rstrip(". ")


class CaseVerdict(HasTime):
    """One case over its trials; the worst trial counts."""

    id: str
    outcome: Outcome
    trials: int = 0
    interval_us: tuple[float, float] | None = None  # that holds the time with 95 %, where it was measured
    max_abs: LargestError = None
    max_rel: LargestError = None
    max_bound: float | None = None  # the largest error bound of a sound computation; None where none is known
    # The largest difference as a share of what is allowed at its element; None where the task's own checker decides.
    max_used: float | None = None
    mismatch: Mismatch | None = None
    own_checker: Literal["pass", "fail"] | None = None  # the task's own precision check, where it has one
    diagnostics: tuple[Diagnostic, ...] = ()
    profile: Profile | None = None

    def why(self) -> str:
        """Say in one line why the case is not correct; of a correct one, the first finding."""
        found = first_cause(self.diagnostics)
        if found is not None and found.severity == "error":
            return found.sentence
        if self.mismatch is not None:
            return self.mismatch.sentence
        if self.own_checker == "fail":
            return "the task's own check fails"
        return found.sentence if found else str(self.outcome)


class DrawnShapes(Frozen):
    """The inputs of shapes that the task does not list, which a kernel that is right on all listed cases was given."""

    shapes: tuple[tuple[int, ...], ...] = ()  # of the inputs
    outcome: Outcome | None = None  # None: nothing was drawn
    why_not: str = ""  # why nothing was drawn

    @property
    def sentence(self) -> str:
        """Say in one line what was drawn, and what the kernel made of it."""
        if self.outcome is None:
            return f"no shapes beside the listed ones were tried: {self.why_not}"
        return (
            f"shapes beside the listed ones, {', '.join(str(list(s)) for s in self.shapes)}: {self.outcome}"
        )


class Verdict(Frozen):
    """The worst case decides. Every verdict names its toolchain."""

    outcome: Outcome
    toolchain: str
    compile_s: float
    kernel_compile_s: float | None = None
    cases: tuple[CaseVerdict, ...] = ()  # a drawn one among them only if it is not correct
    drawn: DrawnShapes | None = None  # None: a listed case failed, or an earlier version judged
    # Of the size of large listed cases. None: as above, or no listed case is large, or the small drawn one failed.
    drawn_large: DrawnShapes | None = None
    diagnostics: tuple[Diagnostic, ...] = ()

    @model_validator(mode="before")
    @classmethod
    def _earlier_names(cls, value: Any) -> Any:
        """Tell the cases of an earlier version where their times come from: they do not name the toolchain."""
        return with_sources(value)

    @property
    def all_drawn(self) -> tuple[DrawnShapes, ...]:
        """Return what was drawn, or why nothing was."""
        return tuple(d for d in (self.drawn, self.drawn_large) if d is not None)

    @property
    def drawn_outcome(self) -> Outcome | None:
        """Return what became of the shapes beside the listed ones; None if none was drawn."""
        found = [d.outcome for d in self.all_drawn if d.outcome is not None]
        return next((o for o in found if o is not Outcome.CORRECT), found[0] if found else None)

    @property
    def time_source(self) -> TimeSource | None:
        """Say where the cases' times come from; None where no case was timed."""
        return next((case.time_source for case in self.cases if case.time_source), None)

    @property
    def measured_by(self) -> MeasuredBy | None:
        """Say what measured the cases' times; None where they are predicted."""
        return next((case.measured_by for case in self.cases if case.measured_by), None)

    @property
    def device(self) -> DeviceReadings | None:
        """Return what the driver said of the device while the last case was timed; None where it did not."""
        return next((case.device for case in reversed(self.cases) if case.device), None)

    @property
    def total_us(self) -> float | None:
        """Return the sum of the cases' times; None if no case was judged."""
        return sum(case.time_us or 0.0 for case in self.cases) if self.cases else None

    def summary(self) -> str:
        """Return in one line how many cases are correct, the worst error, and what is wrong."""
        passed = sum(case.outcome is Outcome.CORRECT for case in self.cases)
        count = f"{passed} of {len(self.cases)} cases correct"
        errors = [case.max_rel for case in self.cases if case.max_rel is not None]
        worst = f", worst relative error {max(errors):.2g}" if errors else ""
        return count + worst + ("" if self.outcome is Outcome.CORRECT else f"; {self.why()}")

    def mean_us(self, *, correct: bool = False) -> float | None:
        """Return the geometric mean of the cases' times, or of the correct cases' only; None if none was timed."""
        cases = [case for case in self.cases if case.outcome == Outcome.CORRECT or not correct]
        times = [case.time_us for case in cases if case.time_us]
        return math.exp(sum(map(math.log, times)) / len(times)) if times else None

    @property
    def findings_by_case(self) -> tuple[tuple[str | None, Diagnostic], ...]:
        """Return the verdict's own findings (with None), then those of its cases with the case's id, each once."""
        found = [(None, d) for d in self.diagnostics] + [(c.id, d) for c in self.cases for d in c.diagnostics]
        once = {(d.code, d.file, d.line, d.text): (case, d) for case, d in reversed(found)}
        return tuple(reversed(once.values()))

    @property
    def findings(self) -> tuple[Diagnostic, ...]:
        """Return the verdict's own findings, then those of its cases, each once."""
        return tuple(d for _, d in self.findings_by_case)

    @property
    def profiles(self) -> tuple[Profile, ...]:
        """Return the cases' timelines."""
        return tuple(case.profile for case in self.cases if case.profile is not None)

    @property
    def slowest(self) -> Profile | None:
        """Return the timeline of the case that takes longest."""
        return max(self.profiles, key=lambda p: p.time_us, default=None)

    @property
    def mismatch(self) -> Mismatch | None:
        """Return the first case's mismatch."""
        return next((case.mismatch for case in self.cases if case.mismatch is not None), None)

    def codes(self, severity: Literal["error", "warning"] = "error") -> tuple[str, ...]:
        """Return the codes of the findings of this severity, in order of appearance, each once."""
        return tuple(dict.fromkeys(d.code for d in self.findings if d.severity == severity))

    def cause(self) -> Diagnostic | CaseVerdict | None:
        """Return what to mend first: the first error, else the first case with other numbers; None if there is none."""
        found = first_cause(self.findings)
        if found is not None and found.severity == "error":
            return found
        return next((case for case in self.cases if case.mismatch is not None), None)

    def why(self) -> str:
        """Say in one line why the verdict is what it is; empty for a correct one without findings."""
        own = first_cause(self.diagnostics)
        if own is not None and own.severity == "error":
            return own.sentence
        failed = next((case for case in self.cases if case.outcome != Outcome.CORRECT), None)
        if failed is not None:
            return f"case {failed.id}: {failed.why()}"
        if own is not None:
            return own.sentence
        warned = next((case for case in self.cases if case.diagnostics), None)
        if warned is not None:
            return f"case {warned.id}: {warned.why()}"
        return "" if self.outcome == Outcome.CORRECT else str(self.outcome)
