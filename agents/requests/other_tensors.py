"""Change one tensor of what is known, as a follow-up says: "the second one is [64]", "K 改成 64", "b comes transposed".

The operator is known and takes its tensors in an order; one of them gets another shape, is given transposed, or comes
in addition: "another input c [4, 24] at the end".

What an operator takes is changed likewise: a constant in a tensor's place, two tensors exchanged, one given.
"""

import ast
import re
from functools import cache

from akgen.agents.requests.follow_up_words import pattern, plainly
from akgen.agents.requests.marks import words
from akgen.agents.requests.needs import tensors_of
from akgen.agents.requests.places import shape_of
from akgen.agents.requests.problems import Unclear
from akgen.agents.requests.request import ChainStep, Request, Shape
from akgen.agents.requests.sizes import number
from akgen.agents.requests.trees import names_of, substituted

_PAIR = 2
_PRODUCTS = ("matmul", "mm", "bmm")
_VARIABLE = re.compile(
    r"(?:(?:ok|okay|now|and|but|actually|sorry|no|please|also|make|set|change|let|the|把|那)[ ,]*)*(?P<name>[a-z]\w*)"
    r"(?:'s shape|的?形状| shape)? ?(?:现在|应该|only|just|actually)* ?"
    r"(?:=|:|：|is|has|to|be|becomes|should be|must be|改[为成]|换成|变成|是|为)* ?"
    r"(?:now |only |just |of shape |shape |an? |vector |tensor )*"
    r"(?P<shape>[\[(] ?\d{1,12}(?: ?, ?\d{1,12})* ?,? ?[\])]|\d{1,12}(?: ?x ?\d{1,12})+)(?: now| instead| please|了)*",
    re.I | re.A,
)
_MORE = (
    r"(?<![a-z])(?:append|concat|concatenate|more|another|third|fourth|extra|additional|end|last)(?![a-z])"
    r"|拼|追加|还有|再"
)
_ORDINALS = {
    "first": 0, "1st": 0, "一": 0, "1": 0, "左": 0, "left": 0,
    "second": 1, "2nd": 1, "二": 1, "2": 1, "right": 1, "右": 1,
    "third": 2, "3rd": 2, "三": 2, "3": 2,
}  # fmt: skip


def with_other_tensor(text: str, known: Request) -> Request | None:
    """Return the known request with one tensor changed; None where a clause changes none. Raises Unclear."""
    text = text.strip().rstrip(".。!！")
    if not known.steps or known.source is not None or len(known.shapes) != 1:
        return None
    for change in (_one_more, _transposed, _shaped, _of_variable, _sized):
        if (changed := change(text, known)) is not None:
            return changed
    return None


def _given(known: Request) -> tuple[Shape, ...] | None:
    """Return the shapes of the first step's tensors where no later step takes one."""
    first, *later = known.steps
    if any(tensors_of(s) != 1 or s.operands for s in later):
        return None
    shapes, count = known.shapes[0], tensors_of(first)
    if len(shapes) not in (1, count) or first.operands:
        return None
    return shapes * count if len(shapes) < count else shapes


def _with(known: Request, shapes: tuple[Shape, ...]) -> Request:
    return known.model_copy(update={"shapes": (shapes,), "sizes": {}})


def _shaped(text: str, known: Request) -> Request | None:
    match = _pattern("of tensor").fullmatch(text)
    shapes = _given(known) if match is not None else None
    if match is None or shapes is None:
        return None
    said = {name.rstrip("0123456789"): value for name, value in match.groupdict().items() if value}
    at, shape = _ORDINALS[said["which"].lower()], shape_of(said["shape"])
    if shape is None or at >= len(shapes) or len(shapes) < _PAIR:
        return None
    return _with(known, (*shapes[:at], shape, *shapes[at + 1 :]))


def _of_variable(text: str, known: Request) -> Request | None:
    """Give a tensor of a formula, by its name, another shape: "a is [128, 1] now"."""
    match = _VARIABLE.fullmatch(text)
    names = known.steps[0].variables
    shapes = _given(known) if match is not None and match["name"].lower() in names else None
    shape = shape_of(match["shape"]) if match is not None else None
    if match is None or shapes is None or shape is None or len(shapes) < _PAIR:
        return None
    at = names.index(match["name"].lower())
    return _with(known, (*shapes[:at], shape, *shapes[at + 1 :]))


