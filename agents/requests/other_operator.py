"""Write another operator in the place of one that is known by its full name: "max rather than avg" of a pooling.

"make it leaky" of a relu becomes "leaky_relu instead", "换成异或" of a bitwise and "改成 bitwise_xor", "use tanh for
the gate" of x * sigmoid(g) "use tanh instead of sigmoid". What a short word means is told by the operator that it
replaces.
"""

import re
from functools import cache

from akgen.agents.requests.changes import EQUATION
from akgen.agents.requests.follow_up_words import clauses, follow_up_words, pattern, patterns, plainly
from akgen.agents.requests.remembered import operators_of
from akgen.agents.requests.request import Request
from akgen.knowledge.operators import find_operators, operator_named

_ALIKE = ("reduction", "softmax", "scan", "pooling", "loss", "activation", "normalization", "comparison")
_INSTEAD = re.compile(r"(?<![a-z])(?:instead|rather|actually)(?![a-z])", re.I)
_VALUE = re.compile(
    r"[,，]? ?(?:with|and|at|用|带|取)(?: an?)? (?P<value>[a-z_ ]*[= ]?-?\d[\d.e-]*)\Z", re.I
)  # "with slope 0.2"


def with_other_operator(text: str, known: Request) -> str:
    """Return a follow-up with the clause that names another operator in words that all readers know."""
    parts = clauses(text)
    if any(EQUATION.fullmatch(plainly(part)) for part in parts):
        return text
    for at, part in enumerate(parts):
        told = _told(part)
        if told is None:
            continue
        new, old, verb = told
        beside = None
        for other in (parts[at + 1 : at + 2], parts[at - 1 : at] if at else []) if not old else ():
            if other and (denied := pattern("not the old operator").fullmatch(plainly(other[0]))) is not None:
                beside, old = other[0], next(g for g in denied.groups() if g)
                break
        if not (old or verb or _INSTEAD.search(part)):
            continue
        found = _exchange(new, old, known)
        if found is None:
            continue
        if beside is not None:
            joint = re.escape(beside)
            text = re.sub(
                rf"[\s,，;；]*{joint}" if parts.index(beside) > at else rf"{joint}[\s,，;；]*",
                "",
                text,
                count=1,
            )
        told_too = _VALUE.search(plainly(part))
        more = f", {told_too['value']}" if told_too is not None else ""
        return text.replace(part, _written(found, known, chinese=not part.isascii()) + more, 1)
    return text


def _told(part: str) -> tuple[str, str, bool] | None:
    """Return the name of the new operator and of the old one, and whether a verb says that it is one."""
    said = _VALUE.sub("", plainly(part))
    for form in patterns("other operator"):
        if (match := form.fullmatch(said)) is not None:
            found = {n.rstrip("0123456789"): v.strip() for n, v in match.groupdict().items() if v}
            return found["new"], found.get("old", ""), "verb" in found
    return None


def _exchange(new: str, old: str, known: Request) -> tuple[str, str] | None:
    """Return the operator that a word means in the place of a known one, and that one; None of several."""
    pairs = [
        (name, operator)
        for operator in sorted(operators_of(known))
        if (name := _meant(new, operator)) is not None
        and name != operator
        and (not old or _meant(old, operator) == operator)
    ]
    return pairs[0] if len(pairs) == 1 else None


def _meant(word: str, operator: str) -> str | None:
    """Return the operator of the kind of a known one that a word means."""
    word = re.sub(r"\([a-z]\w*\)", "", word.lower()).strip()
    for names, words in _families():
        match = names.fullmatch(operator)
        for stem, said in words if match is not None else ():
            if said.fullmatch(word):
                return f"{operator[: match.start('stem')]}{stem}{operator[match.end('stem') :]}"  # type: ignore[union-attr]
    named = find_operators(word)
    if len(named) != 1 or (named[0].begin, named[0].end) != (0, len(word)):
        return None
    kinds = [e.category for n in (operator, named[0].operator) if (e := operator_named(n)) is not None]
    alike = len(kinds) == 2 and kinds[0] == kinds[1] and kinds[0] in _ALIKE
    return named[0].operator if alike or named[0].operator == operator else None


def _written(found: tuple[str, str], known: Request, *, chinese: bool) -> str:
    new, old = found
    if len(known.steps) == 1 and known.steps[0].formula is None:
        return f"改成 {new}" if chinese else f"{new} instead"
    return f"把 {old} 换成 {new}" if chinese else f"use {new} instead of {old}"


@cache
def _families() -> tuple[tuple[re.Pattern[str], tuple[tuple[str, re.Pattern[str]], ...]], ...]:
    return tuple(
        (re.compile(names), tuple((stem, re.compile(said)) for stem, said in words.items()))
        for names, words in follow_up_words()["families"]
    )
