"""Find what a text says of the names in its equations: their shapes, and which halves of a tensor they are."""

import ast
import re
from typing import NamedTuple

from akgen.agents.requests import sizes
from akgen.agents.requests.declarations import declarations
from akgen.agents.requests.formula import VARIABLE
from akgen.agents.requests.marks import MarkedText
from akgen.agents.requests.request import Shape
from akgen.agents.requests.signs import MAKES
from akgen.knowledge.operators import operator_named
from akgen.tools.core.dtypes import DType

_NAME = r"[a-z][a-z0-9_]*"
TYPE = r"(?:fp|float|bf|bfloat|u?int)\d+(?![a-z0-9])"
TENSOR = (
    rf"(?!{TYPE})(?!(?:where|with|and|of|is|are|in|for|the|all|both|shape|input|inputs|returns?|outputs?|rows?"
    r"|columns?|dim|dims|axis|dimension|last|each|per|classes|channels?|tokens?|heads?|elements?|everything)(?![a-z0-9_]))"
    r"[a-z][a-z0-9_]*"
)
LISTED = rf"{TENSOR}(?:\s*(?:,|/|&|、|and|和|与)\s*{TENSOR})*"
_FRONT = r"(?: ?\((?:前|前半|前一半|前面|前半部分|first|first half)\))?"
_BACK = r"(?: ?\((?:后|后半|后一半|后面|后半部分|second|second half)\))?"
_SPLIT = re.compile(
    rf"(?:split|chunk|cut|halve)(?:ting|d)?[^.;。；]{{0,40}}?(?:two|2|halves|half)[^.;。；]{{0,12}}?"
    rf"[ (:](?P<a>{_NAME}){_FRONT} ?(?:and|,|\||/) ?(?P<b>{_NAME}){_BACK}\)?"
    rf"|(?:(?:把|将|沿)?(?:输入的?)?(?:最后一?个?(?:维度?|轴)|第 ?\d+ ?维|dim ?=? ?-?\d)(?:上)?[，, ]*)?"
    rf"(?:从|在)?(?:正?中间|正中|中央)?(?:处)?"
    rf"(?:对半|平均|平|均匀|均)?(?:切|分|拆|split)(?:成|为|开|开成)?(?:两半|两份|两块|一半)?(?:成|为)?[:：,， ]*"
    rf"(?P<a_zh>{_NAME}){_FRONT} ?(?:和|、|,|与|\|) ?(?P<b_zh>{_NAME}){_BACK}(?: ?(?:两半|两份|两块|各一半))?"
)
_HALVED = re.compile(r"two|2|hal(?:f|ves|ve)|对半|平分|均分|平均|两半|两份|两块|一半")
_WORDS = frozenset(
    (
        "where",
        "and",
        "or",
        "of",
        "in",
        "is",
        "the",
        "then",
        "if",
        "else",
        "for",
        "to",
        "with",
        "per",
        "on",
        "by",
        "at",
        "as",
    )
)
_OPERANDS = re.compile(  # names beside signs
    rf"(?<![a-z0-9_.])(?:(?<=[-+*/@^(|=<>] )|(?<=[-+*/@^(|=<>√∑]))({_NAME})(?![a-z0-9_])"
    rf"|(?<![a-z0-9_.])({_NAME})(?= ?[-+*/@^)|=])"
)
_RESULTS = re.compile(rf"(?<![a-z0-9_.])({_NAME}) ?=(?!=)(?! ?[\[(]? ?\d)")
_LENGTH = re.compile(
    rf"(?<![a-z0-9_.])(?P<names>{LISTED})(?:\s*(?:is|are|of|each|both|length|len|size|长度|各|都|是|为|[:：]))*\s*"
    r"(?<![a-z0-9_])(?P<size>\d+)(?=\s*(?:[,.;，。；)\n]|\Z|and\b))(?!\.\d)"
)
_OF_NORMS = ("w", "weight", "g", "gamma", "b", "bias", "beta")  # as long as the last axis
_COUNTS = frozenset("ndmkhtclij") | {"dk", "d_k", "lr", "eps", "step", "axis", "dim"}  # numbers, not tensors


