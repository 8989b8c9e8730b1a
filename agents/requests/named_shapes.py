"""Find the shapes of tensors that a text calls by name: a formula's variables, an operator's "image" and "grid".

An equation such as "einsum bhqd,bhkd->bhqk" names sizes by its letters.
"""

import re

from akgen.agents.requests.marks import Mark, MarkedText
from akgen.agents.requests.needs import way_of
from akgen.agents.requests.request import ChainStep, Request, Shape

_PAIR = 2
_ROLES = {
    "input": r"inputs?|x|images?|imgs?|pictures?|data|a|src|scores|输入|图像?|图片", "grid": r"grids?|网格",
    "other": r"other|y|b", "query": r"q|query|queries", "key": r"k|keys?", "value": r"v|values?",
    "sorted_sequence": r"edges|boundaries|bins|sorted[ _]sequence|thresholds|边界",
    "index": r"idx|index|indices|ids|索引|下标", "src": r"src|source|updates?|values?",
    "x1": r"x1?|a", "x2": r"x2|y|b", "mat1": r"a|x|mat1", "mat2": r"b|y|mat2", "batch1": r"a|x", "batch2": r"b|y",
}  # fmt: skip
_OF_ROLE = (
    r"(?:\s|[:=]|(?<![a-z])(?:is|are|of|has|with|shape|size|tensor|as|an?|fp\d+|bf16|float\d*|int\d+)(?![a-z])"
    r"|[是为的]|形状)*\Z"
)


def by_role(text: MarkedText, request: Request, listed: list[Mark]) -> tuple[Shape, ...] | None:
    """Return the shapes of an operator's tensors where each is named by its role: "image 1x2x16x16, grid 1x4x4x2"."""
    step = request.steps[0]
    if step.formula is not None or any(len(m.value) != 1 for m in listed):
        return None
    way = way_of(step)
    if way.signature is None or way.signature.is_module or len(way.tensors) != len(listed):
        return None
    found: dict[str, Shape] = {}
    for mark in listed:
        before = text.text[: mark.begin]
        fits = [
            p.name
            for p in way.tensors
            if re.search(rf"(?<![a-z0-9_])(?:{_ROLES.get(p.name, '')}|{p.name}){_OF_ROLE}", before)
        ]
        if len(fits) != 1 or fits[0] in found:
            return None
        found[fits[0]] = mark.value[0]
    return tuple(found[p.name] for p in way.tensors)


def by_name(text: MarkedText, listed: list[Mark], variables: tuple[str, ...]) -> list[Shape]:
    """Return the shapes in the order of the variables that stand before them, as in "y 64, x 8x64"."""
    named: dict[str, Shape] = {}
    others: list[Shape] = []
    article = "" if "a" in variables else "a|"  # "a @ b: a is 64x32"
    plain = _without_operators(text)
    for mark in listed:
        said = re.search(
            rf"(?<![a-z0-9_])([a-z][a-z0-9_]*)"
            rf"(?: ?(?:is|of|has|with|shape|size|{article}an|as|in|:|=|为|是|的形状))* ?\Z",
            plain[: mark.begin],
        )
        if said is not None and said[1] in variables and said[1] not in named:
            named[said[1]] = mark.value[0]
        else:
            others.append(mark.value[0])
    rest = iter(others)
    return [named[v] if v in named else next(rest) for v in variables]


_NAME = r"(?!(?:with|where|and|for)(?![a-z0-9_]))[a-z][a-z0-9_]*"
_NAMES_BEFORE = re.compile(
    rf"(?<![a-z0-9_])(?P<names>{_NAME}(?:\s*(?:,|/|&|、|and|和|与)\s*{_NAME})*)"
    r"(?:\s*(?:is|are|of|has|have|with|shape|shapes|size|both|each|all|an|as|in|tensor|matrix|weight|[:=\[({]"
    r"|(?<![:=])(?<![:=] )a(?= [a-z(\[]|\s*\Z)"  # not "a @ b: a is 64x32"
    r"|bool(?:ean)?|(?:fp|bf|float|int)\d+"
    r"|的形状|形状|大小|的|都|各|均|为|是))*\s*\Z"
)


def others_known(
    text: MarkedText, request: Request, known: Request, listed: list[Mark]
) -> tuple[Shape, ...] | None:
    """Return the shapes of a formula of the known tensors where only some are named: "B is 100x300 now, A @ B.T"."""
    first = request.steps[0] if request.steps else None
    had = known.steps[0] if known.steps else None
    if first is None or had is None or len(had.variables) < _PAIR or {*first.variables} != {*had.variables}:
        return None
    if len(known.shapes) != 1 or len(known.shapes[0]) != len(had.variables):
        return None
    shapes = dict(zip(had.variables, known.shapes[0], strict=True))
    named = named_before(text, listed, first.variables)
    if not named or len(named) != len(listed) or len(named) == len(shapes):
        return None
    return tuple({**shapes, **named}[v] for v in first.variables)


