"""Ask where a follow-up may say more than what was taken of it: "dim 1 as well", a bare number that became a shape."""

import re

from akgen.agents.requests.follow_up_words import pattern
from akgen.agents.requests.request import Request

_COMMON = {"all", "any", "where"}  # operators whose names are words of any sentence: "all of it"
_AXES = ("dim", "dims", "dim0", "dim1")


def doubtful(text: str, request: Request, known: Request) -> bool:
    """Say whether a request that was made of a text and of what is known is hardly what the person means."""
    if known.empty or request == known:
        return False
    cases = [(len(r.shapes), len(r.dtypes)) for r in (request, known)]
    if cases[0] == cases[1] and pattern("one more case").search(text) is not None:
        return True  # "再支持一个 shape" is one more, and not another one
    fresh = {s.operator for s in request.steps} - {s.operator for s in known.steps}
    if fresh and fresh <= _COMMON and re.search(r"(?<![a-z])(?:all|any) of|where it", text, re.I):
        return True
    return _shrinks(text, request, known) or _moves(text, request, known) or _of_both(text, known)


def _shrinks(text: str, request: Request, known: Request) -> bool:
    """Say whether a number in passing became the shape: "divide the logits by 8 before it" of a matrix."""
    before = {len(s) for case in known.shapes for s in case}
    now = [s for case in request.shapes for s in case]
    bare = bool(now) and all(len(s) == 1 for s in now) and bool(before) and min(before) > 1
    return bare and pattern("told as a vector").search(text) is None


def _moves(text: str, request: Request, known: Request) -> bool:
    """Say whether "dim 1 as well" took the place of the axis that was told before."""
    pairs = list(zip(request.steps, known.steps, strict=False))
    alike = len(request.steps) == len(known.steps) and all(a.operator == b.operator for a, b in pairs)
    if not alike or pattern("as well").search(text) is None:
        return False
    for now, then in pairs:
        for name in _AXES:
            old, new = (_axes(s.attributes.get(name)) for s in (then, now))
            if old and new and not old <= new:
                return True
    return False


def _axes(value: object) -> set[object]:
    return {*value} if isinstance(value, tuple) else set() if value is None else {value}


def _of_both(text: str, known: Request) -> bool:
    """Say whether a text speaks of two tensors as of one: "average of the two"."""
    return (
        len(known.steps[:1]) == 1
        and len(known.steps[0].variables) > 1
        and bool(
            re.search(
                r"(?<![a-z])of (?:the two|both|the both|them)(?![a-z])|(?:两者|两个|它们)的", text, re.I
            )
        )
    )
