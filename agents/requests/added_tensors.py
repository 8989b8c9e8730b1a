"""Add a tensor of its own to what is known, as a follow-up says: "add a residual [16, 24] after the gelu".

The tensor has a name, or is called by what it is, and its shape is told. It goes behind what stands, or in front of or
behind the operator that the text names; the bias of a layer whose weight is given becomes the layer's.

One that is told of by another's shape, "a third input c of the same shape, and multiply the result with it", is written
with its own: "multiply by c [8, 16]".
"""

import ast
import re
from functools import cache

from akgen.agents.requests.follow_up_words import patterns, plainly
from akgen.agents.requests.marks import words
from akgen.agents.requests.needs import entry_of, tensors_of
from akgen.agents.requests.places import dtype_of, shape_of
from akgen.agents.requests.problems import Unclear
from akgen.agents.requests.request import ChainStep, Request, Shape
from akgen.agents.requests.result_shapes import result_shape
from akgen.agents.requests.sizes import number
from akgen.knowledge.operators import find_operators, operator_named

_SIGNS = {"add": "+", "mul": "*", "sub": "-", "div": "/"}
_LAYERS = {"linear_without_bias": "linear_given"} | {f"conv{n}d_given": f"conv{n}d_given" for n in (1, 2, 3)}
_MULTIPLIES = re.compile(r"mul|scale|times|乘", re.I)
_SUBTRACTS = re.compile(r"subtract|减", re.I)
_BEHIND = re.compile(r"after|behind|后", re.I)
_BIAS = re.compile(r"bias|b|偏置", re.I)
_FIRST = re.compile(  # "add a residual [4, 8] before it", "先加上残差 [4, 8]"
    r"(?:\A| )first(?![a-z])| (?:beforehand|up ?front|at the (?:very )?(?:start|beginning))(?![a-z])"
    r"| before (?:it|that|this|all of (?:it|that))(?![a-z])"
    r"|\A(?:在)?(?:这|它|那)?之?前(?:面)?(?=先|加|乘|减)|(?:\A|(?<=[，, ]))先",
    re.I,
)
_EACH_ROW = re.compile(
    r" (?:each|every) row(?: of it)?(?= )| per row(?![a-z])| row-?wise|每一?行(?:都|各|再)?", re.I
)


def with_tensor(text: str, known: Request) -> Request | None:
    """Return the known request with the tensor that a clause adds; None if it adds none. Raises Unclear."""
    text = text.strip().rstrip(".。!！")
    in_front = _FIRST.search(text) is not None and bool(known.steps)
    by_row = _EACH_ROW.search(text) is not None
    match = _pattern().fullmatch(_EACH_ROW.sub("", _FIRST.sub("", text)).strip())
    if known.source is not None or len(known.shapes) != 1:
        return None
    if match is None:
        return _with_layer_bias(text, known)
    said = {name.rstrip("0123456789"): value for name, value in match.groupdict().items() if value}
    shape = shape_of(said["shape"])
    dtype = dtype_of(said["dtype"]) if "dtype" in said else None
    if shape is None or (dtype is not None and (dtype,) != known.dtypes):
        return None
    if re.search(rf"{re.escape(said.get('name', '#'))}\(", text) and operator_named(said["name"].lower()):
        return None  # "multiply by sqrt(16)" is a number
    noun = said.get("noun", "").lower()
    name = _name(said.get("name", "").lower() or noun, known)
    bias = _BIAS.fullmatch(said.get("name") or noun) is not None and "where" not in said
    if bias and (layered := _of_layer(shape, known)) is not None:
        return layered
    if bias and len(shape) == 1:
        return None  # `biases` adds it
    at = len(known.steps)
    if "where" in said:
        place = _place(said["where"], known)
        if place is None:
            return None
        at = place + (_BEHIND.search(said["how"]) is not None)
    if in_front and "where" not in said:
        at = 0
    put = _over_rows(name, shape, known) if by_row else name
    if put is None or (by_row and at != len(known.steps)):
        return None
    verb = said.get("verb", "add")
    sign = "*" if _MULTIPLIES.search(verb) else "-" if _SUBTRACTS.search(verb) else "+"
    step = ChainStep(operator="formula", formula=f"x {sign} {put}", variables=("x", name))
    return _inserted(at, step, shape, known, fits=by_row)


def _name(word: str, known: Request) -> str:
    """Return a name that no tensor of the request has."""
    plain = re.sub(r"\W+", "_", word.strip()) if word.isascii() and word.strip() else "added"
    taken = {v for s in known.steps for v in s.variables} | {"x", "torch"}
    while plain in taken or find_operators(f"{plain}(x)")[:1]:
        plain = f"{plain}_in"
    return plain


def _place(name: str, known: Request) -> int | None:
    """Return the only step that a name means; of a layer with given weights, by the layer's name."""
    name = re.sub(r"\A(?:the|that|this) ", "", name.strip().lower())
    named = find_operators(name)
    if len(named) != 1 or (named[0].begin, named[0].end) != (0, len(name)):
        return None
    wanted = named[0].operator
    found = [
        i
        for i, s in enumerate(known.steps)
        if (
            s.operator == wanted
            if s.formula is None
            else (s.formula or "").startswith((f"{wanted}_", f"{wanted}("))
        )
    ]
    return found[0] if len(found) == 1 else None