def named_before(text: MarkedText, listed: list[Mark], names: tuple[str, ...]) -> dict[str, Shape]:
    """Return the shapes of those of the names that stand before one: "a of 3x50x24 and b of 3x70x24"."""
    found: dict[str, Shape] = {}
    for mark in [m for m in listed if len(m.value) == 1]:
        before = _NAMES_BEFORE.search(text.text[: mark.begin])
        for name in re.findall(_NAME, before["names"]) if before else ():
            if name in names:
                found.setdefault(name, mark.value[0])
    return found


def in_declared_order(text: MarkedText, request: Request, listed: list[Mark]) -> Request:
    """Return the request with a formula's tensors in the order in which their shapes are told, where all are."""
    named = _named(text, request, listed)
    if named is None or tuple(named) == request.steps[0].variables:
        return request
    first = request.steps[0].model_copy(update={"variables": tuple(named)})
    return request.model_copy(update={"steps": (first, *request.steps[1:])})


def all_named(text: MarkedText, request: Request, listed: list[Mark]) -> tuple[Shape, ...] | None:
    """Return the shapes of a formula's tensors where each is named before its shape: "W1 and W3 256x512"."""
    named = _named(text, request, listed)
    return None if named is None else tuple(named[v] for v in request.steps[0].variables)


def _named(text: MarkedText, request: Request, listed: list[Mark]) -> dict[str, Shape] | None:
    first = request.steps[0] if request.steps else None
    if first is None or len(first.variables) < _PAIR or any(len(m.value) != 1 for m in listed):
        return None
    named: dict[str, Shape] = {}
    plain = _without_operators(text)
    for mark in listed:
        before = _NAMES_BEFORE.search(plain[: mark.begin])
        for name in re.findall(_NAME, before["names"]) if before else ():
            if name in first.variables and named.setdefault(name, mark.value[0]) != mark.value[0]:
                return None
    return named if set(first.variables) <= named.keys() else None


def _without_operators(text: MarkedText) -> str:
    """Return the text, place for place, without its operators and formulas, whose names declare nothing."""
    plain = text.text
    for mark in [m for m in text.marks if m.kind == "operator"]:
        plain = plain[: mark.begin] + "\0" * (mark.end - mark.begin) + plain[mark.end :]
    return plain


_EQUATION = re.compile(
    r"(?:einsum|爱因斯坦求和)?"
    r"(?:[\s:,'\"(=“”]|(?<![a-z])(?:for|of|the|equation|subscripts|with|is)(?![a-z])|公式|方程式?|表达式|等式|下标|算子|[是为的])*"
    r"(?<![a-z])(?P<left>[a-z]{1,6}(?: ?, ?[a-z]{1,6}){0,3}) ?(?:->|→) ?(?P<right>[a-z]{0,6})(?![a-z])['\")“”]*"
)
_SIZE = re.compile(r"(?<![a-z0-9_])([a-z]) ?= ?(\d+k?)(?![\d.a-z])[, ]*")
_NAMES = "abcd"


def take_einsum(text: MarkedText, known: Request) -> dict[str, int]:
    """Mark an equation as a formula; return the sizes of its letters, or of those of a known one, by "letter x"."""
    said = "einsum" in text.text or "爱因斯坦求和" in text.text
    match = _EQUATION.search(text.rest) if said else None
    if match is not None:
        left = match["left"].replace(" ", "")
        names = tuple(_NAMES[: left.count(",") + 1])
        formula = f"torch.einsum('{left}->{match['right']}', {', '.join(names)})"
        step = ChainStep(operator="formula", formula=formula, variables=names)
        text.mark(match.start(), match.end(), "operator", step)
    elif not any(s.formula and "einsum" in s.formula for s in known.steps):
        return {}
    sizes = {}
    for found in text.matches(_SIZE):
        sizes[f"letter {found[1]}"] = (
            int(found[2].replace("k", "000")) if "k" not in found[2] else int(found[2][:-1]) * 1024
        )
        text.mark(*found.span(), "filler")
    return sizes


def einsum_shapes(request: Request) -> tuple[Shape, ...]:
    """Return the shapes of an equation's tensors from its letters' sizes; nothing while one is missing."""
    step = request.steps[0] if request.steps else None
    equation = re.match(r"torch\.einsum\('([a-z,]+)->", step.formula or "") if step else None
    if equation is None:
        return ()
    try:
        return tuple(tuple(request.sizes[f"letter {c}"] for c in part) for part in equation[1].split(","))
    except KeyError:
        return ()
