"""A critic that lets a chat model explain and choose, after the rules have read the verdict.

The rules decide what is possible: a correct kernel may be tuned or accepted, a failed one repaired or planned anew.
The model chooses among that, adds its explanation to the feedback, and says what gain it expects of a tuning step; what
came of it is compared later. Where its answer cannot be used, the rules' decision stands.
"""

from typing import Literal

from pydantic import Field

from akgen.agents.answers import unusable
from akgen.agents.briefing import Brief
from akgen.agents.circumstances import circumstances
from akgen.agents.conversation import Conversation
from akgen.agents.critic import RuleCritic
from akgen.agents.plan import Plan
from akgen.agents.prompts import render
from akgen.agents.roles import Decision, Hypothesis
from akgen.agents.structured import ask_structured
from akgen.knowledge.chip import Chip
from akgen.tools.frozen import Frozen
from akgen.tools.outcome import Outcome
from akgen.tools.task import Task
from akgen.tools.verdict import Verdict

Kind = Literal[
    "double_buffer",
    "larger_tiles",
    "bank_conflicts",
    "casts",
    "aligned_rows",
    "balance",
    "more_cores",
    "other",
]


class Critique(Frozen):
    """The JSON that the critic's prompt asks for."""

    action: Literal["repair", "replan", "tune", "accept"]
    explanation: str = Field(min_length=1, max_length=4000)
    kind: Kind | None = None
    predicted_gain: float | None = Field(default=None, ge=0.0, lt=1.0)


class ChatCritic:
    """Asks a chat model about every attempt that goes on."""

    def __init__(self, conversation: Conversation, chip: Chip) -> None:
        self._conversation = conversation
        self._chip = chip
        self._rules = RuleCritic()

    def criticise(
        self, task: Task, plan: Plan | None, verdict: Verdict, attempt: int, attempts_left: int
    ) -> Decision:
        ruled = self._rules.criticise(task, plan, verdict, attempt, attempts_left)
        if ruled.feedback is None:  # accepted or given up: there is nothing to choose
            return ruled
        choices = ("tune", "accept") if verdict.outcome is Outcome.CORRECT else ("repair", "replan")
        told = ask_structured(
            self._conversation,
            Brief(
                system=render("critic_system", chip=self._chip, choices=choices),
                user=render(
                    "critic_user", task=task, plan=plan, feedback=ruled.feedback.text, action=ruled.action
                ),
            ),
            Critique,
            role="critic",
            attempt=attempt,
            sample=circumstances().sample or 0,
        )
        said = told.value
        if said is None or unusable(told.last, "plan") is not None:
            return ruled.model_copy(update={"usage": told.usage})
        unfounded = said.action == "tune" and said.predicted_gain is None
        if said.action not in choices or unfounded or (said.action == "repair" and ruled.action == "replan"):
            return ruled.model_copy(update={"usage": told.usage})
        if said.action == "accept":
            return Decision(action="accept", why=said.explanation.splitlines()[0], usage=told.usage)
        text = render("critic_adds", feedback=ruled.feedback.text, said=said)
        hypothesis = None
        if said.action == "tune":
            hypothesis = Hypothesis(kind=said.kind or "other", predicted_gain=said.predicted_gain or 0.0)
        return Decision(
            action=said.action,
            feedback=ruled.feedback.model_copy(update={"text": text, "action": said.action}),
            why=ruled.why,
            usage=told.usage,
            hypothesis=hypothesis,
        )
