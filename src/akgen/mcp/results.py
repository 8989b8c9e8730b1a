"""What the tools return: typed, so that a client gets structured output with a schema."""

from typing import Literal

from pydantic import Field

from akgen.knowledge.errors import entry
from akgen.tools.core.frozen import Frozen
from akgen.tools.core.outcome import Diagnostic, Outcome
from akgen.tools.core.profile import Bound, PipeTime, TimeSource
from akgen.tools.core.verdict import CaseVerdict, Mismatch, Verdict


class ReportedFinding(Frozen):
    """One thing that is wrong, with what to do about it."""

    code: str = Field(description="Stable code; search_knowledge explains it.")
    text: str
    severity: Literal["error", "warning"]
    file: str | None = None
    line: int | None = None
    case: str | None = Field(default=None, description="The case that showed it.")
    cause: str | None = Field(default=None, description="Why this usually happens.")
    remedy: str | None = None


class LintResult(Frozen):
    """A look at a project without a task."""

    ok: bool = Field(description="No error was found.")
    toolchain: str
    findings: tuple[ReportedFinding, ...]


class CompileResult(Frozen):
    """Host code and kernel, built for a task's cases."""

    ok: bool
    outcome: Outcome | None = Field(description="Why it does not build; null if it does.")
    toolchain: str
    compile_s: float
    findings: tuple[ReportedFinding, ...]


class CaseResult(Frozen):
    """One case over its hidden trials; the worst trial counts."""

    id: str
    outcome: Outcome
    trials: int
    max_abs_error: float | None
    max_rel_error: float | None
    max_error_bound: float | None = Field(description="The largest error that a sound computation may make.")
    max_used: float | None = Field(description="The largest difference as a share of what is allowed there.")
    time_us: float | None
    time_source: TimeSource | None
    mismatch: Mismatch | None = Field(description="Where and how an output differs.")


class TestResult(Frozen):
    """The judge's verdict."""

    __test__ = False  # not a test class, whatever pytest thinks of its name

    correct: bool = Field(description="Every case is correct on every trial.")
    outcome: Outcome
    toolchain: str
    compile_s: float
    cases: tuple[CaseResult, ...]
    findings: tuple[ReportedFinding, ...]
    feedback: str = Field(description="The verdict explained for whoever mends the kernel.")


class ProfileResult(Frozen):
    """The pipeline timeline of one launch. `time_source` says whether it is predicted (twin) or measured."""

    case: str
    time_us: float
    time_source: TimeSource
    toolchain: str
    cores: int
    bound: Bound
    roofline_share: float
    core_imbalance: float
    pipes: tuple[PipeTime, ...]
    advice: tuple[str, ...] = Field(description="What the timeline suggests.")
    model_error: str | None = Field(description="The time model's error against published timings.")
    trace: str | None = Field(description="A Chrome trace (Perfetto opens it).")
    page: str | None = Field(description="The timeline as an HTML page.")


class KnowledgeEntry(Frozen):
    """One entry of the knowledge base; scores compare within one search only."""

    kind: str = Field(description="api, error or operator")
    name: str
    text: str
    score: float


class SearchResult(Frozen):
    """What fits the query, best first."""

    entries: tuple[KnowledgeEntry, ...]


class SolveResult(Frozen):
    """What the planner, coder and critic made of a task."""

    correct: bool
    outcome: Outcome
    why: str
    toolchain: str
    time_us: float | None
    time_source: TimeSource | None
    attempts: int = Field(description="Attempts of the winning sample.")
    run: str = Field(description="The run's folder; `akgen show` reads it.")
    project: str | None = Field(description="The kernel project's folder.")
    files: dict[str, str] = Field(description="The project's sources by path.")
    page: str | None = Field(description="The timeline as an HTML page.")


def findings_of(verdict: Verdict) -> tuple[ReportedFinding, ...]:
    """Return a verdict's findings, those of its cases with the case, each once."""
    return tuple(finding(d, case) for case, d in verdict.findings_by_case)


def finding(diagnostic: Diagnostic, case: str | None = None) -> ReportedFinding:
    known = entry(diagnostic.code)
    return ReportedFinding(
        code=diagnostic.code,
        text=diagnostic.text,
        severity=diagnostic.severity,
        file=diagnostic.file,
        line=diagnostic.line,
        case=case,
        cause=known.cause if known else None,
        remedy=diagnostic.remedy or (known.remedy if known else None),
    )


def case_result(case: CaseVerdict) -> CaseResult:
    return CaseResult(
        id=case.id,
        outcome=case.outcome,
        trials=case.trials,
        max_abs_error=case.max_abs,
        max_rel_error=case.max_rel,
        max_error_bound=case.max_bound,
        max_used=case.max_used,
        time_us=case.time_us,
        time_source=case.time_source,
        mismatch=case.mismatch.model_copy(update={"heat": None}) if case.mismatch else None,  # for eyes
    )
