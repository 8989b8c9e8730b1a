"""A reward in parts that are kept apart; what the judge calls a cheat is worth less than any honest failure."""

from collections.abc import Sequence
from typing import Literal

from pydantic import Field

from akgen.finetune.training.environment import CheapVerdict
from akgen.tools.core.frozen import Frozen
from akgen.tools.core.outcome import Outcome
from akgen.tools.core.verdict import Verdict

Part = Literal["format", "compile", "silent", "share", "correct", "speed"]
PARTS: tuple[Part, ...] = ("format", "compile", "silent", "share", "correct", "speed")


class Facts(Frozen):
    """What was found out about an answer. `roofline_share` is the least possible time over the kernel's own."""

    format: bool = False  # a program, or files, could be read
    compiles: bool = False
    silent: bool = False  # no check fired
    share: float = Field(default=0.0, ge=0, le=1)  # of cases that are right
    correct: bool = False
    roofline_share: float | None = Field(default=None, ge=0)
    cheat: bool = False


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

    Speed pays for correct answers only: the share of the roofline, at most 1.
    """
    if facts.cheat:
        return Reward(total=-weights.cheat, parts=dict.fromkeys(PARTS, 0.0))
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
        correct=found.outcome is Outcome.CORRECT,
    )  # fmt: skip


def facts_of_verdict(verdict: Verdict, *, roofline_us: float | None = None) -> Facts:
    """Return what the judge's own process found. `roofline_us` is the least time that the task's cases need."""
    right = [c for c in verdict.cases if c.outcome is Outcome.CORRECT]
    ran = verdict.outcome not in (
        Outcome.COMPILE_ERROR, Outcome.NO_CODE, Outcome.PLAN_REJECTED, Outcome.UNSUPPORTED, Outcome.BUDGET,
    )  # fmt: skip
    correct = verdict.outcome is Outcome.CORRECT
    time_us = verdict.mean_us(correct=True) if correct else None
    return Facts(
        format=verdict.outcome is not Outcome.NO_CODE, compiles=ran,
        silent=ran and verdict.outcome is not Outcome.TRAP and not verdict.diagnostics,
        share=len(right) / len(verdict.cases) if verdict.cases else 0.0, correct=correct,
        roofline_share=roofline_us / time_us if roofline_us and time_us else None,
        cheat=verdict.outcome is Outcome.CHEAT,
    )  # fmt: skip


def spread(rewards: Sequence[float]) -> bool:
    """Say whether a group's rewards differ, so that there is something to learn from it."""
    return max(rewards) - min(rewards) > 1e-9
