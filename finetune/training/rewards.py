"""A reward in parts that are kept apart; what the judge calls a cheat is worth less than any honest failure.

What answers without computing is paid for its form alone, as honest text that does not compile is: kernels that write
nothing, one value or a copy, and kernels that are right on the shapes that the prompt shows and on no other one.
"""

from collections.abc import Collection, Sequence
from typing import Literal

from pydantic import Field

from akgen.finetune.training.environment import CheapVerdict
from akgen.tools.core.frozen import Frozen
from akgen.tools.core.outcome import Outcome
from akgen.tools.core.verdict import CaseVerdict, Verdict

Part = Literal["format", "compile", "silent", "share", "correct", "speed"]
PARTS: tuple[Part, ...] = ("format", "compile", "silent", "share", "correct", "speed")
# findings of the judge, not of a check
_OF_NUMBERS = {"OUTPUT_MISMATCH", "LISTED_SHAPES_ONLY", "OTHER_FORMULA"}
_NOTHING_WRITTEN = {"all_zero", "unwritten", "stale"}
_NOT_COMPUTED = {"copied_input", "stale"}


class Facts(Frozen):
    """What was found out about an answer. `roofline_share` is the least possible time over the kernel's own."""

    format: bool = False  # a program, or files, could be read
    compiles: bool = False
    silent: bool = False  # no check fired
    share: float = Field(default=0.0, ge=0, le=1)  # of cases that are right
    correct: bool = False
    roofline_share: float | None = Field(default=None, ge=0)
    hollow: bool = False  # it runs and computes nothing, or nothing but what the prompt shows
    cheat: bool = False


class Judged(Frozen):
    """What became of an answer, and what a model is told of it before it answers again; None: it was right."""

    facts: Facts
    told: str | None = None


class RewardWeights(Frozen):
    """What each part is worth; a part that is 0 is not paid. Every weight is at least 0, a cheat costs `cheat`."""

    format: float = Field(default=0.05, ge=0)
    compile: float = Field(default=0.1, ge=0)
    silent: float = Field(default=0.05, ge=0)
    share: float = Field(default=0.2, ge=0)
    correct: float = Field(default=0.6, ge=0)
    speed: float = Field(default=0.0, ge=0)
    cheat: float = Field(default=1.0, gt=0)


class Reward(Frozen):
    """The whole and its parts, as they were weighted."""

    total: float
    parts: dict[Part, float]


def reward(facts: Facts, weights: RewardWeights) -> Reward:
    """Return what an answer is worth: from 0 for an unreadable one; below that for a cheat, whatever else it reached.

    Speed pays for correct answers only: the share of the roofline, at most 1. A hollow answer is paid for its form.
    """
    if facts.cheat:
        return Reward(total=-weights.cheat, parts=dict.fromkeys(PARTS, 0.0))
    if facts.hollow:
        facts = Facts(format=facts.format)
    speed = min(1.0, facts.roofline_share or 0.0) if facts.correct else 0.0
    reached: dict[Part, float] = {
        "format": float(facts.format), "compile": float(facts.compiles), "silent": float(facts.silent),
        "share": facts.share, "correct": float(facts.correct), "speed": speed,
    }  # fmt: skip
    parts = {part: value * getattr(weights, part) for part, value in reached.items()}
    return Reward(total=sum(parts.values()), parts=parts)


def facts_of_program(found: CheapVerdict) -> Facts:
    """Return what the interpreter found; a program that fits is taken to compile, and has no checks to fire."""
    return Facts(
        format=found.parsed, compiles=found.fits, silent=found.fits, share=found.share,
        correct=found.outcome is Outcome.CORRECT, hollow=found.hollow,
    )  # fmt: skip


def facts_of_verdict(verdict: Verdict, shown: Collection[str] = ()) -> Facts:
    """Return what the judge's own process found; `shown` are the cases that the prompt names.

    The share is that of the other cases, where there are any: what is right on shapes that it was told is not half
    right, and neither is what leaves out its work on large ones. What the judge says of numbers is no check that fired.
    """
    ran = verdict.outcome not in (
        Outcome.COMPILE_ERROR, Outcome.NO_CODE, Outcome.PLAN_REJECTED, Outcome.UNSUPPORTED, Outcome.BUDGET,
    )  # fmt: skip
    hidden = [case for case in verdict.cases if case.id not in shown]
    counted = hidden or verdict.cases
    right = [case for case in counted if case.outcome is Outcome.CORRECT]
    correct = verdict.outcome is Outcome.CORRECT
    slowest = verdict.slowest
    return Facts(
        format=verdict.outcome is not Outcome.NO_CODE, compiles=ran,
        silent=ran and verdict.outcome is not Outcome.TRAP and not {d.code for d in verdict.findings} - _OF_NUMBERS,
        share=len(right) / len(counted) if counted and not any(map(_left_out, verdict.cases)) else 0.0,
        correct=correct,
        roofline_share=slowest.roofline_share if slowest and correct else None,
        hollow=bool(verdict.cases) and not right and _hollow(verdict.cases),
        cheat=verdict.outcome is Outcome.CHEAT,
    )  # fmt: skip


def _hollow(cases: Sequence[CaseVerdict]) -> bool:
    """Say whether a kernel that is right on nothing hidden is right on something shown, or computes nowhere."""
    if any(case.outcome is Outcome.CORRECT for case in cases):
        return True
    return all(map(_left_out, cases))


def _left_out(case: CaseVerdict) -> bool:
    """Say whether elements were not written, or not computed."""
    found = case.mismatch
    return found is not None and (
        found.one_value or found.pattern in _NOTHING_WRITTEN or found.cause in _NOT_COMPUTED
    )


def spread(rewards: Sequence[float]) -> bool:
    """Say whether a group's rewards differ, so that there is something to learn from it."""
    return max(rewards) - min(rewards) > 1e-9
