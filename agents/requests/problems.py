"""Why a request cannot be served, as a sentence in the person's language; the sentences are data beside this file."""

import ast
import math
from typing import Any

from akgen.agents.requests.fits import misfit
from akgen.agents.requests.language import Language, sentence
from akgen.agents.requests.needs import entry_of, takes_integers, tensors_of
from akgen.agents.requests.request import Request, Shape
from akgen.knowledge.operators import Value

MAX_ELEMENTS = 1 << 28  # a gigabyte of float32: what the twin can hold


class Unclear(Exception):
    """A request that can be read in more than one way, or asks for what an operator does not have."""

    def __init__(self, name: str, /, **values: Any) -> None:
        super().__init__(name)
        self.name, self.values = name, values


def problem(name: str, language: Language, /, **values: Any) -> str:
    """Fill in one of the sentences; a missing value is an error."""
    return sentence("akgen.agents.requests", "problems.json", name, language, **values)


def problem_of(request: Request, language: Language) -> str | None:
    """Return what is wrong with a request, as far as it is known; None if nothing is."""
    for shape in (shape for shapes in request.shapes for shape in shapes):
        count = math.prod(shape)
        if count == 0:
            return problem("no_elements", language)
        if count > MAX_ELEMENTS:
            return problem("too_many", language, count=count, limit=MAX_ELEMENTS)
    if request.complete and request.source is not None and request.source.kind == "code":
        if request.shapes:
            return problem("own_shape", language)
        if request.dynamic:
            return problem("own_dynamic", language)
    floats = [d for d in request.dtypes if d.is_float]
    if floats and (step := next(filter(takes_integers, request.steps), None)) is not None:
        return problem("takes_integers", language, name=step.formula or step.operator, dtype=floats[0])
    if (found := misfit(request)) is not None:
        return problem(found.name, language, **found.values)
    if numbers := _numbers_beside(request):
        return problem("order", language, names=numbers)
    if request.steps and request.steps[0].formula is None:
        return _axes(request, language) or _product(request, language) or _reshaped(request, language)
    return None


def _numbers_beside(request: Request) -> list[str]:
    """Return the results of a formula where one is a number: an axis became one, "softmax(s) @ v, ..., dim=-1"."""
    for step in request.steps:
        tree = ast.parse(step.formula or "x", mode="eval").body
        results = tree.elts if isinstance(tree, ast.Tuple) else []
        if any(not any(isinstance(n, ast.Name) for n in ast.walk(r)) for r in results):
            return [ast.unparse(r) for r in results]
    return []


def _axes(request: Request, language: Language) -> str | None:
    """Say so if the first operator is to work along an axis that its tensor does not have."""
    step = request.steps[0]
    for name in ("dim", "dims", "dim0", "dim1"):
        for axis in _numbers(step.attributes.get(name)):
            for shapes in request.shapes:
                rank = len(shapes[0]) + (step.operator in ("unsqueeze", "stack"))
                if not -rank <= axis < rank:
                    return problem("axis_range", language, axis=axis, rank=rank)
    return None


def _reshaped(request: Request, language: Language) -> str | None:
    """Say so if the wanted shape does not have as many elements."""
    step = request.steps[0]
    wanted = step.attributes.get("shape")
    if step.operator != "reshape" or not isinstance(wanted, tuple) or -1 in wanted:
        return None
    for shapes in request.shapes:
        if math.prod(shapes[0]) != math.prod(wanted):
            given, asked = ("x".join(map(str, s)) for s in (shapes[0], wanted))
            return problem("no_reshape", language, given=given, wanted=asked)
    return None


def _numbers(value: Value) -> tuple[int, ...]:
    return value if isinstance(value, tuple) else (value,) if isinstance(value, int) else ()


def _product(request: Request, language: Language) -> str | None:
    """Say so if two matrices do not fit each other."""
    step = request.steps[0]
    if entry_of(step).name not in ("matmul", "mm", "bmm") or tensors_of(step) != 2:
        return None
    for shapes in request.shapes:
        if len(shapes) == 2 and not _multiply(*shapes):
            left, right = ("x".join(map(str, s)) for s in shapes)
            return problem("no_product", language, left=left, right=right)
    return None


def _multiply(left: Shape, right: Shape) -> bool:
    return left[-1] == right[-2 if len(right) > 1 else 0]
