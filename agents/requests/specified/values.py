"""Read what a specification promises of its inputs: "ids in 0..99", "t2 is within [0.5, 2]", "values are unique".

Ranges say what inputs are drawn from; the rest says nothing of what is computed.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

from akgen.agents.requests.specified.layout import SpecifiedText, said_words
from akgen.agents.requests.specified.tensors import NAME, SpecifiedTensor

_LEAD = r"(?:(?<=[\s,，;；.。:：(（])|(?<=[\])]))"
_END = r"(?=\s*(?:[,，;；.。:：)）\n]|\Z|so(?![A-Za-z]))|(?<=[)\]]))"
_MOST_BEHIND = 48


class Range(NamedTuple):
    """Between which numbers a tensor's values lie, both included."""

    low: float
    high: float
    two: bool = False  # one of them alone


def take_promises(layout: SpecifiedText, tensors: list[SpecifiedTensor]) -> dict[str, Range]:
    """Mark what is promised of inputs, and return the ranges of the tensors that have one."""
    said = said_words()
    ranges: dict[str, Range] = {}
    places = {t.name: t.end for t in reversed(tensors)}
    for match in _free(
        layout, rf"{_LEAD}(?:(?P<of>{NAME})(?: ?(?:is|are|has|holds|里|的) ?)? ?)?{said['binary']}{_END}"
    ):
        name = match["of"] if match["of"] in places else _nearest(tensors, match.start())
        if name is not None:
            ranges[name] = Range(0.0, 1.0, two=True)
            layout.take(*match.span())
    for match in _free(layout, rf"{_LEAD}(?:(?P<of>{NAME})(?:'s)? ?(?:的 ?)?)?{said['range']}{_END}"):
        name = match["of"] if match["of"] in places else _nearest(tensors, match.start())
        if name is None or not _is_range(match):
            continue
        ranges[name] = Range(
            float(match["low"]), float(match["high"]) - (match["close"] == ")" and _whole(match))
        )
        layout.take(*match.span())
    for pattern in said["promises"]:
        for match in _free(layout, rf"{_LEAD}(?:(?P<of>{NAME})(?: ?里)? )?(?:{pattern}){_END}"):
            if (
                match["of"] is None
                or match["of"] in places
                or match["of"].lower() in ("values", "all", "slots", "with")
            ):
                layout.take(*match.span())
    for match in _free(layout, rf"{_LEAD}{said['relation']}{_END}"):
        layout.take(*match.span())
    return ranges


def take_remarks_on(layout: SpecifiedText, tensors: list[SpecifiedTensor]) -> None:
    """Mark remarks in parentheses on what a tensor is: "y (the softmax output)", "x (B, S, D)"."""
    for pattern in said_words()["remarks"]:
        for match in _free(layout, pattern):
            if _nearest(tensors, match.start()) is not None:
                layout.take(*match.span())


def _free(layout: SpecifiedText, pattern: str) -> Iterator[re.Match[str]]:
    yield from layout.matches(re.compile(pattern, re.I))


def _nearest(tensors: list[SpecifiedTensor], at: int) -> str | None:
    """Return the tensor that is told right before a place."""
    before = [t for t in tensors if t.end <= at and at - t.end < _MOST_BEHIND]
    return max(before, key=lambda t: t.end).name if before else None


def _is_range(match: re.Match[str]) -> bool:
    return float(match["low"]) < float(match["high"])


def _whole(match: re.Match[str]) -> bool:
    """Say whether a range is one of whole numbers, of which "[0, 100)" leaves out the last."""
    return "." not in match["low"] + match["high"]
