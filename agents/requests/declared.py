"""Find what a text says of the names in its equations: their shapes, and which halves of a tensor they are."""

import ast
import re

from akgen.agents.requests import sizes
from akgen.agents.requests.formula import VARIABLE
from akgen.agents.requests.marks import MarkedText
from akgen.agents.requests.request import Shape
from akgen.knowledge.operators import operator_named

_NAME = r"[a-z][a-z0-9_]*"
TENSOR = (
    r"(?!(?:where|with|and|of|is|are|in|for|the|all|both|shape|input|inputs|returns?|outputs?)(?![a-z0-9_]))"
    r"[a-z][a-z0-9_]*"
)
LISTED = rf"{TENSOR}(?:\s*(?:,|/|&|、|and|和|与)\s*{TENSOR})*"
_SPLIT = re.compile(
    rf"(?:split|chunk)(?:ting)?[^.;。；]{{0,40}}?(?:two|2|halves|half)[^.;。；]{{0,12}}?"
    rf" (?P<a>{_NAME}) (?:and|,) (?P<b>{_NAME})"
)
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


def halves_of(text: MarkedText) -> dict[str, ast.expr]:
    """Return what names of halves stand for, "split in two halves a and b": parts of x."""
    halves = [ast.parse(f"torch.chunk(x, 2, dim=-1)[{i}]", mode="eval").body for i in (0, 1)]
    if "half_first" in text.text and "half_second" in text.text:
        return dict(zip(("half_first", "half_second"), halves, strict=True))
    match = _SPLIT.search(text.text)
    if match is None or match["a"] in _WORDS or match["b"] in _WORDS:
        return {}
    text.mark(*match.span(), "named")
    return dict(zip((match["a"], match["b"]), halves, strict=True))


def declared_shapes(text: MarkedText) -> dict[str, Shape]:
    """Return the shapes that stand behind names; what stands between is marked."""
    sizes.take_long_shapes(text)
    sizes.take_shapes(text)
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
        for name in names:
            if operator_named(name) is None or VARIABLE.match(name):
                found.setdefault(name, mark.value[0])
        if any(n in found for n in names):
            text.mark(begin, mark.begin, "filler")
    return found


_IS_A = re.compile(
    r"(?<![a-z0-9_])(?P<names>[a-z]\d?) (?:is|=) (?:an?|the) (?:[a-z\-]+ ){1,3}(?:of )?(?:shape |size )?\Z"
)
_NAMES_BEFORE = re.compile(
    rf"(?<![a-z0-9_])(?P<names>{LISTED})"
    r"(?:\s*(?:is|are|of|has|have|with|shape|shapes|size|both|each|all|an?|as|in|two|three|four|tensors?|matrix|inputs?"
    r"|\([a-z, ]+\)"
    r"|[:=\[({]|的形状|形状|大小|都|各|均|为|是|两个|三个|输入))*\s*\Z"
)


def shapes_of(
    text: MarkedText, variables: tuple[str, ...], declared: dict[str, Shape]
) -> tuple[Shape, ...] | None:
    if all(v in declared for v in variables):
        return tuple(declared[v] for v in variables)
    if not any(m.kind == "shape" for m in text.marks):
        # sizes by what they count: "256 rows, 384 features"
        found = sizes.take_sizes(
            text, ("samples", "batch", "heads", "tokens", "channels", "height", "breadth", "hidden")
        )
        return (tuple(found.values()),) if len(found) > 1 else ()
    said = list(dict.fromkeys(m.value[0] for m in text.marks if m.kind == "shape" and len(m.value) == 1))
    if len(said) == 1:
        return (said[0],)
    return None
