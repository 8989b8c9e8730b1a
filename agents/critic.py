"""The critic: it decides the next move and writes the feedback that the coder reads.

Deterministic rules over diagnostics, mismatch patterns and timelines come first (texts and rules are data in
knowledge/); they decide what is possible: a correct kernel may be tuned or accepted, a failed one repaired or planned
anew. A chat model may choose among that, add its explanation, and say what gain it expects of a tuning step; where its
answer cannot be used, the rules' decision stands. Attempts that fail in the same way again are told so, then replanned.
"""

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal

from pydantic import Field

from akgen.agents.calls.context import call_context
from akgen.agents.plan import Plan
from akgen.agents.prompts import render
from akgen.agents.prompts.advice import advice_for, worth_telling
from akgen.agents.prompts.excerpt import excerpts
from akgen.agents.prompts.feedback import compiler_words, explain, explain_barely
from akgen.agents.roles import Decision, Feedback, TuningMove
from akgen.agents.search.beam import BeamEntry, SearchState, Stop, greedy
from akgen.knowledge.chip import Chip
from akgen.tools.core.frozen import Frozen
from akgen.tools.core.outcome import Diagnostic, Outcome
from akgen.tools.core.project import KernelProject
from akgen.tools.core.task import Task
from akgen.tools.core.verdict import Verdict

if TYPE_CHECKING:
    from akgen.agents.calls.conversation import Conversation


SHOWN_CODE = 15_000  # characters of code that a critic who is a model reads


class RuleCritic:
    """Decides by rule; the same verdict always gives the same decision."""

    def criticise(
        self,
        task: Task,
        plan: Plan | None,
        verdict: Verdict,
        attempt: int,
        attempts_left: int,
        project: KernelProject | None = None,
    ) -> Decision:
        """Decide what to do next. For a correct verdict, `attempts_left` counts what may go into speed."""
        del task
        if verdict.outcome is Outcome.CORRECT:
            return _tune(verdict, attempt, attempts_left, project)
        if verdict.outcome in (Outcome.UNSUPPORTED, Outcome.BUDGET):
            return Decision(action="give_up", why=verdict.why())
        if attempts_left <= 0:
            return Decision(action="give_up", why=f"no attempts left; {verdict.why()}")
        replan = verdict.outcome is Outcome.PLAN_REJECTED or plan is None
        action = "replan" if replan else "repair"
        feedback = Feedback(
            attempt=attempt,
            outcome=verdict.outcome,
            text=explain(verdict),
            diagnostics=verdict.findings,
            action=action,
        )
        return Decision(action=action, feedback=feedback, why=verdict.why())


def _tune(verdict: Verdict, attempt: int, attempts_left: int, project: KernelProject | None) -> Decision:
    search = SearchState(rules=greedy(attempts_left), beam=(BeamEntry.of(attempt, verdict),))
    slowest = verdict.slowest
    if slowest is None or search.left == 0:
        return Decision(action="accept", why="all cases correct")
    advice = advice_for(slowest, project)
    if isinstance(search.move(), Stop) or not advice:
        return Decision(
            action="accept", why=f"all cases correct, {slowest.roofline_share:.0%} of the roofline"
        )
    text = explain(verdict, advice)
    feedback = Feedback(attempt=attempt, outcome=verdict.outcome, text=text, action="tune")
    best = next((p for p in worth_telling(slowest, project) if p.fits), None)
    hypothesis = TuningMove(kind=best.change, predicted_gain=best.gain) if best else None
    return Decision(action="tune", feedback=feedback, why=advice[0], hypothesis=hypothesis)


