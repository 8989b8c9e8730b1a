"""Read one clause of a follow-up as a change of what was told: an exchange, a value, a type, an equation, one less."""

import re
from collections.abc import Iterator
from typing import NamedTuple

from akgen.agents.requests import places
from akgen.agents.requests.follow_up_words import follow_up_words, pattern, patterns, plainly
from akgen.agents.requests.follow_up_words import pattern as follow_ups
from akgen.agents.requests.formula_edits import TENSORS
from akgen.agents.requests.marks import words
from akgen.agents.requests.places import TurnPlace, Turns, dtype_of, is_number, shape_of
from akgen.agents.requests.shared_shapes import apart
from akgen.knowledge.operators import find_operators, operator_named
from akgen.tools.core.dtypes import DType

EQUATION = re.compile(
    r"(?:(?:the )?(?:formula|equation)|公式|表达式|式子)?"
    r"(?: ?(?:改[为成]|换[为成]|应该是|是|now|make it|should be|to|is|becomes|:))? ?"
    r"(?P<name>[a-z]\w*) ?=(?!=) ?(?P<value>.*[a-z(].*)",
    re.I | re.A,
)
_BECOMES = re.compile(
    r"(?:make it|switch to|use|now|改[为成用]|换[成为]|变[成为])(?: an?)? ?(?P<name>[a-z][\w ]*)", re.I | re.A
)
_OUTPUT = re.compile(r"(?:outputs?|results?|输出|结果)[\s:=为是成用in]*\Z", re.I)


_AXES_TOLD = re.compile(
    r"(?:dims?|dimensions|axes|axis|轴|维度?|第) ?(?P<pair>-?\d ?(?:and|,|&|和|与|、) ?(?:第 ?)?-?\d)(?![\d.x]|, ?\d)",
    re.I,
)
_COUNT = re.compile(r"(?P<value>\d+) ?(?P<name>[a-z_ ]+|[行列个头]+)", re.I)
_VALUE = re.compile(r"(?P<name>[a-z_]+) ?[=:]? ?(?P<value>[-+]?[\d.]\S*)", re.I)


_NONE_AT_ZERO = (
    "weight decay",
    "weight_decay",
    "wd",
    "label smoothing",
    "smoothing",
    "momentum",
    "权重衰减",
    "标签平滑",
)
_WHOLE = (DType.INT8, DType.UINT8, DType.INT16, DType.INT32)


class Change(NamedTuple):
    """What stands in the place of parts of the turns; what is said behind them."""

    put: tuple[tuple[TurnPlace, str], ...] = ()
    more: str = ""


def change(turns: Turns, part: str, *, named: bool) -> Iterator[Change]:
    """Yield the ways in which a clause may be read as one change; `named` where an equation beside it is given anew."""
    if (match := EQUATION.fullmatch(part)) and len(
        found := places.equation_places(turns, match["name"])
    ) == 1:
        yield Change(((found[0], f"{match['name']} = {match['value']}"),))
        return
    if (
        named
        and (match := _BECOMES.fullmatch(part))
        and places.operator_places((match["name"],), match["name"])
    ):
        yield _renamed(turns, match["name"])
        return
    if quantized := _quantized(turns, part):
        yield quantized
        return
    if normed := _other_norm(turns, part):
        yield normed
        return
    if dropped := _dropped(turns, part):
        yield dropped
        return
    if (match := pattern("number").fullmatch(part)) and len(found := places.number_places(turns)) == 1:
        yield Change(((found[0], match["new"]),))
        return
    if found_ways := [*_opposite(turns, part), *_other_axes(turns, part)]:
        yield from found_ways
        return
    for name in ("output", "from", "exchange", "set"):
        for form in patterns(name):
            if (match := form.fullmatch(part)) is None:
                continue
            said = {k: plainly(v) for k, v in match.groupdict().items() if v}
            if ways := list(_ways(turns, name, said)):
                yield from ways
                return


def _dropped(turns: Turns, part: str) -> Change | None:
    """Leave out a tensor that is declared by itself, "drop the bias" of "bias [64]", or "causal"."""
    if pattern("not causal").fullmatch(part):
        said = [TurnPlace(i, *m.span()) for i, t in enumerate(turns) for m in pattern("causal").finditer(t)]
        if len(said) == 1:
            return Change(((said[0], ""),))
    match = re.compile(words()["edits"]["drop"], re.I).fullmatch(part)
    if match is None:
        return None
    name = next(g for g in match.groups() if g).strip().lower()
    for called in (name, *TENSORS.get(name, ())):
        found = places.declared_places(turns, called)
        if len(found) == 1 and len(places.literal_places(turns, called)) == 1:
            return Change(((found[0], ""),))
    told = places.value_places(turns, name) if name in _NONE_AT_ZERO else []
    return Change(((told[0], "0"),)) if len(told) == 1 else None


