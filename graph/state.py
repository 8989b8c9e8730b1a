"""What travels along the edges: frozen values only, so that a checkpoint gives back what it took."""

from pathlib import Path
from typing import Annotated

from typing_extensions import TypedDict

from akgen.agents.budget import Budget, Spent
from akgen.agents.requests.language import Language
from akgen.agents.requests.request import Request
from akgen.agents.roles import Decision, Feedback, Planned, Written
from akgen.graph.store.records import AttemptRow, SampleRecord, Solution
from akgen.tools.core.dtypes import DType
from akgen.tools.core.frozen import Frozen
from akgen.tools.core.outcome import Outcome
from akgen.tools.core.profile import Profile
from akgen.tools.core.project import KernelProject
from akgen.tools.core.task import Mode, Task
from akgen.tools.core.toolchain import Build
from akgen.tools.core.verdict import Verdict


class History(Frozen):
    """The attempts of a sample so far. (A bare tuple would come back from a checkpoint as a list.)"""

    rows: tuple[AttemptRow, ...] = ()


class Profiled(Frozen):
    """The profile stage's result; None inside when no timeline could be had."""

    profile: Profile | None
    page: Path | None = None  # the timeline as HTML


class Samples(Frozen):
    """The samples that ended; branches that run side by side add to it."""

    ended: tuple[SampleRecord, ...] = ()


def gather(old: Samples, new: Samples) -> Samples:
    """Join two branches, in the order of their samples, each sample once."""
    by_sample = {c.sample: c for c in (*old.ended, *new.ended)}
    return Samples(ended=tuple(by_sample[n] for n in sorted(by_sample)))


class Done(Frozen):
    """The requests that were worked on to their end, oldest first. (A bare tuple comes back as a list.)"""

    tasks: tuple[str, ...] = ()


class Choice(Frozen):
    """What the person set by command; None is what the run was begun with."""

    model: str | None = None
    base_url: str | None = None
    budget: Budget | None = None


class SampleState(TypedDict, total=False):
    """One sample on its way. A stage that was not reached is None."""

    task: Task
    sample: int
    attempt: int
    feedback: Feedback | None
    planned: Planned | None
    written: Written | None
    project: KernelProject | None  # the latest that was written
    build: Build | None
    verdict: Verdict | None  # set as soon as the attempt goes no further
    profiled: Profiled | None
    decision: Decision | None
    history: History
    spent: Spent
    samples: Annotated[Samples, gather]


class SampleResult(TypedDict):
    """What a sample hands to the task's graph."""

    samples: Annotated[Samples, gather]


class TaskState(TypedDict, total=False):
    """One task: fan out, gather, choose."""

    task: Task
    samples: Annotated[Samples, gather]
    solution: Solution | None


CHECKPOINTED = (  # whole values of the channels, and the enums inside them
    Build,
    Samples,
    Choice,
    DType,
    Decision,
    Done,
    Feedback,
    History,
    KernelProject,
    Language,
    Mode,
    Outcome,
    Planned,
    Profiled,
    Request,
    Solution,
    Spent,
    Task,
    Verdict,
    Written,
)
