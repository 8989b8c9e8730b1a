"""Ask where a text names an operator twice and may mean it once: for its axis, for its place, or to say it again."""

import itertools
import re
from collections import Counter
from collections.abc import Iterator

from akgen.agents.requests.marks import MarkedText
from akgen.agents.requests.request import ChainStep, Request
from akgen.knowledge.operators import operator_named

SELDOM_TWICE = frozenset(["activation", "softmax", "normalization"])  # kinds of operators in one chain
_AGAIN = re.compile(
    r"(?<![a-z\d.])(?:then|twice|again|two|three|2|3|times|after|followed|another|second|both|more|once)(?![a-z\d.])"
    r"|->|→|=>|[+|]|再|两|二|然后|接|次|遍|后"
)
_TWICE = re.compile(r"(?<![a-z])(?:twice|two times|2 times|2x)(?![a-z])|两[次遍]|二次")
_JUST_BEFORE = 16  # characters in front of a name, where it is said that it comes again
_PLACE_OF = re.compile(  # in front of the operator behind or before which something goes
    r"(?<![a-z])(?:before|after|prior to|ahead of|behind|in front of|following|between)(?: the| that| this)?\s*\Z"
)
_PLACED = re.compile(r"\s*的?(?:之前|之后|以前|以后|前面?|后面?)")
_DEFINES = re.compile(r"[:：]\s*(?:[a-z_]\w*(?:\([a-z_, ]*\))?\s*=\s*)?\Z")


def said_twice(text: MarkedText, request: Request, known: Request) -> bool:
    """Say whether what a text names twice would be computed twice, where the one mention may stand for the other."""
    return (
        any(_repeated(text, request, known))
        or any(_defined_twice(text, request))
        or any(_twice_alike(text, request, known))
        or _in_a_row_twice(text, request)
        or _for_its_axis(text, request)
        or _also_a_tensor(request)
    )


def _also_a_tensor(request: Request) -> bool:
    """Say whether an operator of a chain would be a tensor of it, too: "var + mean", of the same tensor."""
    tensors = {name for s in request.steps for name in s.variables}
    return any(s.formula is None and s.operator in tensors for s in request.steps)


def _for_its_axis(text: MarkedText, request: Request) -> bool:
    """Say whether the last step reduces as a step before does: "subtract the maximum, exp, max along dim -1"."""
    if not request.steps[1:]:
        return False
    last = request.steps[-1]
    entry = operator_named(last.operator) if last.formula is None else None
    if entry is None or entry.category != "reduction":
        return False
    name = last.operator.removeprefix("a")  # amax
    inside = any(
        f"{name}(" in (s.formula or "") or f"own_{name}" in s.operator.replace("own_a", "own_")
        for s in request.steps[:-1]
    )
    told = [m for m in text.sorted() if m.kind == "operator" and m.value in (last.operator, last)]
    before = text.text[: told[-1].begin] if told else ""
    return inside and _AGAIN.search(before[-_JUST_BEFORE:]) is None


def _in_a_row_twice(text: MarkedText, request: Request) -> bool:
    """Say whether several operators would be computed, and then the same again: "var + mean, gives (var, mean)"."""
    names = [s.formula or s.operator for s in request.steps]
    runs = (
        names[at : at + 2 * n] for n in range(2, len(names) // 2 + 1) for at in range(len(names) - 2 * n + 1)
    )
    return any(r[: len(r) // 2] == r[len(r) // 2 :] and len({*r}) > 1 for r in runs) and not _TWICE.search(
        text.text
    )


def _twice_alike(text: MarkedText, request: Request, known: Request) -> Iterator[str]:
    """Yield an activation that would be computed of itself, where nothing says that it comes again."""
    named = {s.operator for s in known.steps}
    for left, right in itertools.pairwise(request.steps):
        entry = operator_named(left.operator) if left.formula is None else None
        if entry is None or left.operator != right.operator or left.operator in named:
            continue
        told = [m for m in text.sorted() if m.kind == "operator" and m.value in (left.operator, left)]
        between = text.text[told[-2].end : told[-1].begin] if len(told) > 1 else text.text
        again = _AGAIN.search(between[-_JUST_BEFORE:].replace("both", "")) or _TWICE.search(text.text)
        if entry.category in ("activation", "softmax", "normalization") and not again:
            yield left.operator


def _repeated(text: MarkedText, request: Request, known: Request) -> Iterator[str]:
    """Yield an operator of the known chain that only says where a step goes, where it would be computed once more."""
    before, after = (Counter(s.operator for s in r.steps if s.formula is None) for r in (known, request))
    for mark in text.sorted():
        name = mark.value.operator if isinstance(mark.value, ChainStep) else mark.value
        if mark.kind != "operator" or not after[name] > before[name] > 0:
            continue
        if _PLACE_OF.search(text.text[: mark.begin]) or _PLACED.match(text.text[mark.end :]):
            yield text.text[mark.begin : mark.end]


def _defined_twice(text: MarkedText, request: Request) -> Iterator[str]:
    """Yield an operator in front of a colon whose equation would be computed behind it: "quantise …: q = round(…)"."""
    steps = [m for m in text.sorted() if m.kind == "operator"]
    for left, right in itertools.pairwise(steps):
        formula = right.value.formula if isinstance(right.value, ChainStep) else None
        headed = _DEFINES.search(text.text[left.end : right.begin])
        if (
            formula
            and headed
            and len(request.steps) > 1
            and any(s.formula == formula for s in request.steps[1:])
        ):
            yield text.text[left.begin : left.end]