class CompilerCritic:
    """Decides as the rules do, and tells no more than a compiler and a failed run do: no causes, remedies or patterns.

    For measuring what the rules' feedback is worth. A correct kernel is accepted.
    """

    def criticise(
        self,
        task: Task,
        plan: Plan | None,
        verdict: Verdict,
        attempt: int,
        attempts_left: int,
        project: KernelProject | None = None,
    ) -> Decision:
        ruled = RuleCritic().criticise(task, plan, verdict, attempt, attempts_left, project)
        if verdict.outcome is Outcome.CORRECT:
            return Decision(action="accept", why="all cases correct")
        if ruled.feedback is None:
            return ruled
        found = compiler_words(verdict.findings)
        told = {"text": explain_barely(verdict, found), "diagnostics": found, "bare": True}
        return ruled.model_copy(update={"feedback": ruled.feedback.model_copy(update=told)})


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

    def __init__(self, conversation: "Conversation", chip: Chip) -> None:
        self._conversation = conversation
        self._chip = chip
        self._rules = RuleCritic()

    def criticise(
        self,
        task: Task,
        plan: Plan | None,
        verdict: Verdict,
        attempt: int,
        attempts_left: int,
        project: KernelProject | None = None,
    ) -> Decision:
        from akgen.agents.calls.conversation import unusable
        from akgen.agents.calls.structured import ask_structured
        from akgen.agents.prompts.builder import ModelPrompt

        ruled = self._rules.criticise(task, plan, verdict, attempt, attempts_left, project)
        if ruled.feedback is None:  # accepted or given up: there is nothing to choose
            return ruled
        choices = ("tune", "accept") if verdict.outcome is Outcome.CORRECT else ("repair", "replan")
        told = ask_structured(
            self._conversation,
            ModelPrompt(
                system=render("critic_system", chip=self._chip, choices=choices),
                user=render(
                    "critic_user",
                    task=task,
                    plan=plan,
                    feedback=ruled.feedback.text,
                    action=ruled.action,
                    profile=verdict.slowest,
                    code=excerpts(project.files, verdict.findings, SHOWN_CODE) if project else (),
                ),
            ),
            Critique,
            role="critic",
            attempt=attempt,
            sample=call_context().sample or 0,
            freely=True,
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
            hypothesis = TuningMove(kind=said.kind or "other", predicted_gain=said.predicted_gain or 0.0)
        return Decision(
            action=said.action,
            feedback=ruled.feedback.model_copy(update={"text": text, "action": said.action}),
            why=ruled.why,
            usage=told.usage,
            hypothesis=hypothesis,
        )


REPLAN_AFTER = 3  # attempts in a row that fail alike


def failure(verdict: Verdict) -> str | None:
    """Return what a failure is called when it comes again: its first error or mismatch, without a trial's numbers."""
    if verdict.outcome is Outcome.CORRECT:
        return None
    cause = verdict.cause()
    if isinstance(cause, Diagnostic):
        return f"{cause.code} {re.sub(r'[0-9]+', '#', cause.text.splitlines()[0])}"
    if cause is not None and cause.mismatch is not None:
        different = cause.mismatch
        named = f" {different.cause}: {different.what}" if different.what else ""  # its numbers stay
        return f"mismatch {different.output} {different.pattern}{named}"
    return str(verdict.outcome)


def insist(decision: Decision, now: str | None, earlier: Sequence[str | None]) -> Decision:
    """Return the decision with another strategy if the last attempts failed as this one did.

    The second time, the feedback says that mending the same place did not help; the third time, a new plan is asked
    for. `earlier` are the failures of the attempts before, oldest first.
    """
    if now is None or decision.feedback is None or decision.action != "repair":
        return decision
    alike = 1
    for before in reversed(earlier):
        if before != now:
            break
        alike += 1
    if alike == 1:
        return decision
    replan = alike >= REPLAN_AFTER
    text = render("repeated", feedback=decision.feedback.text, times=alike, replan=replan)
    action = "replan" if replan else "repair"
    return decision.model_copy(
        update={
            "action": action,
            "feedback": decision.feedback.model_copy(update={"text": text, "action": action, "whole": True}),
            "why": f"{decision.why} ({alike} attempts in a row)",
        }
    )


def asked_again(now: Feedback, before: Feedback | None) -> Feedback:
    """Return the feedback to a reply without code: what that reply was to answer, with why it did not.

    What was asked before it still stands, and the coder is asked for it whole.
    """
    if now.outcome is not Outcome.NO_CODE or before is None or before.outcome is Outcome.NO_CODE:
        return now
    text = render("unanswered", feedback=now.text, before=before.text)
    return now.model_copy(
        update={"text": text, "diagnostics": (*before.diagnostics, *now.diagnostics), "dsl": before.dsl}
    )
