"""The three deciders as protocols, and what they hand to each other. None of them knows of LangGraph."""

from typing import Literal, Protocol

from akgen.agents.budget import Budget
from akgen.agents.calls.model_call import Usage as Usage
from akgen.agents.plan import Plan
from akgen.tools.core.frozen import Frozen
from akgen.tools.core.outcome import Diagnostic, Outcome
from akgen.tools.core.project import KernelProject
from akgen.tools.core.task import Task
from akgen.tools.core.verdict import Verdict


class Feedback(Frozen):
    """What the critic tells the coder about the previous attempt; `text` is what the coder reads.

    `whole` asks for whole files: mending places did not help. `changed` is what that attempt had changed, as a diff.
    """

    attempt: int
    outcome: Outcome
    text: str
    diagnostics: tuple[Diagnostic, ...] = ()
    action: Literal["repair", "tune", "replan"] = "repair"
    left: Budget | None = None  # what may still be spent
    dsl: str | None = None  # the tile program of that attempt
    whole: bool = False
    changed: str | None = None
    bare: bool = False  # as a compiler speaks: nothing known of what it names stands beside it


class ContextItem(Frozen):
    """One thing that a prompt showed. `used` says whether the code that came names it; None if that says nothing."""

    kind: Literal["card", "pattern", "experience"]
    name: str
    tokens: int
    used: bool | None = None


class Planned(Frozen):
    """A plan, or why there is none. `corrections` counts how often a model was told what does not fit; `fallback` says
    that the composer planned in its stead."""

    plan: Plan | None
    corrections: int = 0
    fallback: bool = False
    outcome: Outcome | None = None  # PLAN_REJECTED, UNSUPPORTED, NO_CODE
    diagnostics: tuple[Diagnostic, ...] = ()
    usage: Usage = Usage()
    messages: tuple[dict[str, str], ...] = ()  # the exchange with the model, for the store


class Written(Frozen):
    """A project, or why there is none.

    `form` is how a model gave it: whole files, edits of the previous ones, or either at the second try, when the
    first one's edits could not be applied.
    """

    project: KernelProject | None
    form: Literal["files", "edits", "second_try"] | None = None
    shown: tuple[ContextItem, ...] = ()
    outcome: Outcome | None = None  # NO_CODE, UNSUPPORTED
    diagnostics: tuple[Diagnostic, ...] = ()
    dsl: str | None = None
    changed: str | None = None  # against the project before it, as a diff
    usage: Usage = Usage()
    messages: tuple[dict[str, str], ...] = ()


class TuningMove(Frozen):
    """What a tuning step is to bring: the kind of change, and the share of the kernel's time that it should save."""

    kind: str
    predicted_gain: float


class Decision(Frozen):
    """The critic's next move."""

    action: Literal["accept", "repair", "tune", "replan", "give_up"]
    feedback: Feedback | None = None
    why: str = ""
    usage: Usage = Usage()
    hypothesis: TuningMove | None = None  # of a tuning step


class Planner(Protocol):
    @property
    def name(self) -> str: ...

    def plan(self, task: Task, feedback: Feedback | None, sample: int) -> Planned: ...


class Coder(Protocol):
    @property
    def name(self) -> str: ...

    def write(
        self, task: Task, plan: Plan, feedback: Feedback | None, previous: KernelProject | None, sample: int
    ) -> Written: ...


class Critic(Protocol):
    def criticise(
        self,
        task: Task,
        plan: Plan | None,
        verdict: Verdict,
        attempt: int,
        attempts_left: int,
        project: KernelProject | None = None,
    ) -> Decision:
        """Decide what to do next; `project` is what was judged, for who reads code."""
        ...
