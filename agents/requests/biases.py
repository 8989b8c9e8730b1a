"""Add a bias to what is known, as a follow-up says: "add a bias of 256", "再加一个长度 128 的 bias".

The bias is added behind what stands; it takes the place of nothing. Its length must be that of the result's last axis.

The weights of a norm are taken away likewise: "no affine", "weight/bias 不要了".
"""

import ast
import re
from functools import cache

from akgen.agents.requests.attributes import parameters_of
from akgen.agents.requests.fits import shape_of
from akgen.agents.requests.follow_up_words import pattern, plainly
from akgen.agents.requests.marks import words
from akgen.agents.requests.needs import entry_of
from akgen.agents.requests.problems import Unclear
from akgen.agents.requests.request import ChainStep, Request, Shape
from akgen.agents.requests.sizes import number
from akgen.knowledge.forms import OperatorForm, form_named
from akgen.knowledge.operators import operator_named

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
    if any((s.formula or "").startswith("conv") for s in known.steps):
        raise Unclear("order", names=[*(s.formula or s.operator for s in known.steps), text])
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


_SWITCHES = ("elementwise_affine", "affine", "weighted")


def without_weights(text: str, known: Request) -> Request | None:
    """Return the known request, whose first step is a norm, without its weights; None of another text or request.

    A text that takes one of two weights away is another one.
    """
    said = plainly(text)
    if pattern("no weights").fullmatch(said) is None or known.source is not None or len(known.shapes) > 1:
        return None
    first, *later = known.steps
    both = pattern("of both").search(said) is not None
    bare = _bare(first, both=both) if first.formula is None else _bare_form(first, both=both)
    if bare is None:
        return None
    shapes = known.shapes
    if first.formula is not None and shapes and len(shapes[0]) > 1:
        shapes = (_less(first, shapes[0]),)
    return known.model_copy(update={"steps": (bare, *later), "shapes": shapes})


def _bare(step: ChainStep, *, both: bool) -> ChainStep | None:
    """Return a norm whose weights are its own, without them."""
    entry = entry_of(step)
    switch = next((s for s in _SWITCHES if s in parameters_of(entry)), None)
    if entry.category != "normalization" or switch is None or not (both or entry.name == "rms_norm"):
        return None
    kept = {n: v for n, v in step.attributes.items() if n not in ("bias", *_SWITCHES)}
    return step.model_copy(update={"attributes": {**kept, switch: False}})


def _bare_form(step: ChainStep, *, both: bool) -> ChainStep | None:
    """Return a norm whose weights are tensors, without them."""
    called = _form(step)
    if called is None or (entry := operator_named(called[0].operators[0])) is None:
        return None
    form, tree = called
    slots = {s.name for s in form.slots}
    weights = {k.arg for k in tree.keywords if k.arg in ("weight", "bias")}
    given = {k.arg: k.value for k in tree.keywords if k.arg not in weights}
    tensors = [v for n, v in given.items() if n in slots]
    values = {str(n): v for n, v in given.items() if n not in slots}
    if (
        entry.category != "normalization"
        or not weights
        or len(tensors) != 1
        or (len(weights) > 1 and not both)
    ):
        return None
    attributes = {n: ast.literal_eval(v) for n, v in values.items()}
    plain = ChainStep(operator=entry.name, attributes=attributes, index_dtype=step.index_dtype)
    return _bare(plain, both=True)


def _less(step: ChainStep, shapes: tuple[Shape, ...]) -> tuple[Shape, ...]:
    """Return the shapes without those of the weights."""
    called = _form(step)
    weights = (
        {ast.unparse(k.value) for k in called[1].keywords if k.arg in ("weight", "bias")} if called else set()
    )
    own = [s for name, s in zip(step.variables, shapes, strict=False) if name not in weights]
    return (*own, *shapes[len(step.variables) :])


def _form(step: ChainStep) -> tuple[OperatorForm, ast.Call] | None:
    tree = ast.parse(step.formula or "0", mode="eval").body
    form = form_named(ast.unparse(tree.func)) if isinstance(tree, ast.Call) else None
    return (form, tree) if form is not None and isinstance(tree, ast.Call) and not tree.args else None
