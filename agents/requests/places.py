"""Find where turns tell something that a follow-up changes: a word, a number, a type, a value by its name, a size."""

import re
from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

from akgen.agents.requests.follow_up_words import clause_end
from akgen.agents.requests.layouts import layout_of
from akgen.agents.requests.marks import words
from akgen.knowledge.operators import Named, find_operators, operator_named
from akgen.tools.core.dtypes import DType

Turns = tuple[str, ...]
_SHAPE = re.compile(
    r"[\[(] ?\d+k?(?: ?, ?\d+k?)* ?,? ?[\])]|(?<![\w.])\d+k?(?: ?[x*] ?\d+k?)+(?![\w.])", re.I
)
_NUMBER = r"[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[-+]?\d+)?(?:/\d+)?"
_JOIN = r" ?(?:=|:|is|of|to|为|是|取|等于|设为)? ?"


class TurnPlace(NamedTuple):
    """A part of one turn."""

    turn: int
    begin: int
    end: int


def dtype_of(word: str) -> DType | None:
    word = word.strip().lower()
    return next((DType(name) for name, said in words()["dtypes"].items() if word in said), None)


def is_number(word: str) -> bool:
    return re.fullmatch(_NUMBER, word.strip(), re.I) is not None


def shape_of(word: str) -> tuple[int, ...] | None:
    match = _SHAPE.fullmatch(word.strip())
    return (
        tuple(int(n) for n in re.findall(r"\d+", word))
        if match is not None and "k" not in word.lower()
        else None
    )


def shape_places(turns: Turns) -> list[tuple[TurnPlace, tuple[int, ...]]]:
    """Return every shape that the turns tell."""
    found = []
    for at, turn in enumerate(turns):
        for match in _SHAPE.finditer(turn):
            found.append((TurnPlace(at, *match.span()), tuple(int(n) for n in re.findall(r"\d+", match[0]))))
    return found


def literal_places(turns: Turns, word: str) -> list[TurnPlace]:
    """Return where a word stands by itself."""
    said = re.escape(word)
    if word.isascii():
        said = rf"(?<![\w.\-]){said}(?![\w]|\.\d)"
    return [
        TurnPlace(i, *m.span()) for i, turn in enumerate(turns) for m in re.finditer(said, turn, re.I | re.A)
    ]


def type_places(turns: Turns, dtype: DType) -> list[TurnPlace]:
    """Return where a type is named."""
    spelt = sorted(words()["dtypes"][dtype.value], key=len, reverse=True)
    latin = "|".join(re.escape(s) for s in spelt if s.isascii())
    other = "|".join(re.escape(s) for s in spelt if not s.isascii())
    pattern = rf"(?<![a-z0-9_.])(?:{latin})(?![a-z0-9_])" + (f"|{other}" if other else "")
    return [
        TurnPlace(i, *m.span())
        for i, turn in enumerate(turns)
        for m in re.finditer(pattern, turn, re.I | re.A)
    ]


def number_places(turns: Turns) -> list[TurnPlace]:
    """Return where numbers stand that are no sizes, and no part of a name or of a type."""
    sizes = [place for place, _ in shape_places(turns)]
    found = []
    for at, turn in enumerate(turns):
        for match in re.finditer(rf"(?<![\w.\-]){_NUMBER}(?![\w]|\.\d|-?d(?![a-z]))", turn, re.I | re.A):
            if not any(s.turn == at and s.begin < match.end() and match.start() < s.end for s in sizes):
                found.append(TurnPlace(at, *match.span()))
    return found


def operator_places(turns: Turns, word: str) -> list[TurnPlace]:
    """Return where the operator that a word names is named."""
    named = find_operators(word.lower())
    if len(named) != 1 or (named[0].begin, named[0].end) != (0, len(word)):
        return []
    return [
        TurnPlace(i, n.begin, n.end)
        for i, turn in enumerate(turns)
        for n in find_operators(turn.lower())
        if n.operator == named[0].operator
    ]


def value_places(turns: Turns, name: str) -> list[TurnPlace]:
    """Return the numbers that stand behind an attribute's name."""
    names = {name} | (aliases(name) - _PREPOSITIONS)
    pattern = "|".join(map(re.escape, sorted(names, key=len, reverse=True)))
    said = rf"(?<![a-z0-9_])(?:{pattern}){_JOIN}(?P<value>{_NUMBER})(?![\w]|\.\d| ?[x*] ?\d)"
    before = rf"(?<![\w.])(?P<value>\d+) (?:{pattern})(?!\w)"  # "4 groups"
    for form in (said, before):
        found = [
            TurnPlace(i, *m.span("value"))
            for i, turn in enumerate(turns)
            for m in re.finditer(form, turn, re.I | re.A)
        ]
        if found:
            return found
    return []


_PREPOSITIONS = frozenset(("with", "fill with"))  # of "with 3 zeros on the right"


@cache
def aliases(name: str) -> frozenset[str]:
    """Return the names of an attribute that has one of them."""
    found = {name}
    for own, others in words()["attributes"].items():
        if name == own or name in others:
            found |= {own, *others}
    return frozenset(found)


def is_attribute(name: str) -> bool:
    """Say whether a word is a name of an attribute."""
    return len(aliases(name)) > 1 or name in words()["attributes"]