def _quantized(turns: Turns, part: str) -> Change | None:
    """Write other limits, "range -128 to 127", and "int8 symmetric": another type, and no zero point."""
    if (match := follow_ups("range").fullmatch(part)) is not None:
        told = [
            (TurnPlace(i, *m.span("low")), TurnPlace(i, *m.span("high")))
            for i, turn in enumerate(turns)
            for m in follow_ups("told range").finditer(turn)
        ]
        return (
            Change(tuple(zip(told[0], (match["low"], match["high"]), strict=True)))
            if len(told) == 1
            else None
        )
    match = follow_ups("symmetric").fullmatch(part)
    if match is None or len(points := places.value_places(turns, "zero_point")) != 1:
        return None
    new = (match["type"] or match["type2"] or "").lower()
    told_types = [p for d in (DType.INT8, DType.UINT8) for p in places.type_places(turns, d)]
    types = [(p, new) for p in told_types] if new else []
    return Change(((points[0], "0"), *types)) if len(told_types) == 1 or not new else None


def _other_norm(turns: Turns, part: str) -> Change | None:
    """Write another norm in the place of the only operator that the turns name, whose weights are declared."""
    match = pattern("other norm").fullmatch(part)
    named = find_operators(match["new"].lower()) if match is not None else ()
    told = [TurnPlace(i, n.begin, n.end) for i, turn in enumerate(turns) for n in places.named_in(turn)]
    if len(named) != 1 or len(told) != 1 or named[0].end != len(match["new"]):  # type: ignore[index]
        return None
    kinds = {
        e.category
        for n in (*named, *places.named_in(turns[told[0].turn]))
        if (e := operator_named(n.operator))
    }
    declared = any(places.tensor_places(turns, name) for name in ("weight", "gamma", "w"))
    return Change(((told[0], match["new"]),)) if kinds == {"normalization"} and declared else None  # type: ignore[index]


def _opposite(turns: Turns, part: str) -> Iterator[Change]:
    """Write "left" where the turns say "right", of which they say nothing else: "put it on the left instead"."""
    if (match := pattern("opposite").fullmatch(part)) is None:
        return
    word = next(g for g in match.groups() if g).lower()
    other = follow_up_words()["opposites"][word]
    told = places.literal_places(turns, other)
    if len(told) == 1 and not places.literal_places(turns, word):
        yield Change(((told[0], word),))


def _other_axes(turns: Turns, part: str) -> Iterator[Change]:
    """Write two axes in the place of the only two that the turns name: "no, 0 and 2" of "transpose dims 1 and 2"."""
    match = pattern("axes pair").fullmatch(part)
    found = [TurnPlace(i, *m.span("pair")) for i, turn in enumerate(turns) for m in _AXES_TOLD.finditer(turn)]
    if match is not None and len(found) == 1:
        yield Change(((found[0], f"{match['one']} and {match['two']}"),))


def _ways(turns: Turns, kind: str, said: dict[str, str]) -> Iterator[Change]:
    new = said["new"]
    if kind == "output":
        yield from _typed_output(turns, new)
    elif kind == "from" and is_number(said["old"]) and is_number(new):
        if (role := _role(said["name"])) is not None and said["old"].isdigit():
            for found in places.size_places(turns, role, int(said["old"])):
                yield Change(tuple((p, new) for p in found))
        yield from _valued(turns, said["name"], new, old=said["old"])
    elif kind in ("from", "exchange"):
        yield from _exchanged(turns, said["old"], new)
    elif kind == "set":
        yield from _set(turns, said["name"], new)


