"""Write the values that a follow-up keeps or goes back to by name: "same window", "eps 不变", "the old slope"."""

import ast
import re
from collections.abc import Iterator

from akgen.agents.requests.follow_up_words import follow_up_words, pattern, patterns
from akgen.agents.requests.places import aliases
from akgen.agents.requests.request import ChainStep, Request
from akgen.agents.requests.revision_words import plainly
from akgen.knowledge.operators import Value

_AND = re.compile(r"\s*(?:,|/|&|、|和|与|(?<![a-z])and(?![a-z]))\s*")
_FIRST = ("first", "original", "initial", "最初", "最开始", "原来", "原先", "一开始", "第一个")
_BARE_KEEP = re.compile(
    r"(?:and |but )*keep (?:the )?(?:reduced )?(?:dims?|dimensions?|axis|axes|rank)(?: please)?", re.I
)


def kept_values(part: str, known: Request) -> str | None:
    """Return a clause that keeps attributes with the values that they have; None where one has none, or of another."""
    said = plainly(part)
    if _BARE_KEEP.fullmatch(said):
        return None  # of a reduction's result
    for form in patterns("kept"):
        if (match := form.fullmatch(said)) is None:
            continue
        written: list[str] = []
        for name in _AND.split(match["names"].strip().lower()):
            if pattern("always kept").fullmatch(name):
                continue
            values = _values(name, known)
            if not values:
                return None
            written += [f"{own}={_written(value)}" for own, value in values.items()]
        return ", ".join(dict.fromkeys(written))
    return None


def gone_back(part: str, known: Request) -> str | None:
    """Return "back to the first slope" with the value that it had; None where more than one may be meant."""
    match = pattern("gone back").fullmatch(plainly(part))
    said = {n.rstrip("23"): v for n, v in match.groupdict().items() if v} if match is not None else {}
    if "name" not in said:
        return None
    history = [_values(said["name"].lower().strip(), r) for r in (*known.earlier, known)]
    told = [values for values in history if len(values) == 1]
    if not told or len({*map(tuple, told)}) > 1:
        return None
    (name,) = told[0]
    had: list[Value] = [values[name] for values in told]
    now = had[-1]
    others = [v for v in dict.fromkeys(had) if v != now]
    if said["which"].lower() in _FIRST:
        return f"{name}={_written(had[0])}"
    return f"{name}={_written(others[0])}" if len(others) == 1 else None


def _values(name: str, known: Request) -> dict[str, Value]:
    """Return the attributes that a name means with the values that they have; none where two steps differ in one."""
    wanted = follow_up_words()["groups of names"].get(name) or [*aliases(name), name.replace(" ", "_")]
    found: dict[str, Value] = {}
    for own, value in _attributes(known):
        if own in wanted and found.setdefault(own, value) != value:
            return {}
    return found


def _attributes(known: Request) -> Iterator[tuple[str, Value]]:
    for step in known.steps:
        yield from values_of(step)


def values_of(step: ChainStep) -> Iterator[tuple[str, Value]]:
    """Yield the values that a step is told, also those within a formula, by their names."""
    yield from step.attributes.items()
    for node in ast.walk(ast.parse(step.formula or "0", mode="eval")):
        if isinstance(node, ast.keyword) and node.arg is not None:
            try:
                yield node.arg, ast.literal_eval(node.value)
            except ValueError:
                continue


def _written(value: Value) -> str:
    return str(list(value)) if isinstance(value, tuple) else str(value)
