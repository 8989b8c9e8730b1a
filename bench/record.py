"""What a bench run keeps: its configuration and one record per task and sample."""

import math
from enum import StrEnum
from typing import Literal

from akgen.agents.budget import Budget
from akgen.agents.run_config import SolveConfig
from akgen.tools.core.frozen import Frozen
from akgen.tools.core.outcome import Outcome
from akgen.tools.core.profile import HasTime, Microseconds
from akgen.tools.core.task import Mode, Params
from akgen.tools.core.verdict import CaseVerdict, LargestError, Verdict

FORMAT = 1

# Outcomes of a project that got through its compilers.
COMPILED = frozenset(
    {Outcome.CORRECT, Outcome.WRONG, Outcome.TRAP, Outcome.TIMEOUT, Outcome.TILING_ERROR, Outcome.CHEAT}
)

_DTYPE_COLUMNS = (
    "dtype",
    "input_dtype",
    "values_dtype",
    "feeds_dtype",
)  # of a case's params, the first that is there
_OF_THE_JUDGE = frozenset({"OUTPUT_MISMATCH", "OWN_CHECKER"})


class BenchConfig(SolveConfig):
    """bench.json: what was asked for. The same command again must resolve to the same values."""

    format: int = FORMAT
    suite: str
    source: str
    mode: Mode
    toolchain: str  # name and version
    root: str | None = None
    max_mb: float | None = None
    full_sizes: bool = False  # of MultiKernelBench
    tasks: tuple[str, ...] = ()  # all of them, in order
    trials: int = 3  # of each case, where projects are only judged
    task_timeout_s: float = 900.0
    attempts: int = 1
    budget: Budget | None = None  # of each sample, besides its attempts
    sandbox_missing: tuple[
        str, ...
    ] = ()  # a fact of the machine that began the run, no part of what was asked for

    @property
    def solves(self) -> bool:
        """Say whether projects are written during the run, not read."""
        return self.source in ("composer", "model")


class CaseRow(HasTime):
    """One judged case."""

    id: str
    outcome: Outcome
    max_abs: LargestError = None
    max_rel: LargestError = None
    max_bound: float | None = None
    max_used: float | None = None
    own_checker: Literal["pass", "fail"] | None = None
    why: str = ""
    roofline_us: Microseconds | None = (
        None  # the least time of the case; None: unknown, or an earlier version judged
    )
    dtype: str | None = None  # that the case asks for; None: it names none, or an earlier version judged


class TuningStep(Frozen):
    """What a tuning step was to save and what it saved, as shares of the kernel's time; None: the kernel broke."""

    kind: str
    predicted: float
    actual: float | None


class Blame(StrEnum):
    """Who is at fault where a sample has no outcome."""

    MACHINE = "machine"
    INPUT = "input"  # the task, or what was asked for
    BUG = "bug"  # of AKGen


class Record(HasTime):
    """One line of results.jsonl: a sample of a task. `error` is ours or the machine's, never the candidate's.

    Its time is the geometric mean over the correct cases.
    """

    task: str
    sample: int
    level: int
    category: str
    outcome: Outcome | None  # None when `error` says why there is none
    why: str = ""  # the first cause, in one line
    codes: tuple[str, ...] = ()  # of the checks that fired and of compile errors, each once
    warnings: tuple[str, ...] = ()  # of findings that do not make a kernel wrong
    cause: str | None = None  # why the first wrong output differs, where its numbers show it
    drawn: Outcome | None = None  # what became of shapes that the task does not list; None: none were tried
    error: str | None = None
    fault: Blame | None = None  # with `error`; None too in older runs
    tries: int = 1  # machines failed all but the last
    cases: tuple[CaseRow, ...] = ()
    cases_left_out: int = 0  # above --max-mb
    compile_s: float | None = None
    kernel_compile_s: float | None = None
    wall_s: float = 0.0
    processor_s: float | None = (
        None  # of all processes, from the reference to the last verdict; None: not measured
    )
    attempts: int = 1
    course: tuple[str, ...] = ()  # what each attempt failed with, in order; "correct" where it did not
    tuning: tuple[TuningStep, ...] = ()
    input_tokens: int = 0
    output_tokens: int = 0
    cost: float = 0.0  # in the currency of the model's prices
    # What MultiKernelBench's own detector of cheats flags in the answer's class; None: it has no class.
    benchmark_detector: tuple[str, ...] | None = None

    @property
    def roofline_us(self) -> float | None:
        """Return the geometric mean of the correct cases' least times; None if one of them is not known."""
        least = [c.roofline_us for c in self.cases if c.outcome == Outcome.CORRECT and c.time_us]
        known = [t for t in least if t]
        return (
            math.exp(sum(map(math.log, known)) / len(known)) if known and len(known) == len(least) else None
        )

    @property
    def compiled(self) -> bool:
        return self.outcome in COMPILED

    @property
    def solved(self) -> bool:
        """Every judged case is correct, at least one was judged, and no check fired."""
        return self.outcome == Outcome.CORRECT and not self.codes and bool(self.cases)


def case_row(case: CaseVerdict, params: Params | None = None) -> CaseRow:
    """Return the row of a judged case; `params` are the case's in its task."""
    asked = params or {}
    return CaseRow(
        id=case.id,
        dtype=next((str(asked[name]) for name in _DTYPE_COLUMNS if asked.get(name)), None),
        outcome=case.outcome,
        max_abs=case.max_abs,
        max_rel=case.max_rel,
        max_bound=case.max_bound,
        max_used=case.max_used,
        time_us=case.time_us,
        time_source=case.time_source,
        own_checker=case.own_checker,
        roofline_us=case.profile.roofline_us if case.profile is not None else None,
        why="" if case.outcome == Outcome.CORRECT else case.why(),
    )


def codes_of(verdict: Verdict, severity: Literal["error", "warning"] = "error") -> tuple[str, ...]:
    """Return the codes of the findings of this severity, in order of appearance.

    What the judge says about numbers beside a task's own check is no finding of a check.
    """
    return tuple(code for code in verdict.codes(severity) if code not in _OF_THE_JUDGE)
