"""Take the weights of a norm away, as a follow-up says: "no affine", "weight/bias 不要了"."""

import ast

from akgen.agents.requests.attributes import parameters_of
from akgen.agents.requests.follow_up_words import pattern
from akgen.agents.requests.needs import entry_of
from akgen.agents.requests.request import ChainStep, Request, Shape
from akgen.agents.requests.revision_words import plainly
from akgen.knowledge.forms import OperatorForm, form_named
from akgen.knowledge.operators import operator_named

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