def halves_of(text: MarkedText) -> dict[str, ast.expr]:
    """Return what names of halves stand for, "split in two halves a and b": parts of x."""
    halves = [ast.parse(f"torch.chunk(x, 2, dim=-1)[{i}]", mode="eval").body for i in (0, 1)]
    if "half_first" in text.text and "half_second" in text.text:
        return dict(zip(("half_first", "half_second"), halves, strict=True))
    match = next((m for m in _SPLIT.finditer(text.text) if _HALVED.search(m[0])), None)
    if match is None:
        return {}
    names = (match["a"] or match["a_zh"], match["b"] or match["b_zh"])
    if {*names} & _WORDS:
        return {}
    said = MarkedText(match[0])
    sizes.take_axes(said)
    axes = {m.value for m in said.marks if m.kind == "axis"} or {-1}
    (axis,) = axes if len(axes) == 1 else (None,)
    if not isinstance(axis, int):
        return {}
    halves = [ast.parse(f"torch.chunk(x, 2, dim={axis})[{i}]", mode="eval").body for i in (0, 1)]
    text.mark(*match.span(), "named")
    return dict(zip(names, halves, strict=True))


class ToldTensors(NamedTuple):
    """What a text says of the names in its equations."""

    shapes: dict[str, Shape]
    types: dict[str, DType]  # of those that hold no floating-point numbers
    floats: DType | None = None  # the type of the others, where it is said beside them


def declared_tensors(text: MarkedText) -> ToldTensors:
    """Return shapes and types that stand beside names; what says them is marked."""
    results = {*_RESULTS.findall(text.text)}  # "return q as int8 and scale" declares none of them
    names = tuple(sorted({n for pair in _OPERANDS.findall(text.text) for n in pair if n} - _WORDS - results))
    said = declarations(text.text, names) if names else None
    types = {t.name: t.dtype for t in said.tensors if t.dtype is not None} if said is not None else {}
    special = {name: dtype for name, dtype in types.items() if not dtype.is_float}
    floats = {*types.values()} - {*special.values()}
    if said is None or not special or len(floats) > 1 or any(t.shape is None for t in said.tensors):
        return ToldTensors(declared_shapes(text), {})
    for begin, end in said.spans:
        text.mark(begin, end, "filler")
    shapes = {t.name: t.shape for t in said.tensors if t.shape is not None}
    return ToldTensors({**shapes, **declared_shapes(text)}, special, next(iter(floats), None))


def _lengths(text: MarkedText, found: dict[str, Shape]) -> None:
    """Add vectors whose length alone is said, "w 256", where a tensor of the text has an axis of that size."""
    known = {n for shape in found.values() for n in shape}
    for match in text.matches(_LENGTH):
        names = re.findall(_NAME, match["names"])
        if int(match["size"]) in known and not any(n in found or n in _COUNTS for n in names):
            found |= dict.fromkeys((n for n in names if not _is_function(n)), (int(match["size"]),))
            text.mark(*match.span(), "filler")


