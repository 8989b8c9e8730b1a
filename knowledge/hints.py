"""What outcomes, mismatch patterns and bottlenecks mean, and what helps: the critic's rules as data."""

import json
from functools import cache
from importlib.resources import files
from typing import Any

from pydantic import BaseModel, ConfigDict


class MismatchHint(BaseModel):
    """What a mismatch pattern points at."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    meaning: str
    remedy: str


class BottleneckRule(BaseModel):
    """When a timeline looks like this, that advice applies. Every condition that is given must hold.

    Shares are fractions of the kernel's duration. `advice` is a format string over `roofline`, `imbalance`, `busy`
    and `stalled`; the last two are those of `pipe`.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    id: str
    change: str | None = None  # what it advises, as a timeline's predictions name it
    bound: tuple[str, ...] = ()  # any of these
    roofline_below: float | None = None
    pipe: str | None = None
    busy_above: float | None = None
    stalled_above: float | None = None
    advice: str


class ChangeHint(BaseModel):
    """What a simulated change of a kernel is called, and how it is made."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    change: str
    name: str
    advice: str


def _load(name: str) -> Any:
    return json.loads(files("akgen.knowledge").joinpath("data", name).read_text())


@cache
def mismatch_hints() -> dict[str, MismatchHint]:
    return {p: MismatchHint.model_validate(h) for p, h in _load("mismatch_hints.json").items()}


@cache
def bottleneck_rules() -> tuple[BottleneckRule, ...]:
    return tuple(BottleneckRule.model_validate(rule) for rule in _load("bottlenecks.json"))


@cache
def change_hints() -> dict[str, ChangeHint]:
    hints = (ChangeHint.model_validate(hint) for hint in _load("changes.json"))
    return {hint.change: hint for hint in hints}


@cache
def outcome_meanings() -> dict[str, str]:
    meanings: dict[str, str] = _load("outcomes.json")
    return meanings
