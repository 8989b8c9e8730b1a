"""What to do when attempts fail in the same way again: say so, then take another plan."""

import re
from collections.abc import Sequence

from akgen.agents.prompts import render
from akgen.agents.roles import Decision
from akgen.tools.outcome import Diagnostic, Outcome
from akgen.tools.verdict import Verdict

REPLAN_AFTER = 3  # attempts in a row that fail alike


def failure(verdict: Verdict) -> str | None:
    """Return what a failure is called when it comes again: its first error or mismatch, without numbers."""
    if verdict.outcome is Outcome.CORRECT:
        return None
    cause = verdict.cause()
    if isinstance(cause, Diagnostic):
        return f"{cause.code} {re.sub(r'[0-9]+', '#', cause.text.splitlines()[0])}"
    if cause is not None and cause.mismatch is not None:
        return f"mismatch {cause.mismatch.output} {cause.mismatch.pattern}"
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
            "feedback": decision.feedback.model_copy(update={"text": text, "action": action}),
            "why": f"{decision.why} ({alike} attempts in a row)",
        }
    )
