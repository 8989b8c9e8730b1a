"""Read an equation such as "einsum bhqd,bhkd->bhqk" and the sizes of its letters."""

import re

from akgen.agents.requests.marks import MarkedText
from akgen.agents.requests.request import ChainStep, Request, Shape

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
