"""Read a chain whose clauses leave open which tensor each of them takes, and which words belong to which step.

"linear + gelu + residual add, x [8, 512], weight [512, 512], bias [512], residual as x": no step names its weights.
Each clause is read with the tensors that no clause names, one run of them after the other as they were declared, until
all words and all tensors are used and all sizes fit. An attribute that stands apart ("groups=32") is tried beside each
step. What can be read in two ways that compute different things is left to a question.
"""

import itertools
import re
from collections.abc import Iterator, Sequence
from functools import cache

from akgen.agents.requests.by_clauses.acts import Clauses, bare_verb
from akgen.agents.requests.by_clauses.context import NotAStep, pattern, said_words, whole
from akgen.agents.requests.named_twice import SELDOM_TWICE
from akgen.knowledge.operators import find_operators, operator_named

_MOST_READINGS = 60  # clauses that are read before a text is given up
_MOST_ORDERS = 40
_WIDEST = 3  # bits that say one step together
_LONGEST_RUN = 4  # tensors that one step takes beside what came before
_MOST_APART = 3  # attributes that stand apart from their steps


class _GivenUp(Exception):
    """More readings were tried than a sentence is worth."""


class ClauseAssembly:
    """The search for the one way to read the clauses of a chain with the tensors that none of them names."""

    def __init__(self, acts: Clauses, bits: Sequence[str]) -> None:
        self._acts = acts
        self._bits = [bit for bit in bits if not _is_silent(bit, [*acts.chain.given])]
        named = {n for bit in self._bits for n in acts.mentioned(bit)}
        self._unnamed = [n for n in acts.chain.given if n not in named]
        self._read = 0
        self._outcomes: dict[object, list[Clauses]] = {}

    def ways(self) -> list[Clauses]:
        """Return the chains that all bits of a text make, told apart by what they compute."""
        found: dict[str, Clauses] = {}
        try:
            for order in itertools.islice(_orders(self._bits), _MOST_ORDERS):
                for way in self._from(self._acts, order):
                    if way.chain.trees and not way.chain.given.keys() - way.chain.used:
                        found.setdefault(way.chain.source(way.now()), way)
                if found:
                    break
        except _GivenUp:
            return []
        return list(found.values())

    def _from(self, acts: Clauses, bits: Sequence[str]) -> Iterator[Clauses]:
        if not bits:
            yield acts
            return
        for width in range(1, min(_WIDEST, len(bits)) + 1):
            later = " ; ".join(bits[width:])
            for after in self._acted(acts, ", ".join(bits[:width]), later):
                yield from self._from(after, bits[width:])

    def _acted(self, acts: Clauses, clause: str, later: str) -> list[Clauses]:
        """Return what a clause makes of a chain: by its own words, else with tensors that no clause names."""
        chain = acts.chain
        before = chain.source(acts.now()) if chain.current is not None else ""
        key = (clause, before, acts.verb, frozenset(chain.used))
        if key not in self._outcomes:
            self._outcomes[key] = [*self._tried(acts, clause, later)]
        return self._outcomes[key]

    def _tried(self, acts: Clauses, clause: str, later: str) -> Iterator[Clauses]:
        if pattern("says something").search(clause) is None and not find_operators(clause.lower()):
            return
        self._count()
        alone = acts.copied()
        alone.later = later
        try:
            alone.act(clause)
        except NotAStep:
            pass
        else:
            yield alone
            return
        if not find_operators(clause.lower()) and bare_verb(acts.bare(clause)) is None:
            return
        pool = [n for n in self._unnamed if n not in acts.chain.used and n != acts.begins]
        for run in _runs(pool):
            self._count()
            trial = acts.copied()
            try:
                trial.act_with(clause, run)
            except NotAStep:
                continue
            trial.told += bool(acts.chain.trees)  # "attention, softmax inside" are not two steps
            yield trial

    def _count(self) -> None:
        self._read += 1
        if self._read > _MOST_READINGS:
            raise _GivenUp


def _runs(pool: Sequence[str]) -> Iterator[list[str]]:
    """Yield neighbours in the order in which they were declared, the first ones first, and of these the most."""
    for begin in range(len(pool)):
        for length in range(min(_LONGEST_RUN, len(pool) - begin), 0, -1):
            yield [*pool[begin : begin + length]]


def _orders(bits: Sequence[str]) -> Iterator[list[str]]:
    """Yield the bits as they stand, taken apart, and with what only tells an attribute behind each of the steps."""
    apart = [part for bit in bits for part in _apart(bit)]
    ways = [[*bits]] if apart == [*bits] else [[*bits], apart]
    yield from (way for way in ways if not said_again(way))
    for way in ways:
        telling = [at for at, bit in enumerate(way) if _tells_more(bit, [*way[:at], *way[at + 1 :]])]
        steps = [at for at in range(len(way)) if at not in telling]
        if not 0 < len(telling) <= _MOST_APART or not steps:
            continue
        for places in itertools.product(steps, repeat=len(telling)):
            put = [*zip(telling, places, strict=True)]
            yield [" ".join([way[at], *(way[t] for t, place in put if place == at)]) for at in steps]


def said_again(bits: Sequence[str]) -> bool:
    """Say whether a bit names an operator that another one names, to tell more of it: "gelu, ..., exact gelu"."""
    named: set[str] = set()
    for bit in bits:
        found = {n.operator for n in find_operators(bit.lower())}
        again = {
            n for n in found & named if (e := operator_named(n)) is not None and e.category in SELDOM_TWICE
        }
        if again and pattern("again").search(bit) is None:
            return True
        named |= found
    return False


def _in_a_row(bit: str) -> bool:
    """Say whether a bit names several reductions, which are several results and no steps: "var + mean"."""
    found = [operator_named(n.operator) for n in find_operators(bit.lower())]
    return sum(e is not None and e.category == "reduction" for e in found) > 1


def _tells_more(bit: str, others: Sequence[str]) -> bool:
    """Say whether a bit tells an attribute or an axis, and no operator but one that is named elsewhere."""
    if _ATTRIBUTE().search(bit) is None:
        return False
    named = {n.operator for n in find_operators(bit.lower())}
    return named <= {n.operator for other in others for n in find_operators(other.lower())}


@cache
def _ATTRIBUTE() -> re.Pattern[str]:
    return re.compile(said_words()["tells more"], re.I)


def _apart(bit: str) -> list[str]:
    """Return a bit taken apart at the signs and words that join steps."""
    if _in_a_row(bit):
        return [bit]
    parts = [p.strip() for p in pattern("joined steps").split(bit)]
    return [p for p in parts if p]


def _is_silent(bit: str, names: Sequence[str]) -> bool:
    """Say whether a bit tells nothing: tensors alone, or words that are known to say nothing."""
    if pattern("no bias").fullmatch(bit):
        return not any(re.fullmatch(r"b\d?|bias\w*", name) for name in names)
    for name in names:
        bit = re.sub(whole(name), " ", bit)
    bit = bit.strip()
    idle = pattern("filler").fullmatch(bit) or pattern("idle").fullmatch(bit)
    return idle is not None or (
        pattern("place").fullmatch(bit) is not None and not find_operators(bit.lower())
    )