def _sized(text: str, known: Request) -> Request | None:
    """Set m, n or k of a product of two matrices."""
    match = _pattern("of product").fullmatch(text)
    shapes = _given(known) if match is not None else None
    if match is None or shapes is None or known.steps[0].operator not in _PRODUCTS or len(shapes) != _PAIR:
        return None
    size, (left, right) = number(match["size"]), shapes
    if min(len(left), len(right)) < _PAIR:
        return None
    name = match["name"].lower()
    if name == "m":
        return _with(known, ((*left[:-2], size, left[-1]), right))
    if name == "n":
        return _with(known, (left, (*right[:-1], size)))
    return _with(known, ((*left[:-1], size), (*right[:-2], size, right[-1])))


def _transposed(text: str, known: Request) -> Request | None:
    """Take the second matrix of a product as it is stored: transposed. Raises Unclear if its shape differs."""
    match = _pattern("stored").fullmatch(text)
    shapes = _given(known) if match is not None else None
    first, *later = known.steps
    if match is None or shapes is None or first.operator not in _PRODUCTS or len(shapes) != _PAIR:
        return None
    left, right = shapes
    stored = (*right[:-2], right[-1], right[-2])
    said = shape_of(match["shape"]) if match["shape"] else stored
    if said != stored:
        raise Unclear("disagree", name="b", said=list(said or ()))
    step = ChainStep(operator="formula", formula="a @ torch.transpose(b, -1, -2)", variables=("a", "b"))
    return _with(known.model_copy(update={"steps": (step, *later)}), (left, stored))


def _one_more(text: str, known: Request) -> Request | None:
    """Put one tensor more behind those that are put side by side. Raises Unclear of any other operator."""
    match = _pattern("one more").fullmatch(text)
    shapes = _given(known) if match is not None else None
    if match is None:
        return None
    told = {name.rstrip("0123456789"): value for name, value in match.groupdict().items() if value}
    shape = shape_of(told["shape"])
    first, *later = known.steps
    if "name" in told and not _is_appended(text, told, known):
        return None
    if shape is None or shapes is None or first.formula is not None or first.operator not in ("cat", "stack"):
        raise Unclear("order", names=[*(s.formula or s.operator for s in known.steps), text])
    names = tuple(f"x{i}" for i in range(len(shapes) + 1))
    dim = first.attributes.get("dim", 0)
    formula = f"torch.{first.operator}(({', '.join(names)}), dim={dim!r})"
    step = ChainStep(operator="formula", formula=formula, variables=names)
    return _with(known.model_copy(update={"steps": (step, *later)}), (*shapes, shape))


def _is_appended(text: str, told: dict[str, str], known: Request) -> bool:
    """Say whether a clause with a named tensor puts it beside the others: "append c [4, 8]", "c [4, 8] goes last"."""
    joins = known.steps[0].operator in ("cat", "stack") and known.steps[0].formula is None
    more = "end" in told or re.search(_MORE, text, re.I) is not None
    return joins and more and told["name"].lower() not in ("a", "b", "x", "y")


@cache
def _pattern(name: str) -> re.Pattern[str]:
    return re.compile(words()["edits"][name], re.I)


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
    for change in (_constant, _swapped, _given_transposed):
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
    return _with_first(step.model_copy(update=update), shapes, known)


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
    return _with_first(step.model_copy(update={"formula": formula}), _shapes(step, known), known)


def _given_transposed(said: str, step: ChainStep, known: Request) -> Request | None:
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
    return _with_first(step.model_copy(update={"formula": formula}), shapes, known)


def _with_first(step: ChainStep, shapes: tuple[Shape, ...], known: Request) -> Request:
    steps = (step, *known.steps[1:])
    return known.model_copy(update={"steps": steps, "shapes": (shapes,) if shapes else (), "sizes": {}})
