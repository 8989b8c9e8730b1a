"""Read the tensors of a specification, shapes and types in any order: "x fp16 [512, 256]", "a, b: (8, 4)"."""

import re
from functools import cache
from typing import NamedTuple

from akgen.agents.requests.marks import words
from akgen.agents.requests.request import Shape
from akgen.agents.requests.specified.layout import SpecifiedText, said_words, type_words
from akgen.tools.core.dtypes import DType

NAME = r"(?<![A-Za-z0-9_.])[A-Za-z_][A-Za-z0-9_]*(?![A-Za-z0-9_])"
SHAPE = (
    r"(?:[\[(] ?\d+(?:(?: ?, ?\d+)*| ?x ?\d+(?: ?x ?\d+)*) ?,? ?[\])]|(?<![\w.])\d+(?: ?x ?\d+)+(?![\w.]))"
)
_JOINT = r"(?:\s*(?:,|/|&|、)\s*(?:and )?|\s+and\s+|\s*[和与]\s*)"
_LINK = (
    r"(?:[\s:=,]|(?<![A-Za-z])(?:(?:is|are) an?|is|are|of|both|all|each|has|have|with|in|shape|size|tensors?|dtype"
    r"|type)(?![A-Za-z])"
    r"|都|均|各|是|为|形状|大小|的|类型)*?"
)
_AXES = r"(?:\s*\((?!\s*\d)[A-Za-z_][A-Za-z_0-9]{0,11}(?:\s*[,x]\s*[A-Za-z_][A-Za-z_0-9]{0,11}){0,4}\))?"


class SpecifiedTensor(NamedTuple):
    """A name with its shape and type as far as they are said, and where."""

    name: str
    shape: Shape | None
    dtype: DType | None
    begin: int
    end: int


def told_tensors(layout: SpecifiedText) -> list[SpecifiedTensor]:
    """Return all names that have a shape, or a type alone, in order; what says it is not marked yet."""
    found: list[SpecifiedTensor] = []
    taken: list[tuple[int, int]] = []
    for pattern in _patterns():
        for match in layout.matches(pattern):
            if any(match.start() < end and begin < match.end() for begin, end in taken):
                continue
            names = [n for n in re.finditer(NAME, match["names"]) if n[0].lower() != "and"]
            kept = [n for n in names if n[0].lower() not in _no_names() and dtype_of(n[0]) is None]
            if not kept or kept != names[-len(kept) :]:
                continue
            groups = match.groupdict()
            said = [groups[k] for k in ("t1", "t2") if groups.get(k)]
            shape = shape_of(groups["shape"]) if groups.get("shape") else None
            dtype = dtype_of(said[0]) if said else None
            at = match.start("names")
            found += [SpecifiedTensor(n[0], shape, dtype, at + n.start(), match.end()) for n in kept]
            taken.append((at + kept[0].start(), match.end()))
    return sorted(_nearest(found), key=lambda t: t.begin)


def _nearest(found: list[SpecifiedTensor]) -> list[SpecifiedTensor]:
    """Drop a name of a list, "x @ W, x (16, 12), W (12, 24)", that stands right beside another shape elsewhere."""

    def beside(tensor: SpecifiedTensor) -> bool:
        return not any(t.end == tensor.end and t.begin > tensor.begin for t in found)

    sure = {t.name for t in found if t.shape is not None and beside(t)}
    return [t for t in found if beside(t) or t.name not in sure]


def shape_of(said: str) -> Shape:
    return tuple(int(n) for n in re.findall(r"\d+", said))


def dtype_of(said: str) -> DType | None:
    return _types().get(said.strip().lower())


@cache
def _no_names() -> frozenset[str]:
    return frozenset(said_words()["no names"].split())


@cache
def _types() -> dict[str, DType]:
    return {word: DType(name) for name, listed in words()["dtypes"].items() for word in listed}


@cache
def _patterns() -> tuple[re.Pattern[str], ...]:
    kind = type_words()
    names = rf"(?P<names>{NAME}(?:{_JOINT}{NAME})*)"
    shaped = (
        rf"{names}{_AXES}{_LINK}(?:\(?\s*(?P<t1>{kind}){_LINK})?(?P<shape>{SHAPE})"
        rf"(?:\s*[,(]?\s*(?:的\s*)?(?P<t2>{kind})(?!\s*(?:{NAME}|[\[(]\d))\)?)?\)?{_AXES}"
    )
    typed = rf"{names}{_LINK}\(?\s*(?P<t1>{kind})\)?"
    return (re.compile(shaped, re.I), re.compile(typed, re.I))
