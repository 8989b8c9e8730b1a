"""What an answer's end means for an attempt: why there is nothing to read in it."""

from typing import Literal

from akgen.agents.conversation import Answer
from akgen.tools.outcome import Diagnostic, Outcome

SHOWN = 200  # characters of what a model says instead of an answer


def unusable(answer: Answer, stage: Literal["plan", "write"]) -> tuple[Outcome, Diagnostic] | None:
    """Return outcome and finding of an answer with nothing to read in it, such as a refused one; else None."""
    if answer.ended == "budget":
        return Outcome.BUDGET, Diagnostic(code="BUDGET_EXHAUSTED", text=answer.text, stage=stage)
    if answer.ended == "refused":
        said = " ".join(answer.text.split())[:SHOWN] or "it gave no reason"
        text = f"The model refused to answer: {said}"
        return Outcome.NO_CODE, Diagnostic(code="REPLY_REFUSED", text=text, stage=stage)
    if answer.ended == "too_large":
        text = "The reply went on far beyond the length that was asked for and was left."
        return Outcome.NO_CODE, Diagnostic(code="REPLY_TOO_LARGE", text=text, stage=stage)
    if answer.ended == "too_long":
        text = f"The prompt is too long for the model: {' '.join(answer.text.split())[:SHOWN]}"
        return Outcome.NO_CODE, Diagnostic(code="PROMPT_TOO_LONG", text=text, stage=stage)
    return None
