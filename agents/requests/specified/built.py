"""Make a request of what a specification computes: its source, and what its tensors hold."""

import ast
from collections.abc import Mapping, Sequence

from akgen.agents.requests.pasted.index_uses import Indexed, indices_of
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
