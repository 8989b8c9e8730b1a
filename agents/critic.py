"""The critic: deterministic rules over diagnostics, mismatch patterns and timelines.

It decides the next move and writes the feedback that the coder reads. The texts and rules are data in knowledge/.
"""

from akgen.agents.bottlenecks import WORTH_TELLING, advice_for
from akgen.agents.findings import explain
from akgen.agents.plan import Plan
from akgen.agents.roles import Decision, Feedback, Hypothesis
from akgen.tools.outcome import Diagnostic, Outcome
from akgen.tools.task import Task
from akgen.tools.verdict import Verdict

GOOD_ENOUGH = 0.9  # share of the roofline from which on there is nothing worth tuning


class RuleCritic:
    """Decides by rule; the same verdict always gives the same decision."""

    def criticise(
        self, task: Task, plan: Plan | None, verdict: Verdict, attempt: int, attempts_left: int
    ) -> Decision:
        """Decide what to do next. For a correct verdict, `attempts_left` counts what may go into speed."""
        del task
        if verdict.outcome is Outcome.CORRECT:
            return _tune(verdict, attempt, attempts_left)
        if verdict.outcome in (Outcome.UNSUPPORTED, Outcome.BUDGET):
            return Decision(action="give_up", why=_first_text(verdict))
        if attempts_left <= 0:
            return Decision(action="give_up", why=f"no attempts left; {_first_text(verdict)}")
        replan = verdict.outcome is Outcome.PLAN_REJECTED or plan is None
        action = "replan" if replan else "repair"
        feedback = Feedback(
            attempt=attempt,
            outcome=verdict.outcome,
            text=explain(verdict),
            diagnostics=verdict.diagnostics,
            action=action,
        )
        return Decision(action=action, feedback=feedback, why=_first_text(verdict))


def _tune(verdict: Verdict, attempt: int, attempts_left: int) -> Decision:
    profiles = [case.profile for case in verdict.cases if case.profile is not None]
    if attempts_left <= 0 or not profiles:
        return Decision(action="accept", why="all cases correct")
    slowest = max(profiles, key=lambda p: p.time_us)
    advice = advice_for(slowest)
    if slowest.roofline_share >= GOOD_ENOUGH or not advice:
        return Decision(
            action="accept", why=f"all cases correct, {slowest.roofline_share:.0%} of the roofline"
        )
    text = explain(verdict, advice)
    feedback = Feedback(attempt=attempt, outcome=verdict.outcome, text=text, action="tune")
    best = next((p for p in slowest.what_if if p.fits and p.gain >= WORTH_TELLING), None)
    hypothesis = Hypothesis(kind=best.change, predicted_gain=best.gain) if best else None
    return Decision(action="tune", feedback=feedback, why=advice[0], hypothesis=hypothesis)


def _first_text(verdict: Verdict) -> str:
    cause = verdict.cause()
    if isinstance(cause, Diagnostic):
        return f"{cause.code}: {cause.text.splitlines()[0]}"
    if cause is not None and (m := cause.mismatch) is not None:
        return f"case {cause.id}: {m.count} of {m.total} elements differ, pattern {m.pattern}"
    return str(verdict.outcome)
