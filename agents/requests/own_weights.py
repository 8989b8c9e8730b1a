"""Take the shapes of a layer's own tensors, "weight (8, 4, 3, 3) and bias (8) are inputs", for what they say of it.

A convolution's weight names its channels and its kernel, a linear layer's its features. The layer has them as
parameters.
"""

import re

from akgen.agents.requests.attributes import AttributeValues, parameters_of
from akgen.agents.requests.marks import Mark, MarkedText
from akgen.agents.requests.request import ChainStep, Request, Shape
from akgen.knowledge.operators import OperatorEntry, Value

_OWN = r"(?:weights?|kernels?|bias(?:es)?|gamma|beta|running[_ ]mean|running[_ ]var|权重|偏置|卷积核)"
_SIZES = r"(?:[\[(] ?\d+(?: ?, ?\d+)* ?,?[\])]|\d+(?: ?x ?\d+)+)"
_SHAPED = re.compile(
    rf"(?:(?:and|with|plus) (?:the )?|[,，、和与] ?)?(?<![a-z0-9_])(?P<names>{_OWN}"
    rf"(?:(?: ?[,，、/&] ?| ?和 ?| and | (?={_OWN}))(?:the )?{_OWN})*)(?![a-z0-9_])"
    r"(?: ?(?:is|are|of|has|have|shape|both|each|:|=|形状|的|为|是|都是|都|各|tensors?|vectors?))* ?"
    rf"(?:(?P<shape>{_SIZES})|,? ?(?:both|each|都是?|各) (?:of )?(?:length |size )?(?P<each>\d+)(?! ?[x\d.,*])"
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
            found = of_weight(layers, sizes) if _WEIGHT.search(match["names"]) else None
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


def of_weight(layers: list[OperatorEntry], sizes: Shape) -> dict[str, Value] | None:
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
            return {"out_features": sizes[0]}
    return None


def put_own_weights(text: MarkedText, said: dict[str, Value]) -> None:
    """Add what the weights said where no other word has said it."""
    named = {name for m in text.marks if m.kind == "attribute" for name in m.value.values}
    for name, value in said.items():
        if name not in named:
            text.mark(0, 0, "attribute", AttributeValues({name: value}))
