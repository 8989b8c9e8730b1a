"""A change that might make a kernel faster, with the gain that it promises; and a kernel that was measured."""

import math
from collections.abc import Sequence
from typing import Literal, Protocol

from pydantic import Field

from akgen.agents.calls.model_call import Usage
from akgen.agents.search.beam import BeamEntry, SearchState
from akgen.tools.core.frozen import Frozen
from akgen.tools.core.knobs import Knobs
from akgen.tools.core.outcome import Outcome
from akgen.tools.core.profile import HasTime, Profile
from akgen.tools.core.project import KernelProject
from akgen.tools.core.task import Task
from akgen.tools.core.verdict import Verdict
from akgen.tools.rewrite.values import RewriteKind

Kind = Literal["tile", "cores", "share", "schedule", "rounding", "constant", "edit"] | RewriteKind


class Hypothesis(Frozen):
    """What is changed and what it should bring: `predicted_gain` is the time before over the time after."""

    kind: Kind
    text: str
    predicted_gain: float | None = Field(default=None, ge=0.0)  # None where nobody can say


class Member(Frozen):
    """A kernel that was judged correct, with what is known of how it came about."""

    project: KernelProject
    verdict: Verdict
    knobs: Knobs | None = None  # of the composer's program
    other_rounding: bool = False
    changes: tuple[str, ...] = ()  # hypotheses that were kept on the way here

    @property
    def time_us(self) -> float:
        """Return the geometric mean of the cases' times."""
        return self.verdict.mean_us() or math.inf

    @property
    def profiles(self) -> tuple[Profile, ...]:
        """Return the cases' profiles."""
        return self.verdict.profiles

    @property
    def slowest(self) -> Profile | None:
        """Return the profile of the case that takes longest."""
        return self.verdict.slowest

    def changed(self, proposal: "Proposal", verdict: Verdict) -> "Member":
        """Return the kernel that a change made of this one. `proposal` holds a project."""
        assert proposal.project is not None
        return Member(
            project=proposal.project,
            verdict=verdict,
            knobs=proposal.knobs,
            other_rounding=proposal.other_rounding,
            changes=(*self.changes, proposal.hypothesis.text),
        )


class Proposal(Frozen):
    """A hypothesis with the project that tries it, or why there is none."""

    hypothesis: Hypothesis
    project: KernelProject | None
    problem: str | None = None
    knobs: Knobs | None = None
    other_rounding: bool = False
    usage: Usage = Usage()


class SearchStep(HasTime):
    """A hypothesis that was tried. `gain` is the time before over the time after; None unless it is correct."""

    round: int
    hypothesis: Hypothesis
    outcome: Outcome
    gain: float | None = Field(ge=0.0)
    kept: bool
    digest: str | None
    problem: str | None = None

    @classmethod
    def of(
        cls, search: SearchState, proposal: Proposal, verdict: Verdict | None, candidate: BeamEntry | None
    ) -> "SearchStep":
        """Say what became of a proposal. `verdict` is None where it held no project, `candidate` unless correct."""
        outcome = verdict.outcome if verdict else Outcome.NO_CODE
        gain = search.gain(candidate)
        correct = outcome is Outcome.CORRECT
        return cls(
            round=search.round,
            hypothesis=proposal.hypothesis,
            outcome=outcome,
            time_us=verdict.mean_us() if verdict else None,
            time_source=verdict.time_source if verdict else None,
            gain=round(gain, 4) if gain is not None else None,
            kept=search.keeps(candidate),
            digest=proposal.project.digest if proposal.project else None,
            problem=proposal.problem if verdict is None else None if correct else verdict.why(),
        )


class Proposer(Protocol):
    """Thinks of changes to a kernel."""

    @property
    def name(self) -> str: ...

    def propose(
        self, task: Task, member: Member, tried: Sequence[SearchStep], count: int
    ) -> tuple[Proposal, ...]:
        """Return at most `count` changes, the most promising first; none if nothing is left to try."""
        ...
