"""Add a bias to what is known, as a follow-up says: "add a bias of 256", "再加一个长度 128 的 bias".

The bias is added behind what stands; it takes the place of nothing. Its length must be that of the result's last axis.
"""

import ast
import re
from functools import cache

from akgen.agents.requests.fits import shape_of
from akgen.agents.requests.marks import words
from akgen.agents.requests.needs import entry_of
from akgen.agents.requests.problems import Unclear
from akgen.agents.requests.request import ChainStep, Request, Shape
from akgen.agents.requests.sizes import number

_KEEPS_SHAPE = ("elementwise", "activation", "softmax", "scan", "normalization")
_BEHIND = re.compile(r"\s*(?:then|and then|再|然后|接着|后面?接)", re.I)
_CHANGES_MORE = re.compile(
    r"(?<![a-z])(?:instead|before|first|not?|without|rather|drop|remove|only)(?![a-z])|换|改|去掉|不|之前|前面",
    re.I,
)


def with_bias(text: str, known: Request) -> tuple[ChainStep, ...] | None:
    """Return the known steps with the bias that the text adds; None if it says anything else. Raises Unclear."""
    match = _added().fullmatch(text.strip())
    if match is None or not known.steps or not known.shapes:
        return None
    last = known.steps[-1]
    if last.formula is None and entry_of(last).category == "convolution":
        return None  # it is along the channels
    said = next((number(n) for n in match.groups() if n), None)
    width = _width(known)
    if said is not None and width is not None and said != width:
        raise Unclear("disagree", name="bias", said=said)
    steps = tuple(with_own_bias(step) for step in known.steps)
    return steps if steps != known.steps else (*steps, ChainStep(operator="add", operands=("bias",)))


def behind(rest: str) -> str | None:
    """Return the operators behind the bias as words that go on; None where they change more than they add."""
    if _CHANGES_MORE.search(rest):
        return None
    return rest if _BEHIND.match(rest) else f"then {rest}"


def with_own_bias(step: ChainStep) -> ChainStep:
    """Return a layer with the bias that it was said to have none of."""
    kept = {name: value for name, value in step.attributes.items() if name != "bias" or value is not False}
    return step.model_copy(update={"attributes": kept})


def _width(known: Request) -> int | None:
    """Return how long the result's last axis is; None where that is not known."""
    shape: Shape | None = known.shapes[0][0]
    for step in known.steps:
        if step.formula is not None:
            shape = _of_formula(step, known)
        elif step.operator == "linear":
            shape = (
                (*shape[:-1], out)
                if shape and isinstance(out := step.attributes.get("out_features"), int)
                else None
            )
        elif entry_of(step).category not in _KEEPS_SHAPE:
            return None
        if not shape:
            return None
    return shape[-1] if shape else None


def _of_formula(step: ChainStep, known: Request) -> Shape | None:
    shapes = known.shapes[0] if len(known.shapes[0]) > 1 else known.shapes[0] * len(step.variables)
    tree = ast.parse(step.formula or "", mode="eval").body
    found = shape_of(tree, dict(zip(step.variables, shapes, strict=False)))
    return found if isinstance(found, tuple) else None


@cache
def _added() -> re.Pattern[str]:
    return re.compile(words()["edits"]["bias"], re.I)
