"""What the run store holds: the run, an attempt, a solution. docs/run_store.md shows them on disk."""

from datetime import datetime
from pathlib import Path
from typing import Literal

from akgen.agents.budget import Spent
from akgen.agents.plan import Plan
from akgen.agents.roles import ContextItem, Decision, Feedback, TuningMove
from akgen.agents.run_config import RunConfig
from akgen.tools.core.frozen import Frozen
from akgen.tools.core.outcome import Outcome
from akgen.tools.core.profile import HasTime, Profile
from akgen.tools.core.verdict import Verdict

FORMAT = 1  # of run.json and result.json; a reader refuses a newer one

Stage = Literal["plan", "write", "compile", "test", "profile", "criticise"]


class RunInfo(Frozen):
    """run.json."""

    format: int = FORMAT
    id: str
    created_at: datetime
    config: RunConfig
    versions: dict[str, str]  # akgen, python, langgraph, torch, ...
    toolchain: str


class Event(Frozen):
    """One line of events.jsonl."""

    at: datetime
    event: str  # "stage", "reused", "stopped"
    run: str | None = None
    task: str
    sample: int
    attempt: int
    stage: Stage | None = None
    status: Literal["start", "done"] | None = None
    outcome: Outcome | None = None
    seconds: float | None = None
    text: str = ""  # for people


class AttemptRow(HasTime):
    """An attempt in one line: what the graph needs to choose, and `show` to print.

    Its time is the geometric mean over the cases.
    """

    number: int
    outcome: Outcome
    digest: str | None = None  # of the project
    folder: Path | None = None  # of the project, relative to the task's folder
    action: str | None = None
    why: str = ""
    hypothesis: TuningMove | None = None  # what the next attempt was to gain
    gain: float | None = None  # what a tuning move brought: the time before it over the time of this attempt
    failure: str | None = None  # what the failure is called when it comes again


class Attempt(Frozen):
    """One entry of attempts.json: everything about one attempt that a report or a training export needs."""

    number: int
    sample: int
    feedback: Feedback | None  # what the coder read
    plan: Plan | None
    project: Path | None  # relative to the task's folder
    op_type: str | None = None
    kernel: str | None = None
    digest: str | None = None
    dsl: str | None = None
    form: str | None = None  # how a model gave the project: files, edits, second_try
    shown: tuple[ContextItem, ...] = ()  # what of the knowledge the coder's prompt held
    verdict: Verdict
    profile: Profile | None = None
    page: Path | None = None  # the timeline as HTML
    decision: Decision
    planner_messages: tuple[dict[str, str], ...] = ()
    coder_messages: tuple[dict[str, str], ...] = ()
    spent: Spent


class SampleRecord(HasTime):
    """How one sample ended. `best` is the number of the attempt that stands for it."""

    sample: int
    outcome: Outcome
    best: int | None
    attempts: tuple[AttemptRow, ...]
    spent: Spent
    stopped: str | None = None  # the budget or reason that ended it early


class Solution(HasTime):
    """result.json: the winning sample of a task and what became of the others."""

    format: int = FORMAT
    task: str
    outcome: Outcome
    toolchain: str
    sample: int
    attempt: int | None
    project: Path | None  # relative to the task's folder
    verdict: Verdict
    profile: Profile | None = None
    page: Path | None = None
    why: str = ""
    candidates: tuple[SampleRecord, ...]
