"""Write steps that are listed, or told of apart, as steps that follow each other.

"1) relu 2) square", "conv, bias, relu, fused" get "then" between them. Of "conv + relu + max pool, conv stride 1
padding 1, pool 2x2 stride 2", a clause that names a layer of the chain once more, and says nothing but attributes of
it, goes behind the layer's name.
"""

import re

from akgen.knowledge.operators import find_operators, operator_named

_NUMERALS = {"一": 1, "二": 2, "三": 3, "四": 4, "五": 5, "六": 6, "七": 7, "八": 8}
_NUMBER = re.compile(
    r"(?:(?<=[\s:：,，;；.。])|\A)(?:(?:step|步骤)[ #]?(?P<step>\d)(?:[.):：]| -)?"
    r"|第 ?(?P<zh>[一二三四五六七八1-8]) ?步[:：,，]?|[(（](?P<both>\d)[)）]"
    r"|(?P<plain>\d)[.)）、](?!\d))(?=\s|[^\d\s])\s*",
    re.I,
)


def with_steps(said: str) -> str:
    """Return the text with "then" in the place of the numbers of its steps, where each of them has an operator."""
    lines = "\n" in said
    found = [
        m for m in _NUMBER.finditer(said) if not (lines and said[: m.start()].rpartition("\n")[2].strip())
    ]
    numbers = [_NUMERALS.get(n) or int(n) for m in found if (n := next(g for g in m.groups() if g))]
    if len(found) < len((0, 0)) or numbers != [*range(1, len(numbers) + 1)]:
        return said
    ends = [m.start() for m in found[1:]] + [len(said)]
    steps = [said[m.end() : end] for m, end in zip(found, ends, strict=True)]
    if not all(find_operators(step.lower()) for step in steps):
        return said
    plain = [*(step.rstrip(" ,，;；。.\n") for step in steps[:-1]), steps[-1]]
    return said[: found[0].start()] + ", then ".join(plain)


_ADDED = re.compile(
    r"(?<![a-z])(?:(?:add(?:ing)? )?(?:an? |the )?bias(?: add(?:ition)?)?|add(?:ing)? (?:an? |the )?residual"
    r"|residual add(?:ition)?)(?![a-z_ ]*[\d\[(])|加?偏置|加残差",
    re.I,
)
_JOINT = re.compile(
    r"\s*(?:,|，|、|/|\+|(?<![a-z])and(?![a-z]))\s*(?:(?:and|then|an?|the|a final)(?![a-z])\s*)*", re.I
)
_FUSED = re.compile(
    r"(?<![a-z])(?:fuse[ds]?|fusing|in one|in a single kernel|as one|one (?:single )?(?:kernel|op))(?![a-z])|合一|融合"
    r"|一个(?:算子|kernel)",
    re.I,
)
_FEW = 3


def with_listed(said: str) -> str:
    """Return the text with "then" between the operators of a list that shall be one kernel.

    Two operators may be two results, and so may several reductions, or several tensors.
    """
    if _FUSED.search(said) is None:
        return said
    lowered = said.lower()
    named = [(n.begin, n.end, n.operator) for n in find_operators(lowered)]
    taken = [
        (m.start(), m.end(), "add")
        for m in _ADDED.finditer(lowered)
        if not any(b < m.end() and m.start() < e for b, e, _ in named)
    ]
    runs: list[list[tuple[int, int, str]]] = []
    for item in sorted([*named, *taken]):
        if runs and _JOINT.fullmatch(said[runs[-1][-1][1] : item[0]]):
            runs[-1].append(item)
        else:
            runs.append([item])
    for run in reversed(runs):
        kinds = [e.category if (e := operator_named(name)) is not None else "" for *_, name in run]
        if len(run) < _FEW or kinds.count("reduction") > 1 or len({*kinds}) == 1:
            continue
        listed = " then ".join(said[b:e] for b, e, _ in run)
        said = f"{said[: run[0][0]]}{listed}{said[run[-1][1] :]}"
    return said


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