def declared_shapes(text: MarkedText) -> dict[str, Shape]:
    """Return the shapes that stand behind names; what stands between is marked."""
    sizes.take_long_shapes(text)
    sizes.take_shapes(text)
    for mark in [m for m in text.marks if m.kind == "shape"]:
        called = re.search(r"[a-z]\w*\Z", text.text[: mark.begin])
        if called is not None and text.text[mark.begin] == "(" and _is_function(called[0]):
            text.unmark(mark)  # "arange(32)"
    found: dict[str, Shape] = {}
    for mark in [m for m in text.sorted() if m.kind == "shape" and len(m.value) == 1]:
        before = _IS_A.search(text.text[: mark.begin]) or _NAMES_BEFORE.search(text.text[: mark.begin])
        if before is None:
            continue
        said, begin = before["names"], before.start("names")
        if (
            re.search(r"(?:[-+*/@()^=<>]|不带|没有|无|(?<![a-z])no|without) ?\Z", text.text[:begin])
            and "," in said
        ):
            begin += said.index(",") + 1  # the end of an equation: "(a @ w1) @ w2, x is 8x64"
            said = said.partition(",")[2]
        names = [n for n in re.findall(_NAME, said) if n not in _WORDS]
        if len(names) > 1 and _is_function(names[0]) and not _is_function(names[1]):
            begin += re.search(rf"(?<![a-z0-9_]){names[1]}(?![a-z0-9_])", said).start()  # type: ignore[union-attr]
            said = said[said.index(names[1]) :]  # "averaged: mean, s and y [1000]"
            names = names[1:]
        for name in names:
            if not _is_function(name):
                found.setdefault(name, mark.value[0])
        if any(n in found for n in names):
            for typed in re.finditer(rf"(?<![a-z0-9_]){TYPE}", text.text[: mark.begin]):
                if typed.start() >= begin:  # it is read by who reads types
                    text.mark(begin, typed.start(), "filler")
                    begin = typed.end()
            text.mark(begin, mark.begin, "filler")
    _lengths(text, found)
    return found


def _is_function(name: str) -> bool:
    return (operator_named(name) is not None or name in MAKES) and not VARIABLE.match(name)


_IS_A = re.compile(
    r"(?<![a-z0-9_])(?P<names>[a-z]\d?) (?:is|=) (?:an?|the) (?:[a-z\-]+ ){1,3}(?:of )?(?:shape |size )?\Z"
)
_OF_RESULT = re.compile(
    r"(?:(?<![a-z])(?:out(?:puts?)?|results?|giving|gives|so(?: it is| we get)?|i\.e\.|that is|->|→)"
    r"|就是|也就是|得到|输出|结果)"
    r"(?:(?: is| of| shape| has| then)|:|是|为|形状|的)* ?\Z"
)
_NAMES_BEFORE = re.compile(
    rf"(?<![a-z0-9_])(?P<names>{LISTED})"
    r"(?:\s*(?:is|are|of|has|have|with|shape|shapes|size|both|each|all|(?<![:=])(?<![:=] )an?|as|in"
    r"|two|three|four|tensors?|matrix|matrices|vectors?|arrays?|inputs?"
    rf"|(?:{TYPE})"
    r"|\([a-z, ]+\)"
    r"|[:=\[({]|的形状|形状|大小|都|各|均|为|是|两个|三个|输入))*\s*\Z"
)


def _drop_result(text: MarkedText) -> None:
    """Drop the shape that is said of the result, where its sizes are another tensor's, or half of them."""
    marked = [m for m in text.marks if m.kind == "shape" and len(m.value) == 1]
    for mark in marked:
        others = {n for m in marked if m is not mark for n in m.value[0]}
        if _OF_RESULT.search(text.text[: mark.begin]) and {*mark.value[0]} <= others | {
            n // 2 for n in others
        } | {1}:
            text.unmark(mark)
            text.mark(mark.begin, mark.end, "filler")


def shapes_of(
    text: MarkedText, variables: tuple[str, ...], declared: dict[str, Shape], *, norms: bool
) -> tuple[Shape, ...] | None:
    """Return the shapes of the variables, or one for all; None where it is not clear. Weights of norms are vectors."""
    if all(v in declared for v in variables):
        return tuple(declared[v] for v in variables)
    if not any(m.kind == "shape" for m in text.marks):
        # sizes by what they count: "256 rows, 384 features"
        found = sizes.take_sizes(
            text, ("samples", "batch", "heads", "tokens", "channels", "height", "width", "hidden")
        )
        return (tuple(found.values()),) if len(found) > 1 else ()
    _drop_result(text)
    said = list(dict.fromkeys(m.value[0] for m in text.marks if m.kind == "shape" and len(m.value) == 1))
    if len(said) == 1 and len(said[0]) > 1 and any(v in _OF_NORMS for v in variables) and norms:
        return tuple(said[0][-1:] if v in _OF_NORMS else said[0] for v in variables)
    if len(said) == 1:
        return (said[0],)
    return None
