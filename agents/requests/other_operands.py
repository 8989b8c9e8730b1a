"""Change what an operator takes, as a follow-up says: a constant in a tensor's place, two tensors exchanged, one given
transposed.

"b 换成常数 0，不再当输入了", "swap a and b", "b arrives as (8, 32, 128), so transpose its last two dims".
"""

import ast

from akgen.agents.requests.follow_up_words import pattern
from akgen.agents.requests.needs import tensors_of
from akgen.agents.requests.places import shape_of
from akgen.agents.requests.problems import Unclear
from akgen.agents.requests.request import ChainStep, Request, Shape
from akgen.agents.requests.revision_words import plainly
from akgen.agents.requests.trees import names_of, substituted

_PAIR = 2
_SIGNS = {"add": "+", "sub": "-", "mul": "*", "div": "/", "matmul": "@", "mm": "@", "bmm": "@"}
_PLACES = {"first": 0, "a": 0, "x": 0, "left": 0, "second": 1, "b": 1, "y": 1, "w": 1, "right": 1}


def with_other_operands(text: str, known: Request) -> Request | None:
    """Return the known request with its first step's tensors as a clause says; None of another clause.

    Raises Unclear where a tensor that is given transposed has another shape.
    """
    said = plainly(text)
    if known.source is not None or not known.steps or len(known.shapes) > 1:
        return None
    written = _written(known)
    if written is None:
        return None
    for change in (_constant, _swapped, _transposed):
        if (changed := change(said, written, known)) is not None:
            return changed
    return None


def _written(known: Request) -> ChainStep | None:
    """Return the first step as a formula with a name for each tensor, where later steps take none."""
    first, *later = known.steps
    if any((s.formula is not None and len(s.variables) > 1) or "tensor" in s.operands for s in later):
        return None
    if first.formula is not None:
        return first
    if first.operator not in _SIGNS or first.operands or first.attributes or tensors_of(first) != _PAIR:
        return None
    return ChainStep(operator="formula", formula=f"a {_SIGNS[first.operator]} b", variables=("a", "b"))


def _shapes(step: ChainStep, known: Request) -> tuple[Shape, ...]:
    """Return the shape of each tensor; none where none is told."""
    given = known.shapes[0] if known.shapes else ()
    return given * len(step.variables) if len(given) == 1 else given


def _named(name: str, step: ChainStep, known: Request) -> str | None:
    """Return the tensor that a word means: by its name, or by its place where operators have no names for theirs."""
    name = name.lower()
    if name in step.variables:
        return name
    at = _PLACES.get(name)
    unnamed = known.steps[0].formula is None or name in ("first", "second", "left", "right")
    return step.variables[at] if at is not None and unnamed and at < len(step.variables) else None


def _constant(said: str, step: ChainStep, known: Request) -> Request | None:
    match = pattern("constant operand").fullmatch(said)
    if match is None:
        return None
    told = {n.rstrip("0123456789"): v for n, v in match.groupdict().items() if v}
    name = _named(told["name"], step, known)
    if name is None or not (told.get("noun") or told.get("tail")) or len(step.variables) < _PAIR:
        return None
    number = ast.parse(told["value"], mode="eval").body
    tree = substituted(ast.parse(step.formula or "", mode="eval").body, {name: number})
    kept = tuple(v for v in step.variables if v != name)
    shapes = tuple(s for v, s in zip(step.variables, _shapes(step, known), strict=False) if v != name)
    if set(names_of(tree)) - {*kept}:
        return None
    holds = {n: held for n, held in step.holds.items() if n in kept}
    update = {"formula": ast.unparse(ast.fix_missing_locations(tree)), "variables": kept, "holds": holds}
    return _with(step.model_copy(update=update), shapes, known)


def _swapped(said: str, step: ChainStep, known: Request) -> Request | None:
    match = pattern("swapped operands").fullmatch(said)
    if match is None or len(step.variables) != _PAIR:
        return None
    told = {n.rstrip("0123456789"): v for n, v in match.groupdict().items() if v}
    left, right = step.variables
    if "one" in told and {_named(told["one"], step, known), _named(told["two"], step, known)} != {
        left,
        right,
    }:
        return None
    tree = ast.parse(step.formula or "", mode="eval").body
    other = substituted(tree, {left: ast.Name(right, ast.Load()), right: ast.Name(left, ast.Load())})
    formula = ast.unparse(ast.fix_missing_locations(other))
    if "new" in told and ast.unparse(ast.parse(told["new"].lower(), mode="eval")) != formula:
        return None
    return _with(step.model_copy(update={"formula": formula}), _shapes(step, known), known)


def _transposed(said: str, step: ChainStep, known: Request) -> Request | None:
    match = pattern("given transposed").fullmatch(said)
    if match is None:
        return None
    told = {n.rstrip("0123456789"): v for n, v in match.groupdict().items() if v}
    name, given = _named(told["name"], step, known), _shapes(step, known)
    if name is None or len(given) != len(step.variables):
        return None
    at = step.variables.index(name)
    stored = (*given[at][:-2], *reversed(given[at][-2:]))
    shape = shape_of(told["shape"]) if "shape" in told else stored
    if len(stored) < _PAIR or shape != stored:
        raise Unclear("disagree", name=name, said=list(shape or ()))
    tree = ast.parse(step.formula or "", mode="eval").body
    moved = ast.parse(f"torch.transpose({name}, -1, -2)", mode="eval").body
    formula = ast.unparse(ast.fix_missing_locations(substituted(tree, {name: moved})))
    shapes = (*given[:at], stored, *given[at + 1 :])
    return _with(step.model_copy(update={"formula": formula}), shapes, known)


def _with(step: ChainStep, shapes: tuple[Shape, ...], known: Request) -> Request:
    steps = (step, *known.steps[1:])
    return known.model_copy(update={"steps": steps, "shapes": (shapes,) if shapes else (), "sizes": {}})
