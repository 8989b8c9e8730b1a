"""Put attributes that stand apart beside the operator that they belong to: "conv + relu + max pool, conv stride 1
padding 1, pool 2x2 stride 2".

A clause that names a layer of the chain once more, and says nothing but attributes of it, goes behind the layer's name.
"""

import re

_LAYERS = {
    "conv": r"(?:(?:depthwise |dilated |grouped )?conv(?:olution)?(?:[123]d)?|卷积)",
    "pool": r"(?:(?:max|avg|average|mean)?[- ]?pool(?:ing)?(?:[123]d)?|(?:最大|平均|均值)?池化)",
}
_VALUE = r"(?:[\[(] ?\d(?: ?, ?\d)* ?[\])]|\d{1,2}(?: ?[x×] ?\d{1,2}){0,2})"
_NAMED = (
    rf"(?:(?:stride|strides|padding|pad|kernel(?:[ _]size)?|window|dilation|groups|步长|步幅|填充|补零|核|窗"
    rf"口|核大小|膨胀率?|分组数?)"
    rf"(?: of| is| ?=|:|：|为|是|取)? ?{_VALUE}|{_VALUE}(?: (?:kernel|window))?)"
)
_CLAUSE = (
    r"(?P<before>[,，;；。(（]|\.(?=\s)) ?(?:the )?(?P<layer>{layer})(?:的|层|:|：| is| with| has| uses|用)* "
    r"?(?P<said>{named}(?:(?: ?[,，、]? ?| and ){named})*)(?= ?(?:[,，;；。)）]|\.(?!\d)|\Z))"
)


def with_own_attributes(text: str) -> str:
    """Return a text with the attributes that a later clause gives a layer behind the layer's name."""
    for layer in _LAYERS.values():
        named = re.compile(rf"(?<![A-Za-z_]){layer}(?: ?\d ?[x×] ?\d)?(?![A-Za-z_])", re.I)
        clauses = [*re.finditer(_CLAUSE.format(layer=layer, named=_NAMED), text, re.I)]
        mentions = [*named.finditer(text)]
        if len(clauses) != 1 or len(mentions) != len((0, 0)):
            continue
        clause, first = clauses[0], mentions[0]
        if first.end() > clause.start("layer"):
            continue
        rest = text[: clause.start()] + text[clause.end() :]
        text = f"{rest[: first.end()]} {clause['said']}{rest[first.end() :]}"
    return text
