"""What outcomes, mismatch patterns and bottlenecks mean, and what helps: the critic's rules as data."""

from functools import cache

from akgen.knowledge.data_files import KnowledgeFact, read_json


class MismatchHint(KnowledgeFact):
    """What a mismatch pattern, or the cause of a mismatch, points at."""

    meaning: str
    remedy: str


class BottleneckRule(KnowledgeFact):
    """When a timeline looks like this, that advice applies. Every condition that is given must hold.

    Shares are fractions of the kernel's duration. `advice` is a format string over `roofline`, `imbalance`, `busy`
    and `stalled`; the last two are those of `pipe`.
    """

    id: str
    change: str | None = None  # what it advises, as a timeline's predictions name it
    bound: tuple[str, ...] = ()  # any of these
    roofline_below: float | None = None
    pipe: str | None = None
    busy_above: float | None = None
    stalled_above: float | None = None
    advice: str


class ChangeHint(KnowledgeFact):
    """What a simulated change of a kernel is called, and how it is made."""

    change: str
    name: str
    advice: str


@cache
def mismatch_hints() -> dict[str, MismatchHint]:
    return {p: MismatchHint.model_validate(h) for p, h in read_json("mismatch_hints.json").items()}


@cache
def cause_hints() -> dict[str, MismatchHint]:
    """Return what each cause of a mismatch means; a pattern that is the cause (a tail) has its own hint."""
    named = {c: MismatchHint.model_validate(h) for c, h in read_json("mismatch_causes.json").items()}
    return {**{p: mismatch_hints()[p] for p in ("tail", "row", "block_edge")}, **named}


def hint_of(pattern: str, cause: str | None) -> MismatchHint:
    """Return the hint of a cause, or of the pattern where none is known."""
    return cause_hints().get(cause or "") or mismatch_hints()[pattern]


@cache
def bottleneck_rules() -> tuple[BottleneckRule, ...]:
    return tuple(BottleneckRule.model_validate(rule) for rule in read_json("bottlenecks.json"))


@cache
def change_hints() -> dict[str, ChangeHint]:
    hints = (ChangeHint.model_validate(hint) for hint in read_json("changes.json"))
    return {hint.change: hint for hint in hints}


@cache
def outcome_meanings() -> dict[str, str]:
    meanings: dict[str, str] = read_json("outcomes.json")
    return meanings