def _exchanged(turns: Turns, old: str, new: str) -> Iterator[Change]:
    """Write one thing in the place of another of its kind."""
    dtype, shape = dtype_of(old), shape_of(old)
    found = places.type_places(turns, dtype) if dtype is not None else []
    if found and dtype_of(new) is not None:
        yield Change(tuple((p, new) for p in found))
    elif dtype is not None:
        return
    elif shape is not None:
        found = [p for p, s in places.shape_places(turns) if s == shape]
        if found and shape_of(new) is not None:
            yield Change(tuple((p, new) for p in found))
    elif (match := _VALUE.fullmatch(new)) and is_number(old) and is_number(match["value"]):
        yield from _valued(turns, match["name"], match["value"], old=old)
    elif (match := _COUNT.fullmatch(new)) and old.isdigit() and (role := _role(match["name"])) is not None:
        for ways in places.size_places(turns, role, int(old)):
            yield Change(tuple((p, match["value"]) for p in ways))
    elif is_number(old):
        found = places.literal_places(turns, old)
        if len(found) == 1:
            yield Change(((found[0], new),))
    elif changes := list(_set(turns, old, new)):
        yield from changes
    elif len(found := places.operator_places(turns, old) or places.literal_places(turns, old)) == 1:
        yield Change(((found[0], new),))
    elif not found:
        for name, choices in words()["choices"].items():
            if old in choices and new in choices:
                yield Change(more=f"{name} = {new}")  # of a default: "sum instead of mean"


def _set(turns: Turns, name: str, new: str) -> Iterator[Change]:
    """Set what has a name: all types, a tensor's shape, the size of an axis, an attribute."""
    name, shape = name.lower(), shape_of(new)
    if name in follow_up_words()["types"]:
        yield from typed(turns, new)
    elif shape is not None and (told := apart(turns, name, new)) is not None:
        yield Change((told,))
    elif shape is not None and len(found := places.tensor_places(turns, name)) == 1:
        yield Change(((found[0], new),))
    elif new in words()["choices"].get(name, ()):
        said = [p for choice in words()["choices"][name] for p in places.literal_places(turns, choice)]
        yield Change(((said[0], new),)) if len(said) == 1 else Change(more=f"{name} = {new}")
    elif new.isdigit() and (role := _role(name)) is not None:
        for found in places.size_places(turns, role, None):
            yield Change(tuple((p, new) for p in found))
        if len(found := places.value_places(turns, name)) == 1:
            yield Change(((found[0], new),))
    elif is_number(new):
        yield from _valued(turns, name, new)


def _valued(turns: Turns, name: str, new: str, old: str | None = None) -> Iterator[Change]:
    found = places.value_places(turns, name.lower())
    if old is not None:
        found = [p for p in found if float(turns[p.turn][p.begin : p.end]) == float(old)]
    if len(found) == 1:
        yield Change(((found[0], new),))
    elif not found and old is None and places.is_attribute(name.lower()):
        yield Change(more=f"{name} = {new}")


def typed(turns: Turns, new: str) -> Iterator[Change]:
    """Write a type in the place of the only type of floating-point numbers that is told."""
    if dtype_of(new) is None:
        return
    told = {d: found for d in _alike(dtype_of(new)) if (found := places.type_places(turns, d))}
    if len(told) == 1:
        yield Change(tuple((p, new) for found in told.values() for p in found))
    elif not told:
        yield Change(more=new)


def _alike(dtype: DType | None) -> tuple[DType, ...]:
    """Return the types in whose place one may stand: of floating-point numbers, or of whole numbers but indices."""
    return _WHOLE if dtype in _WHOLE else places.FLOATS


def _typed_output(turns: Turns, new: str) -> Iterator[Change]:
    if dtype_of(new) is None:
        return
    found = [
        place
        for dtype in places.FLOATS
        for place in places.type_places(turns, dtype)
        if _OUTPUT.search(turns[place.turn][: place.begin])
    ]
    if len(found) == 1:
        yield Change(((found[0], new),))
    elif not found:
        yield Change(more=f"输出 {new}" if re.search(r"[\u4e00-\u9fff]", turns[-1]) else f"output {new}")


def _renamed(turns: Turns, name: str) -> Change:
    """Write another operator in the place of the only one that words beside the equations name."""
    equations = [p for n in ("y", "out", "o", "z", "h") for p in places.equation_places(turns, n)]
    named = [TurnPlace(i, n.begin, n.end) for i, turn in enumerate(turns) for n in places.named_in(turn)]
    beside = [p for p in named if not any(e.turn == p.turn and e.begin <= p.begin < e.end for e in equations)]
    return Change(((beside[0], name),)) if len(beside) == 1 else Change()


def _role(name: str) -> str | None:
    name = name.lower().strip()
    return next((role for role, said in follow_up_words()["axes"].items() if name in said), None)
