"""Why a request cannot be served, as a sentence in the person's language; the sentences are data beside this file."""

import math
from typing import Any

from akgen.agents.requests.language import Language, sentence
from akgen.agents.requests.request import Request
from akgen.knowledge.operators import operators

MAX_ELEMENTS = 1 << 28  # a gigabyte of float32: what the twin can hold
REDUCED = "dim=-1"  # how an operator's expression names the axis that may be chosen


def problem(name: str, language: Language, /, **values: Any) -> str:
    """Fill in one of the sentences; a missing value is an error."""
    return sentence("akgen.agents.requests", "problems.json", name, language, **values)


def problem_of(request: Request, language: Language) -> str | None:
    """Return what is wrong with a request, as far as it is known; None if nothing is."""
    if request.shape is not None:
        count = math.prod(request.shape)
        if count == 0:
            return problem("no_elements", language)
        if count > MAX_ELEMENTS:
            return problem("too_many", language, count=count, limit=MAX_ELEMENTS)
    if request.axis is not None and (refused := _axis(request, language)) is not None:
        return refused
    if request.complete and request.source is not None and request.source.kind == "code":
        if request.shape is not None:
            return problem("own_shape", language)
        if request.dynamic:
            return problem("own_dynamic", language)
    return None


def _axis(request: Request, language: Language) -> str | None:
    if request.source is not None:
        return problem("axis_of_code", language)
    operator = next((op for op in operators() if op.name == request.operator), None)
    if operator is None:
        return None
    if REDUCED not in operator.expression or (request.axis == "all" and operator.category != "reduction"):
        return problem("no_axis", language, operator=operator.name)
    if request.shape is None or not isinstance(request.axis, int):
        return None
    rank = len(request.shape)
    if not -rank <= request.axis < rank:
        return problem("axis_range", language, axis=request.axis, rank=rank)
    return None
