"""Remember what a conversation said and what was known before, so that a turn can be taken back.

"undo that", "revert", "撤销" return what was known before the last turn; "back to softmax" returns the steps of the
last request that had it.
"""

import re
from functools import cache
from typing import NamedTuple

from akgen.agents.requests.follow_up_words import clauses, pattern
from akgen.agents.requests.formula import operations_of
from akgen.agents.requests.marks import words
from akgen.agents.requests.request import Request
from akgen.knowledge.operators import find_operators

_MOST = 8  # turns that can be taken back


class TakenBack(NamedTuple):
    """What is known after a turn was taken back, and what the text says beside that."""

    request: Request
    rest: str


def remembered(request: Request, known: Request, said: tuple[str, ...]) -> Request:
    """Return a new request with the turns that say it and what was known before."""
    before = () if known.empty else (known.model_copy(update={"earlier": ()}),)
    return request.model_copy(update={"said": said, "earlier": (*known.earlier, *before)[-_MOST:]})


def taken_back(text: str, known: Request) -> TakenBack | None:
    """Return an earlier request that a text asks for; None if it asks for none."""
    found = _pattern("undo").match(_without_reason(text))
    request, rest = known, text
    if (
        found is None
        and (same := pattern("same shapes").fullmatch(text.strip(" .。!！")))
        and _unequal(known)
    ):
        found = same
    if found is not None and known.earlier:
        request, rest = _before(known), found.string[found.end() :].strip(" ,.;，。；!！")
    if (named := _pattern("back to").match(rest)) is not None and (known.earlier or request is not known):
        back = _with_operator(named["what"], request)
        if back is not None:
            return TakenBack(back, rest[named.end() :].strip(" ,.;，。；!！"))
    return TakenBack(request, rest) if request is not known else None


def _without_reason(text: str) -> str:
    """Return the last clause of a text where it takes back, and those before it only say why: "too slow, undo that"."""
    *before, last = clauses(text) or [text]
    says_more = any(find_operators(part.lower()) or re.search(r"\d", part) for part in before)
    return text if says_more or _pattern("undo").fullmatch(last) is None else last


def _unequal(known: Request) -> bool:
    """Say whether the last turn gave tensors of one shape different ones, so that "same shape" means those before."""
    if not known.earlier:
        return False
    now, before = ({len({*case}) for case in r.shapes} for r in (known, known.earlier[-1]))
    return before == {1} and 1 not in now


def in_other_words(text: str) -> str:
    """Write "no, over rows", "back to fp32" and "cast the indices to int32" as a change like any other."""
    text = _pattern("corrects").sub("", text)
    text = re.sub(words()["remembered"]["convert indices"], "make the indices ", text, flags=re.I)
    text = re.sub(words()["remembered"]["change back"], "改成", text)
    return re.sub(words()["remembered"]["go back"], "make it ", text, flags=re.I)


def _before(known: Request) -> Request:
    return known.earlier[-1].model_copy(update={"earlier": known.earlier[:-1]})


def _with_operator(name: str, known: Request) -> Request | None:
    """Return the known request with the steps of the last one that has an operator, or as it is where it has it."""
    name = name.strip().lower()
    named = find_operators(name)
    if len(named) != 1 or (named[0].begin, named[0].end) != (0, len(name)):
        return None
    wanted = named[0].operator
    if wanted in operators_of(known):
        return known
    request = known
    while request.earlier:
        request = _before(request)
        if wanted in operators_of(request):
            alike = [len(case) for case in known.shapes] == [len(case) for case in request.shapes]
            shapes = known.shapes if alike else request.shapes
            back = known.model_copy(
                update={"steps": request.steps, "source": request.source, "shapes": shapes}
            )
            return request if back == request else back.model_copy(update={"said": ()})
    return None


def only_named(text: str, known: Request) -> bool:
    """Say whether a text names the operators that are known, and says nothing else: "just the sigmoid"."""
    named, rest = find_operators(text.lower()), text
    for operator in reversed(named):
        rest = f"{rest[: operator.begin]} {rest[operator.end :]}"
    own = {n.operator for n in named} == operators_of(known)
    return own and pattern("only that").fullmatch(rest) is not None


def operators_of(request: Request) -> set[str]:
    """Return the operators of a request's steps, those in formulas too."""
    found = {s.operator for s in request.steps if s.formula is None}
    return found.union(*(operations_of(s.formula) for s in request.steps if s.formula is not None))


@cache
def _pattern(name: str) -> re.Pattern[str]:
    return re.compile(words()["remembered"][name], re.I)
