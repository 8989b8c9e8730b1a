"""Take the shapes of a layer's own tensors, "weight (8, 4, 3, 3) and bias (8) are inputs", for what they say of it.

A convolution's weight names its channels and its kernel, a linear layer's its features. The layer has them as
parameters.

In a chain each layer may have its own, by short names: "then linear with w [1000, 512], b [1000]". Such a weight must
fit a tensor of the text, or the layer before it.
"""

import re
from typing import NamedTuple

from akgen.agents.requests.attributes import AttributeValues, parameters_of
from akgen.agents.requests.marks import Mark, MarkedText
from akgen.agents.requests.request import ChainStep, Request, Shape
from akgen.knowledge.operators import OperatorEntry, Value, operator_named

_OWN = r"(?:weights?|kernels?|bias(?:es)?|gamma|beta|running[_ ]mean|running[_ ]var|权重|偏置|卷积核)"
_OWN_SIZES = r"(?:[\[(] ?\d+(?: ?, ?\d+)* ?,?[\])]|\d+(?: ?x ?\d+)+)"
_SHAPED = re.compile(
    rf"(?:(?:and|with|plus) (?:the )?|[,，、和与] ?)?(?<![a-z0-9_])(?P<names>{_OWN}"
    rf"(?:(?: ?[,，、/&] ?| ?和 ?| and | (?={_OWN}))(?:the )?{_OWN})*)(?![a-z0-9_])"
    r"(?: ?(?:is|are|of|has|have|shape|both|each|:|=|形状|的|为|是|都是|都|各|tensors?|vectors?))* ?"
    rf"(?:(?P<shape>{_OWN_SIZES})|,? ?(?:both|each|都是?|各) (?:of )?(?:length |size )?(?P<each>\d+)(?! ?[x\d.,*])"
    r"|[(（]?(?:长度|都是|各)* ?"
    r"(?P<length>\d+)(?: ?(?:each|维|个|elements?|entries|long)[)）]?))"
    r"(?: ?(?:are|is|come in as|as|也?作为)? ?(?:the |also )?(?:inputs?|arguments?|输入))?"
)
_ALONE = re.compile(
    rf"(?:依次)?传入 ?{_OWN}(?: ?[,，、/&和] ?{_OWN})*"
    r"|(?:with|and) (?:learnable |affine )?weight and bias(?! ?[\[(]?\d)"
)
_AFFINE = re.compile(
    r"(?<![a-z])(?:with|add|include|has|have|using)(?: an?| the| its| learnable)* (?:weights?|gamma|scale)"
    r"(?: and|,|/| ?&) ?(?:bias|beta|shift)"
    r"|(?:加上?|带上?|要|有) ?(?:weight|gamma|权重) ?(?:和|与|、|及) ?(?:bias|beta|偏置)"
)
_ADDED = re.compile(r"(?:(?<![a-z])(?:add(?:s|ing)?|plus)(?: (?:an?|the))?|加(?:上|一个|个)*)\s*\Z")
_WEIGHT = re.compile(r"weight|kernel|权重|卷积核")


def take_own_weights(text: MarkedText, entries: list[OperatorEntry], known: Request) -> dict[str, Value]:
    """Mark the shapes of the layers' own tensors; return the attributes that they say, by name."""
    layers = [e for e in entries if any(s.is_module for s in e.signatures())]
    if not layers:
        return {}
    said: dict[str, Value] = {}
    first = min((m.begin for m in text.marks if m.kind == "operator" and _is_layer(m, layers)), default=0)
    for match in list(_SHAPED.finditer(text.rest)):
        if "\0" in match[0] or (match.start() < first and _ADDED.search(text.text[: match.start("names")])):
            continue  # "add a bias [64], then layer norm": a step before the layer
        sizes = tuple(int(n) for n in re.findall(r"\d+", match["shape"] or match["each"] or match["length"]))
        if len(sizes) > 1:
            found = _of_weight(layers, sizes) if _WEIGHT.search(match["names"]) else None
            if found is None:
                continue
            said |= found
        if re.search(r"bias|偏置", match["names"]) and any("bias" in parameters_of(e) for e in layers):
            said["bias"] = True
        text.mark(*match.span(), "filler")
    told = _AFFINE.search(text.text) is not None
    for name in ("affine", "elementwise_affine") if told else ():
        if any(step.attributes.get(name) is False for step in known.steps):
            said[name] = True  # "now with weight and bias"
    if said or len(layers) == 1:
        text.take(_ALONE, "filler")
    return said


def _is_layer(mark: Mark, layers: list[OperatorEntry]) -> bool:
    name = mark.value.operator if isinstance(mark.value, ChainStep) else mark.value
    return any(e.name == name for e in layers)


def _of_weight(layers: list[OperatorEntry], sizes: Shape) -> dict[str, Value] | None:
    """Return what a weight's sizes say of the layer that they fit; None if they fit none."""
    for entry in layers:
        known = parameters_of(entry)
        if "kernel_size" in known and entry.category == "convolution" and len(sizes) > len((0, 0)):
            turned = "transpose" in entry.name
            out: dict[str, Value] = (
                {"out_channels": sizes[1 if turned else 0]} if "out_channels" in known else {}
            )
            window = sizes[2:]
            return {**out, "kernel_size": window if len(window) > 1 else window[0]}
        if "out_features" in known and len(sizes) == len((0, 0)):
            return {"out_features": sizes[0], "in_features": sizes[1]}
    return None


def put_own_weights(text: MarkedText, said: dict[str, Value]) -> None:
    """Add what the weights said where no other word has said it."""
    named = {name for m in text.marks if m.kind == "attribute" for name in m.value.values}
    for name, value in said.items():
        if name not in named:
            text.mark(0, 0, "attribute", AttributeValues({name: value}))


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
        said = _of_weight([entry], weight.sizes)
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
