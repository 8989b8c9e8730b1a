"""Make a request of what a specification computes: its source, and what its tensors hold.

Where the recognisers read all of a text too, it is decided here which of the two requests stands.
"""

import ast
from collections.abc import Mapping, Sequence

from akgen.agents.requests.formula import is_mask
from akgen.agents.requests.pasted.index_uses import Indexed, indices_of
from akgen.agents.requests.program import tensors_in
from akgen.agents.requests.request import Held, Request, RequestSource, Shape
from akgen.agents.requests.specified.inputs import Range
from akgen.agents.requests.specified.program import NAME, GivenTensor, MadeFunction
from akgen.tools.core.dtypes import DType

_DIVIDES = ("fmod", "remainder", "floor_divide", "div", "true_divide")


def request_of(
    made: MadeFunction, given: Sequence[GivenTensor], ranges: Mapping[str, Range], *, assumed: bool
) -> Request | None:
    floats = [t.dtype for t in given if t.dtype.is_float]
    main = next(iter(floats), None) or next((t.dtype for t in given if t.dtype is not DType.BOOL), None)
    if main is None:
        return None
    shapes: dict[str, Shape] = {t.name: t.shape for t in given}
    names = [t.name for t in given]
    indices = indices_of(ast.parse(made.source), shapes)
    divisors = _divisors(made.source)
    holds: dict[str, Held] = {}
    for tensor in given:
        if tensor.name in divisors and not tensor.dtype.is_float and tensor.name not in ranges:
            holds[tensor.name] = Held(draw="nonzero", dtype=tensor.dtype)
        elif (held := _held(tensor, main, names, indices, ranges.get(tensor.name))) is not None:
            holds[tensor.name] = held
    source = RequestSource(
        kind="code", name=NAME, text=made.source, entry=NAME, arguments=tuple(names), holds=holds
    )
    return Request(source=source, dtypes=(main,), assumed=assumed, shapes=(tuple(t.shape for t in given),))


def _held(
    tensor: GivenTensor,
    main: DType,
    names: Sequence[str],
    indices: Mapping[str, Indexed],
    limits: Range | None,
) -> Held | None:
    """Return what a tensor holds that is not any number of the usual type."""
    use = indices.get(tensor.name)
    if tensor.dtype is DType.BOOL:
        return Held(draw="mask")
    if use is not None and not tensor.dtype.is_float:
        at = names.index(use.tensor)
        limit = f'params["shape{at or ""}"][{use.axis}]'
        return Held(draw="entries", limit=limit, dtype=DType.INT32 if tensor.dtype is DType.INT32 else None)
    if limits is not None and limits.two:
        return Held(draw="entries", limit="2", dtype=tensor.dtype)
    if limits is not None:
        return Held(draw="between", limit=f"{limits.low!r}, {limits.high!r}", dtype=tensor.dtype)
    if tensor.dtype is main:
        return None
    if tensor.dtype.is_float:
        return Held(draw="real", dtype=tensor.dtype)
    return Held(draw="int8" if tensor.dtype is DType.INT8 else "integers", dtype=tensor.dtype)


def _divisors(source: str) -> set[str]:
    """Return the tensors by which something is divided, so that whole numbers among them must not be zero."""
    nodes = list(ast.walk(ast.parse(source)))
    signs = (ast.Div, ast.FloorDiv, ast.Mod)
    right = [n.right for n in nodes if isinstance(n, ast.BinOp) and isinstance(n.op, signs)]
    for node in nodes:
        if isinstance(node, ast.Call) and ast.unparse(node.func).rpartition(".")[2] in _DIVIDES:
            right += node.args[1:2]
    return {n.id for n in right if isinstance(n, ast.Name)}


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
