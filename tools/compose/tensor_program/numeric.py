"""Run a graph on arrays, in double precision: what a tensor program computes, before anything is scheduled."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from akgen.tools.compose.front.graph import Graph, Node
from akgen.tools.compose.scope import Unsupported
from akgen.tools.compose.tensor_program.ir import word_of
from akgen.tools.core.dtypes import DType
from akgen.tools.dsl.numeric import BINARY, COMPARE, MASK, REDUCE, UNARY, convert, scanned

Array = npt.NDArray[Any]

_UNARY: dict[str, Callable[..., Array]] = {
    **UNARY,
    "mask_not": MASK["mask_not"],
    "isnan": np.isnan,
    "isinf": np.isinf,
    "isfinite": np.isfinite,
    "bits_of": lambda x: x.astype(np.float32).view(np.int32).astype(np.int64),
    "of_bits": lambda x: x.astype(np.int32).view(np.float32).astype(np.float64),
}
_BINARY: dict[str, Callable[[Array, Array], Array]] = {**BINARY, **COMPARE, **MASK}
_TYPES = {DType.FLOAT32: np.float64, DType.INT32: np.int64, DType.BOOL: np.bool_}


def run_graph(graph: Graph, inputs: Sequence[Array]) -> tuple[Array, ...]:
    """Return the results of a graph, floats in float64. Raises Unsupported for operations that are not run here."""
    values: list[Array] = []
    with np.errstate(all="ignore"):
        for node in graph.nodes:
            values.append(_value(node, values, inputs))
    return tuple(values[o.node] for o in graph.outputs)


def _value(node: Node, values: Sequence[Array], inputs: Sequence[Array]) -> Array:
    args = [values[a] for a in node.args]
    op = node.op
    if op == "load":
        assert node.origin is not None and node.origin.input is not None and node.strides is None
        return inputs[node.origin.input].astype(_TYPES[node.dtype])
    if op == "const":
        return np.asarray(node.value, dtype=_TYPES[node.dtype])
    if len(args) == 1 and word_of(op) in _UNARY:
        return np.asarray(_UNARY[word_of(op)](args[0]))
    if len(args) == 2 and word_of(op) in _BINARY:
        return np.asarray(_BINARY[word_of(op)](args[0], args[1]))
    if op == "where":
        return np.where(args[0], args[1], args[2])
    if op.startswith("round_"):
        return convert(args[0].astype(np.float32), DType(op.removeprefix("round_"))).astype(np.float64)
    found = _OTHER.get(op)
    if found is None:
        raise Unsupported(op, f"`{op}` is not interpreted")
    return found(node, args)


def _cast(node: Node, args: Sequence[Array]) -> Array:
    x = args[0]
    return (np.trunc(x) if x.dtype.kind == "f" and node.dtype == DType.INT32 else x).astype(
        _TYPES[node.dtype]
    )


def _reduce(node: Node, args: Sequence[Array]) -> Array:
    return np.asarray(REDUCE[f"reduce_{node.kind}"](args[0], axis=node.axes, keepdims=True))


def _scan(node: Node, args: Sequence[Array]) -> Array:
    return scanned(f"scan_{node.kind}", args[0], node.axes[0], reverse=node.reverse)


def _inv_count(node: Node, args: Sequence[Array]) -> Array:
    count = np.prod([args[0].shape[a] for a in node.axes]) - (node.value or 0)
    return np.asarray(1.0 / count)


def _iota(node: Node, _args: Sequence[Array]) -> Array:
    assert node.value is not None and node.step is not None
    steps: Array = node.value + node.step * np.arange(node.shape[0])
    return steps.astype(_TYPES[node.dtype])


def _sorted(node: Node, args: Sequence[Array]) -> Array:
    keys = args[0] if node.reverse else -args[0]
    places = np.argsort(keys, axis=-1, kind="stable")[..., : node.shape[-1]]
    return places if node.op == "sort_places" else np.take_along_axis(args[0], places, axis=-1)


def _slice(node: Node, args: Sequence[Array]) -> Array:
    assert node.cut is not None
    cut = node.cut
    stop = cut.start + (node.shape[cut.axis] - 1) * cut.step + 1
    return args[0][(slice(None),) * cut.axis + (slice(cut.start, stop, cut.step),)]


def _take(node: Node, args: Sequence[Array]) -> Array:
    x, *indices = args
    inside = np.ones(node.shape, dtype=bool)
    for i, length in zip(indices, x.shape, strict=True):
        inside = inside & (i >= 0) & (i < length)
    if node.fill is None and not inside.all():
        raise Unsupported("take", "an index lies outside")
    held = tuple(np.clip(i, 0, n - 1) for i, n in zip(indices, x.shape, strict=True))
    return np.where(inside, x[held], 0 if node.fill is None else node.fill)


_OTHER: Mapping[str, Callable[[Node, Sequence[Array]], Array]] = {
    "cast": _cast, "reduce": _reduce, "scan": _scan, "inv_count": _inv_count, "iota": _iota, "sort_values": _sorted,
    "sort_places": _sorted, "slice": _slice, "take": _take,
    "reshape": lambda node, args: args[0].reshape(node.shape),
    "permute": lambda node, args: args[0].transpose(node.axes),
    "expand": lambda node, args: np.broadcast_to(args[0], node.shape),
    "cat": lambda node, args: np.concatenate(args, axis=node.axes[0]),
    "contract": lambda _, args: args[0] @ args[1],
}  # fmt: skip
