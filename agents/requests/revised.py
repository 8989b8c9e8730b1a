"""Revise what was said before as a follow-up says, so that it is read again: "eps 改成 1e-5", "batch from 64 to 16".

A follow-up is taken apart into clauses. Each that exchanges something, sets a value or gives an equation anew is
written into the turns that told it; the clauses that are left stand behind. The reader then reads the turns as if they
had been said so, with all that it asks about.
"""

import itertools
import re
import unicodedata
from collections.abc import Iterator
from typing import NamedTuple

from akgen.agents.requests import places
from akgen.agents.requests.changes import EQUATION, Change, change, typed
from akgen.agents.requests.follow_up_words import clauses, pattern, plainly
from akgen.agents.requests.follow_up_words import patterns as follow_ups
from akgen.agents.requests.marks import words
from akgen.agents.requests.places import Turns, dtype_of, shape_of
from akgen.knowledge.operators import find_operators

_AND = re.compile(r"\s+(?:and|but)\s+(?:also )?|\s*(?:并且?|同时|而且|以及)\s*")
_MOST_WAYS = 8


class Revision(NamedTuple):
    """Turns as a follow-up changes them, by one of the ways in which it may be read."""

    turns: Turns
    less: bool  # something is left out, or an equation is another one: fewer tensors, other operators


def revised(turns: Turns, text: str) -> list[Revision]:
    """Return the turns with what a text changes in them; none if it changes nothing that was told."""
    turns = tuple(unicodedata.normalize("NFKC", t).replace("×", "x") for t in turns)
    parts = [plainly(part) for part in clauses(plainly(text))]
    parts = [part for part in parts if part and not _stays(turns, part)]
    given = [m["name"] for part in parts if (m := EQUATION.fullmatch(part))]
    equations = [name for name in given if places.equation_places(turns, name)]
    ways: list[list[Change]] = []
    left: list[str] = []
    for part in parts:
        found = _changes(turns, part, named=bool(equations))
        if found is not None:
            ways += found.ways
            left += found.left
        else:
            left.append(part)
    if not ways:
        return []
    for part in list(left):
        if bare := list(_bare(turns, part)):
            ways.append(bare)
            left.remove(part)
    rest = "，".join(left)
    drops = any(re.fullmatch(words()["edits"]["drop"], part, re.I) for part in left)
    results: list[Revision] = []
    for way in itertools.islice(itertools.product(*ways), _MOST_WAYS):
        if (written := _written(turns, way)) is None:
            continue
        less = bool(equations) or drops or any(not new for made in way for _, new in made.put)
        behind = [] if drops else [(*written[:-1], _behind(written[-1], rest))]
        said = [*behind, (*written, rest)] if rest else [written]
        results += [Revision(each, less) for each in said]
    return results


def _stays(turns: Turns, part: str) -> bool:
    """Say whether a clause says that the rest, or a value that the turns tell by its name, stays as it is."""
    if pattern("unchanged").fullmatch(part):
        return True
    names = [m["names"].strip().lower() for form in follow_ups("kept") if (m := form.fullmatch(part))]
    return bool(names) and len(places.value_places(turns, names[0])) == 1


def _bare(turns: Turns, part: str) -> Iterator[Change]:
    """Take a type, or a shape, that stands alone beside other changes, for the one that all tensors shall have."""
    shapes = places.shape_places(turns)
    if dtype_of(part) is not None:
        yield from typed(turns, part)
    elif shape_of(part) is not None and len({s for _, s in shapes}) == 1:
        yield Change(tuple((p, part) for p, _ in shapes))


class Clause(NamedTuple):
    """The ways of each change that a clause makes, and what it says beside."""

    ways: list[list[Change]]
    left: list[str]


def _changes(turns: Turns, part: str, *, named: bool) -> Clause | None:
    """Return what a clause changes; None if it changes nothing, or something that is not told."""
    pairs = [(plainly(part[: m.start()]), plainly(part[m.end() :])) for m in _AND.finditer(part)]
    sides = [
        (_changes(turns, left, named=named), _changes(turns, right, named=named)) for left, right in pairs
    ]
    for left, right in sides:
        if left is not None and right is not None:
            return Clause([*left.ways, *right.ways], [*left.left, *right.left])
    if found := [c for c in change(turns, part, named=named) if not _repeats(turns, c)]:
        return Clause([found], [])
    for (left, right), said in zip(sides, pairs, strict=True):
        if left is not None:
            return Clause(left.ways, [*left.left, said[1]])
        if right is not None:
            return Clause(right.ways, [said[0], *right.left])
    return None


def _repeats(turns: Turns, made: Change) -> bool:
    """Say whether a change writes what stands there already: "dim=1" of a new operator is none."""
    return (
        bool(made.put) and not made.more and all(turns[p.turn][p.begin : p.end] == new for p, new in made.put)
    )


def without_unchanged(text: str) -> str:
    """Return a text without the clauses that say that the rest stays as it is; what stands whole goes on."""
    kept = False
    for part in clauses(text):
        whole = pattern("kept as it is").fullmatch(plainly(part)) is not None
        if (whole or pattern("unchanged").fullmatch(plainly(part))) and part != text.strip():
            joint = ". " if part.isascii() else "，"
            text = re.sub(rf"[\s,，;；。.]*{re.escape(part)}[\s,，;；。.]*", joint, text)
            kept |= whole
    text = text.strip(" ,，.。;；\n")
    goes_on = kept and find_operators(text.lower()) and pattern("goes on").match(text) is None
    return text if not goes_on else f"then {text}" if text.isascii() else f"然后{text}"


def added(turns: Turns, text: str) -> list[Turns]:
    """Return the turns with a text behind the last one, as if it had been said there: "make it causal"."""
    text = plainly(text)
    bare = pattern("add").match(text)
    rest = [text[bare.end() :]] if bare is not None else []
    told = [more for more in (*rest, text) if more and not find_operators(more.lower())]
    return [(*turns[:-1], _behind(turns[-1], more)) for more in told]


def _written(turns: Turns, changes: tuple[Change, ...]) -> Turns | None:
    """Return the turns with all changes; None where two of them change the same place."""
    put = sorted({p for made in changes for p in made.put}, reverse=True)
    for (later, _), (place, _) in itertools.pairwise(put):
        if place.turn == later.turn and place.end > later.begin:
            return None
    written = list(turns)
    for place, new in put:
        turn = written[place.turn]
        written[place.turn] = turn[: place.begin] + new + turn[place.end :]
    for made in changes:
        if made.more:
            written[-1] = _behind(written[-1], made.more)
    return tuple(written)


def _behind(turn: str, more: str) -> str:
    return f"{turn.rstrip(' .。,，;；')}, {more}"