def _taken(steps: tuple[ChainStep, ...]) -> int | None:
    """Return how many tensors steps take; None where it is not told by them alone."""
    count = 0
    for at, step in enumerate(steps):
        if at == 0:
            count += _tensors(step)
        elif step.formula is not None:
            count += len(step.variables) - 1
        elif entry_of(step).source or not _on_one_tensor(step):
            return None
    return count


def _tensors(step: ChainStep) -> int:
    """Return how many tensors a step takes beside its numbers."""
    count = tensors_of(step)
    return max(1, count - sum(isinstance(o, int | float) for o in step.operands)) if count > 1 else count


def _on_one_tensor(step: ChainStep) -> bool:
    """Say whether a step takes what stands before it alone, or with a number."""
    return all(isinstance(o, int | float) for o in step.operands) and _tensors(step) == 1


def _over_rows(name: str, shape: Shape, known: Request) -> str | None:
    """Return a vector as a column where it has a number for each row of the result, as it is where for each column."""
    here = result_shape(known)
    if here is None or len(here) < len((0, 0)) or len(shape) != 1 or here[-1] == here[-2] == shape[0]:
        return None
    return f"{name}.unsqueeze(-1)" if shape[0] == here[-2] else name if shape[0] == here[-1] else None


def _inserted(
    at: int, step: ChainStep, shape: Shape, known: Request, *, fits: bool = False
) -> Request | None:
    """Return the known request with a step that takes one tensor more. Raises Unclear where the tensor does not fit."""
    before, after = known.steps[:at], known.steps[at:]
    count, whole = _taken(before) if before else 1, _taken(known.steps)
    given = known.shapes[0]
    if count is None or whole is None or len(given) not in (1, whole):
        return None
    if len(given) < whole:
        given = given * whole
    if not before:
        return None if whole != 1 else _changed((step, *after), (given[0], shape), known)
    here = result_shape(known.model_copy(update={"steps": before, "shapes": (given[:count],)}))
    if here is not None and not fits and not _fits(shape, here):
        raise Unclear("disagree", name=step.variables[1], said=list(shape))
    return _changed((*before, step, *after), (*given[:count], shape, *given[count:]), known)


def _changed(steps: tuple[ChainStep, ...], shapes: tuple[Shape, ...], known: Request) -> Request:
    return known.model_copy(
        update={"steps": steps, "shapes": (shapes,), "every_result": False, "returned": ()}
    )


def _fits(shape: Shape, wanted: Shape) -> bool:
    """Say whether a tensor can be put beside another one without making it larger."""
    pairs = zip(reversed(shape), reversed(wanted), strict=False)
    return len(shape) <= len(wanted) and all(n in (1, m) for n, m in pairs)


def _with_layer_bias(text: str, known: Request) -> Request | None:
    """Return the known request with the bias of its layer, whose weight is given: as long as is said, or must be."""
    match = re.compile(words()["edits"]["bias"], re.I).fullmatch(text)
    if match is None or not known.steps:
        return None
    said = next((number(n) for n in match.groups() if n), None)
    return _of_layer(None if said is None else (said,), known)


def _of_layer(shape: Shape | None, known: Request) -> Request | None:
    """Return the known request with a bias in its layer, whose weight is given. Raises Unclear if it does not fit."""
    first, *later = known.steps
    tree = ast.parse(first.formula or "0", mode="eval").body
    given = known.shapes[0]
    if (
        not isinstance(tree, ast.Call)
        or not isinstance(tree.func, ast.Name)
        or len(given) != len(first.variables)
    ):
        return None
    slots = {k.arg: ast.unparse(k.value) for k in tree.keywords}
    if tree.func.id not in _LAYERS or "bias" in slots or slots.get("weight") not in first.variables:
        return None
    wanted = given[first.variables.index(slots["weight"])][:1]
    if shape not in (None, wanted):
        raise Unclear("disagree", name="bias", said=list(shape or ()))
    name = _name("bias", known)
    values = [k for k in tree.keywords if k.arg in ("input", "weight")]
    tree.keywords = [
        *values,
        ast.keyword("bias", ast.Name(name)),
        *(k for k in tree.keywords if k not in values),
    ]
    tree.func.id = _LAYERS[tree.func.id]
    step = first.model_copy(
        update={
            "formula": ast.unparse(ast.fix_missing_locations(tree)),
            "variables": (*first.variables, name),
        }
    )
    count = len(first.variables)
    return _changed((step, *later), (*given[:count], wanted, *given[count:]), known)


@cache
def _pattern() -> re.Pattern[str]:
    return re.compile(words()["edits"]["tensor"], re.I)


_VERBS = {
    "m": "multiply by",
    "s": "multiply by",
    "a": "add",
    "p": "add",
    "乘": "multiply by",
    "加": "add",
    "减": "subtract",
}


def with_alike_tensor(text: str, known: Request) -> str:
    """Return a follow-up that adds a tensor of the known shape with that shape; any other one as it is.

    Where the tensors and the result have more shapes than one, nobody knows which is meant.
    """
    said = plainly(text)
    match = next((m for form in patterns("alike tensor") if (m := form.fullmatch(said))), None)
    shapes = {s for case in known.shapes for s in case} | {result_shape(known)}
    if match is None or len(shapes) != 1 or (shape := shapes.pop()) is None:
        return text
    verb = match["verb"].lower()
    written = "subtract" if verb.startswith("sub") else _VERBS[verb[0]]
    sizes = ", ".join(map(str, shape))
    return f"{written} {(match['name'] or 'added').lower()} [{sizes}]"
