"""Decide between what the recognisers make of a text and what it lays out, where both read all of it."""

from collections.abc import Mapping

from akgen.agents.requests.formula import is_mask
from akgen.agents.requests.program import tensors_in
from akgen.agents.requests.request import Held, Request, Shape
from akgen.agents.requests.specified.program import NAME
from akgen.tools.core.dtypes import DType


def differs(heard: Request, specified: Request) -> bool:
    """Say whether a request has other tensors, or returns other results, than what a text lays out.

    Several steps of which one is a formula tell what names stand for, as statements do: those are read as laid out.
    """
    assert specified.source is not None and specified.source.arguments is not None
    names = specified.source.arguments
    if heard.source is not None:
        return heard.source.arguments is not None and {*heard.source.arguments} != {*names}
    formulas = [s.formula for s in heard.steps if s.formula is not None]
    if not formulas:
        return False
    if len(heard.steps) > 1 or len(tensors_in(heard)) < len(names):
        return True
    if len(tensors_in(heard)) > len(names):
        return False
    from akgen.tools.reference.meta_run import results_of  # imports torch: only where both are read

    step = heard.steps[0]
    text = f"def {NAME}({', '.join(step.variables)}):\n    return {formulas[0]}"
    ours = results_of(text, NAME, _tensors(step.variables, step.holds, heard))
    theirs = results_of(specified.source.text, NAME, _tensors(names, specified.source.holds, specified))
    if ours is None or theirs is None:
        return False
    sizes = [[(_long(r.shape), r.dtype) for r in results] for results in (ours, theirs)]
    return sizes[0] != sizes[1]


def _tensors(names: tuple[str, ...], holds: Mapping[str, Held], request: Request) -> list[tuple[Shape, str]]:
    """Return the tensors of a formula or of code without their numbers."""
    shapes = request.shapes[0] if request.shapes else ((1,),)
    shapes = shapes if len(shapes) == len(names) else shapes[:1] * len(names)
    return [(s, _type(n, holds.get(n), request).value) for n, s in zip(names, shapes, strict=True)]


def _type(name: str, held: Held | None, request: Request) -> DType:
    if held is None:
        formula = request.steps[0].formula if request.steps else None
        return DType.BOOL if formula is not None and is_mask(name, formula) else request.dtypes[0]
    if held.draw == "mask":
        return DType.BOOL
    return held.dtype or (DType.INT64 if held.draw in ("entries", "distinct") else request.dtypes[0])


def _long(shape: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(n for n in shape if n != 1)
