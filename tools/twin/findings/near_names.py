"""The existing name that is nearest to a wrong one."""

import difflib
import re
from collections.abc import Iterable
from functools import cache

from akgen.knowledge.cards import cards

# Words that other libraries use for what Ascend C calls otherwise; an empty one adds nothing.
_WORDS = {
    "vec": "", "vector": "", "tensor": "", "elementwise": "", "elemwise": "", "scalar": "s", "multiply": "mul",
    "divide": "div", "subtract": "sub", "addition": "add", "maximum": "max", "minimum": "min", "index": "idx",
    "logarithm": "ln", "exponential": "exp", "release": "free", "enqueue": "enque", "dequeue": "deque",
    "half": "float16", "fp": "float", "bfloat": "bf", "ok": "success", "fail": "failed", "error": "failed",
    "cmp": "compare", "dup": "duplicate", "convert": "cast", "event": "flag",
    "nearest": "rint", "truncate": "trunc", "extend": "ext", "extended": "ext", "buf": "buffer", "addr": "buffer",
}  # fmt: skip
_PART = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
CLOSE = 0.6
# What others call it, where no letters tell.
_OTHERS = {
    "GetElementNum": "GetShapeSize", "GetNumElements": "GetShapeSize", "NumElements": "GetShapeSize",
    "GetBlockDim": "GetBlockNum", "PipeSync": "PipeBarrier",
    "GetVectorCoreNum": "GetCoreNumAiv", "GetCubeCoreNum": "GetCoreNumAic", "GetDims": "GetDimNum",
    "LESS": "LT", "GREATER": "GT", "LESS_EQUAL": "LE", "GREATER_EQUAL": "GE", "EQUAL": "EQ", "NOT_EQUAL": "NE",
    "CompareMode": "CMPMODE", "CmpMode": "CMPMODE", "SelectMode": "SELMODE", "SelMode": "SELMODE",
}  # fmt: skip


def closest(name: str, among: Iterable[str], least: float = CLOSE) -> str | None:
    """Return the existing name that comes nearest to a wrong one; None if none is as near as `least` of 1."""
    among = set(among)
    if _OTHERS.get(name) in among:
        return _OTHERS[name]
    usual = _usual(name)
    best, best_score = None, least
    for candidate in sorted(among):
        if candidate == name:
            continue
        other = candidate.lower()
        score = max(
            _likeness(name.lower(), other), _likeness(usual, other), _likeness(usual, _usual(candidate))
        )
        score = max(score, _REORDERED * _likeness(_sorted(name), _sorted(candidate)))
        if _parts(name) < _parts(candidate) and len(_parts(name)) > 1:
            score += _WORD_LEFT_OUT
        score += 0.1 * (candidate in _usual_names())
        if score > best_score:
            best, best_score = candidate, score
    return best


_REORDERED = 0.95  # the same words in another order, against the same letters in their order


_WORD_LEFT_OUT = 0.1  # SetBuffer for SetGlobalBuffer


def _parts(name: str) -> frozenset[str]:
    return frozenset(p.lower() for p in _PART.findall(name))


def _sorted(name: str) -> str:
    return "".join(sorted(p.lower() for p in _PART.findall(name)))


def _likeness(name: str, other: str) -> float:
    if name == other:
        return 1.0
    alike = difflib.SequenceMatcher(None, name, other).ratio()
    longest = max(len(name), len(other))
    # Short for it, or long for it: as near as a name with a few letters wrong.
    short, long = sorted((name, other), key=len)
    shortened = (len(short) >= 3 and long.startswith(short)) or (
        len(short) >= 2 and long.endswith("_" + short)
    )
    return max(alike, CLOSE + 0.01 + 0.2 * min(len(name), len(other)) / longest) if shortened else alike


def _usual(name: str) -> str:
    """Return the name in Ascend C's words: MulScalar as muls, ReduceAdd as reducesum."""
    parts = [p.lower() for p in _PART.findall(name)]
    if len(parts) > 1 and "reduce" in parts:
        parts = ["sum" if p in ("add", "plus") else p for p in parts]
    return "".join(_WORDS.get(p, p) for p in parts)


@cache
def _usual_names() -> frozenset[str]:
    """Return the names that stand in the cards' signatures: what kernels use most."""
    return frozenset(
        word
        for card in cards().values()
        if card.is_call
        for s in card.signatures
        for word in re.findall(r"\w+", s)
    )
