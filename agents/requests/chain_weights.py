"""Take the shapes of weights that a chain's layers have, by short names: "then linear with w [1000, 512], b [1000]".

A linear layer's or a convolution's weight names its features. It must fit a tensor of the text, or the layer before it.
"""

import re
from typing import NamedTuple

from akgen.agents.requests.attributes import AttributeValues
from akgen.agents.requests.marks import Mark, MarkedText
from akgen.agents.requests.own_weights import of_weight
from akgen.agents.requests.request import Shape
from akgen.knowledge.operators import OperatorEntry, Value, operator_named

_SIZES = r"(?:[\[(] ?\d+(?: ?, ?\d+)* ?,? ?[\])]|\d+(?: ?x ?\d+)+(?![\w.]))"
_LINK = (
    r"(?: ?(?:is|are|of|has|have|shape|tensor|matrix|vector|an?|and|both|each|:|=|[\[(]?(?:fp|bf|float)\d+[\])]?"
    r"|形状|的|为|是|都是|都|各)(?![a-z]))*"
)
_NAMED = re.compile(
    r"(?:(?:and|with|plus) (?:the |an? )?|[,，、] ?|[(（] ?)?(?<![a-z0-9_])"
    rf"(?P<name>w|weight|kernel|b|bias|权重|偏置)_?(?P<number>\d?)(?![a-z0-9_]){_LINK} ?(?P<shape>{_SIZES})(?: ?[)）])?"
)
_BIAS = re.compile(r"b(?:ias)?|偏置")
_NO_BIAS = re.compile(
    r"(?<![a-z])(?:no|without(?: an?)?) bias(?:es)?(?![a-z])|bias ?= ?false|不带偏置|无偏置|没有偏置|不要偏置"
)
_PAIR = 2


class _Told(NamedTuple):
    match: re.Match[str]
    bias: bool
    sizes: Shape


def take_chain_weights(text: MarkedText) -> list[Mark]:
    """Mark such shapes; return for each layer, as an attribute, what its own say: nothing where they do not all fit."""
    layers = [(m, e) for m in text.sorted() if (e := _layer(m)) is not None]
    told = [_told(m) for m in _NAMED.finditer(text.rest) if "\0" not in m[0]]
    weights, biases = ([t for t in told if t.bias is bias] for bias in (False, True))
    steps = [m.value for m in text.marks if m.kind == "operator"]
    several = len(steps) >= _PAIR and not any({*getattr(s, "variables", ())} - {"x"} for s in steps)
    if not several or not layers or len(weights) != len(layers) or len(biases) not in (0, len(layers)):
        return []
    spans = [t.match.span() for t in told]
    around = [m for m in re.finditer(_SIZES, text.rest) if not any(b <= m.start() < e for b, e in spans)]
    known = {int(n) for m in around for n in re.findall(r"\d+", m[0])}
    without: dict[str, Value] = {"bias": False} if _NO_BIAS.search(text.text) else {}
    found: list[Mark] = []
    for at, ((mark, entry), weight) in enumerate(zip(layers, weights, strict=True)):
        said = of_weight([entry], weight.sizes)
        bias = biases[at].sizes if biases else None
        if said is None or weight.sizes[1] not in known or bias not in (None, weight.sizes[:1]):
            return []
        known = {*known, weight.sizes[0]}
        given: dict[str, Value] = {**said, "bias": True} if biases else {**said, **without}
        found.append(Mark(mark.begin, mark.begin, "attribute", AttributeValues(given)))
    for begin, end in spans:
        text.mark(begin, end, "filler")
    if not biases:
        text.take(_NO_BIAS, "filler")
    return found


def put_chain_weights(text: MarkedText, found: list[Mark]) -> None:
    """Add what weights said of their layers where no other word behind a layer has said it."""
    for at, mark in enumerate(found):
        end = found[at + 1].begin if at + 1 < len(found) else len(text.text)
        said = {
            name
            for m in text.marks
            if m.kind == "attribute" and (mark.begin <= m.begin < end or len(found) == 1)
            for name in m.value.values
        }
        values = {n: v for n, v in mark.value.values.items() if n not in said}
        text.mark(mark.begin, mark.end, "attribute", AttributeValues(values))


def _layer(mark: Mark) -> OperatorEntry | None:
    entry = operator_named(mark.value) if mark.kind == "operator" and isinstance(mark.value, str) else None
    layer = entry is not None and (entry.name == "linear" or re.fullmatch(r"conv\dd", entry.name))
    return entry if layer else None


def _told(match: re.Match[str]) -> _Told:
    sizes = tuple(int(n) for n in re.findall(r"\d+", match["shape"]))
    return _Told(match, _BIAS.fullmatch(match["name"]) is not None, sizes)