def tensor_places(turns: Turns, name: str) -> list[TurnPlace]:
    """Return the shapes that stand right behind a tensor's name."""
    said = re.compile(
        rf"(?<![a-z0-9_]){re.escape(name)} ?(?:=|:|is|of|has|shape|形状|为|是|的)* ?\Z", re.I | re.A
    )
    return [place for place, _ in shape_places(turns) if said.search(turns[place.turn][: place.begin])]


def declared_places(turns: Turns, name: str) -> list[TurnPlace]:
    """Return where a tensor is declared with its shape, and no other one beside it."""
    found = []
    for place in tensor_places(turns, name):
        turn = turns[place.turn]
        begin = turn.lower().rindex(name, 0, place.begin)
        shared = (
            re.search(r"(?<![a-z0-9_])[a-z]\w{0,8} ?(?:,|、|/|和|与|and) ?\Z", turn[:begin], re.I) is not None
        )
        typed = re.match(r" ?[,，]? ?[a-z]+\d+(?!\w)", turn[place.end :])
        told = sum(len(type_places(turns, DType(name))) for name in words()["dtypes"])
        typed = typed if told > 1 else None  # the only type is that of all tensors
        if not shared:
            found.append(TurnPlace(place.turn, begin, place.end + (typed.end() if typed else 0)))
    return found


def axis_of(role: str, turns: Turns, rank: int, *, sure: bool) -> int | None:
    """Return which axis of a tensor a role names, as far as its layout, or custom, tells.

    That the last one is the hidden one is told by custom only if that is `sure` otherwise, by the size that it has.
    """
    layout = next((found for turn in turns if len(found := layout_of(turn)) == rank), ())
    if layout:
        places = [i for i, name in enumerate(layout) if name in _LETTERS.get(role, ()) or name == role]
        return places[0] if len(layout) == rank and len(places) == 1 else None
    custom = {"batch": 0, "columns": rank - 1} | ({"hidden": rank - 1} if sure else {})
    if rank == len((0, 0)):
        custom["rows"] = 0
    return (custom | _of_operators(turns, rank)).get(role)


def _of_operators(turns: Turns, rank: int) -> dict[str, int]:
    """Return the axes that PyTorch's operators tell by themselves: heads before tokens, channels second."""
    named = (operator_named(n.operator) for turn in turns for n in named_in(turn))
    kinds = {e.category for e in named if e is not None}
    if "attention" in kinds and rank == len(("batch", "heads", "seq", "head_dim")):
        return {"heads": 1, "seq": 2}
    if "attention" in kinds and rank == len(("batch", "seq", "hidden")):
        return {"seq": 1}
    if kinds & {"convolution", "pooling"} and rank > len((0, 0)):
        return {"channels": 1}
    return {}


_LETTERS = {
    "batch": ("b", "n", "bs", "batch", "batch size", "batch_size"),
    "seq": ("s", "t", "l", "seq", "time", "seq_len", "length"), "hidden": ("d", "hidden", "dim", "features", "d_model"),
    "heads": ("h", "heads", "nh"), "channels": ("c", "channels"),
}  # fmt: skip


def size_places(turns: Turns, role: str, old: int | None) -> Iterator[list[TurnPlace]]:
    """Yield where the size of an axis stands: in the first shape, in all that have it there, in all that have it."""
    shapes = shape_places(turns)
    if not shapes or (axis := axis_of(role, turns, len(shapes[0][1]), sure=old is not None)) is None:
        return
    size = shapes[0][1][axis]
    if old not in (None, size):
        return
    alike = [(p, s) for p, s in shapes[1:] if s == shapes[0][1] and _named_so(turns, p)]
    first = [
        _size(turns, p, s, axis) for p, s in (shapes[0], *(alike if _named_so(turns, shapes[0][0]) else []))
    ]
    there = [_size(turns, p, s, axis) for p, s in shapes if len(s) > axis and s[axis] == size]
    everywhere = [_size(turns, p, s, i) for p, s in shapes for i, n in enumerate(s) if n == size]
    ways = [first, there, everywhere]
    for at, way in enumerate(ways):
        if way not in ways[:at]:
            yield way


def _named_so(turns: Turns, place: TurnPlace) -> bool:
    """Say whether a shape stands behind the name of a tensor that is no weight."""
    before = turns[place.turn][: place.begin]
    named = re.search(r"([a-z]\w*) ?(?:=|:|is|of|has|shape|形状|为|是|的)* ?\Z", before, re.I | re.A)
    return named is not None and re.fullmatch(r"w\w?|.*weights?|table|kernel|filter", named[1], re.I) is None


def _size(turns: Turns, place: TurnPlace, _shape: tuple[int, ...], axis: int) -> TurnPlace:
    numbers = list(re.finditer(r"\d+", turns[place.turn][place.begin : place.end]))
    return TurnPlace(place.turn, place.begin + numbers[axis].start(), place.begin + numbers[axis].end())


def equation_places(turns: Turns, name: str) -> list[TurnPlace]:
    """Return where an equation for a name stands."""
    said = re.compile(rf"(?<![a-z0-9_.]){re.escape(name)} ?=(?!=)", re.I | re.A)
    return [
        TurnPlace(i, m.start(), clause_end(turn, m.start()))
        for i, turn in enumerate(turns)
        for m in said.finditer(turn)
    ]


FLOATS = tuple(dtype for dtype in DType if dtype.is_float)


def named_in(turn: str) -> tuple[Named, ...]:
    return find_operators(turn.lower())
