"""Read two operators of one tensor whose results are both wanted: "mean and std, two outputs", "sin 和 cos 一起算"."""

import re

from akgen.agents.requests.formula import read_formula
from akgen.agents.requests.marks import Mark, MarkedText, words
from akgen.agents.requests.needs import tensors_of
from akgen.agents.requests.request import ChainStep
from akgen.knowledge.operators import operator_named

_JOINED = re.compile(
    r"\s*(?:\x00|and|plus|&|\+|,|和|与|及|以及|、|the|also|its?|的|(?:un)?biased|population|sample|standard|总体|无偏|有偏)*"
    r"(?:\s|\x00|and|the|(?:un)?biased|population|sample)*"
)
_TWO = 2
_FIRST = re.compile(r" ?(?:is |comes |goes |as the |的?在?)?(?:first(?: output)?|前(?:面)?)(?![a-z])")


def take_both(text: MarkedText) -> None:
    """Mark two operators, of which the text wants both results, as a formula with two results."""
    named = [m for m in text.sorted() if m.kind == "operator"]
    named = _without_order(text, named)
    first = next((m for m in named[_TWO:] if _FIRST.match(text.text, m.end)), None)
    if first is not None and len(named) == _TWO + 1:
        named.remove(first)
    if len(named) != _TWO or not all(isinstance(m.value, str) for m in named):
        return
    left, right = named
    between = text.text[left.end : right.begin]
    if left.value == right.value or not between.strip() or not _JOINED.fullmatch(between):
        return
    order = [m for m in text.marks if m.kind == "filler" and m.value == "order"]
    behind = (
        text.text[right.end : order[0].begin] + text.text[order[0].end :] if order else text.text[right.end :]
    )
    around = f"{text.text[: left.begin]} {behind}"
    if re.search(words()["both"]["wanted"], around) is None or re.search(words()["both"]["other"], around):
        return
    bodies = [_of_x(m.value) for m in named]
    if None in bodies or (first is not None and first.value not in (left.value, right.value)):
        return
    if first is not None:
        text.unmark(first)
        text.mark(first.begin, _FIRST.match(text.text, first.end).end(), "filler")  # type: ignore[union-attr]
        if first.value == right.value:
            bodies.reverse()
    for mark in named:
        text.unmark(mark)
    step = ChainStep(operator="formula", formula=f"({bodies[0]}, {bodies[1]})", variables=("x",))
    text.mark(left.begin, left.end, "operator", step)
    joint = re.match(r"\s*(?:and|plus|&|\+|,|和|与|及|以及|、)?(?: the)?", between)
    text.mark(left.end, left.end + (joint.end() if joint else 0), "filler")
    text.mark(right.begin, right.end, "filler")
    text.take(re.compile(words()["both"]["wanted"]), "filler")


def _without_order(text: MarkedText, named: list[Mark]) -> list[Mark]:
    """Take "variance first, then mean", "先方差后均值" of the two operators that are named before it.

    They change places where that is another order.
    """
    values = [m.value for m in named]
    if len(named) != _TWO + _TWO or not all(isinstance(v, str) for v in values):
        return named
    if {*values[:_TWO]} != {*values[_TWO:]} or not re.search(words()["both"]["wanted"], text.text):
        return named
    one, other = named[_TWO:]
    between = text.text[one.end : other.begin]
    chinese = text.text[: one.begin].rstrip().endswith("先") and re.fullmatch(
        r"\s*[,，]?\s*[后再]\s*", between
    )
    english = re.fullmatch(r" (?:(?:comes |goes )?first,? )?(?:and )?(?:then )?(?:the )?", between)
    if not chinese and not english:
        return named
    begin = text.text.rindex("先", 0, one.begin) if chinese else one.begin
    for mark in (one, other):
        text.unmark(mark)
    text.mark(begin, other.end, "filler", "order")
    if one.value == named[0].value:
        return named[:_TWO]
    for mark, value in zip(named[:_TWO], (one.value, other.value), strict=True):
        text.unmark(mark)
        text.mark(mark.begin, mark.end, "operator", value)
    return [m for m in text.sorted() if m.kind == "operator"]


def _of_x(name: str) -> str | None:
    """Return the operator on x as a formula; None of one that takes more than a tensor, or needs attributes."""
    name = {"max": "amax", "min": "amin", "maximum": "amax", "minimum": "amin"}.get(name, name)
    entry = operator_named(name)
    if entry is None or entry.source is not None or entry.needs or tensors_of(ChainStep(operator=name)) != 1:
        return None
    step = read_formula(f"{name}(x)")
    return step.formula if step is not None else None
