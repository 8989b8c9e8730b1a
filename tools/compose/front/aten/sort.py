"""Sorting and what follows from it: the greatest and least of a row, the middle one, the k-th."""

import math

from akgen.tools.compose.front.aten.picks import picked
from akgen.tools.compose.front.aten.reduce import finish
from akgen.tools.compose.front.importer import Importer, handles
from akgen.tools.compose.front.traced import Ref, TracedNode
from akgen.tools.core.dtypes import DType

F32, I32 = DType.FLOAT32, DType.INT32


def _dtype_of(im: Importer, node: TracedNode) -> DType:
    """Return the dtype of what is sorted, as it is in memory."""
    source = node.args[0]
    assert isinstance(source, Ref)
    meta = im.raw.nodes[source.node].metas[source.part]
    assert meta is not None
    return meta.dtype


def sorted_along(im: Importer, node: TracedNode, axis: int, count: int, *, smallest: bool) -> tuple[int, int]:
    """Return the first `count` values along an axis and their places, with the axis where it was."""
    x, shape = im.value(node.args[0]), im.shape(im.value(node.args[0]))
    if not shape or shape[axis] == 1:
        return x, im.b.full(0, I32, shape)
    return _sorted(
        im, x, axis, count, smallest=smallest, wide=_dtype_of(im, node) in (DType.INT32, DType.INT64)
    )


def _sorted(im: Importer, x: int, axis: int, count: int, *, smallest: bool, wide: bool) -> tuple[int, int]:
    if wide:
        return _wide_integers(im, x, axis, count, smallest=smallest)
    shape = im.shape(x)
    x = im.b.cast(x, F32)
    order = (*(i for i in range(len(shape)) if i != axis), axis)
    back = tuple(order.index(i) for i in range(len(shape)))
    values, places = im.b.sorted(im.b.permute(x, order), count, smallest=smallest)
    return im.b.permute(values, back), im.b.permute(places, back)


def _wide_integers(im: Importer, x: int, axis: int, count: int, *, smallest: bool) -> tuple[int, int]:
    """Sort by the lower 16 bits, then what is then in that order by the upper ones: both are exact float32 keys."""
    shape = im.shape(x)
    low = im.b.binary("bit_and", x, im.b.const(0xFFFF, I32), I32)
    high = im.b.binary("shift_right", x, im.b.const(16, I32), I32)
    _, first = _sorted(im, low, axis, shape[axis], smallest=smallest, wide=False)
    _, second = _sorted(im, picked(im, high, axis, first, shape), axis, count, smallest=smallest, wide=False)
    kept = im.shape(second)
    places = picked(im, first, axis, second, kept)
    return picked(im, x, axis, places, kept), places


def _axis(im: Importer, node: TracedNode, dim: int) -> int:
    rank = len(im.shape(im.value(node.args[0])))
    return dim % rank if rank else 0


def _length(im: Importer, node: TracedNode, axis: int) -> int:
    shape = im.shape(im.value(node.args[0]))
    return shape[axis] if shape else 1


@handles("topk")
def _topk(im: Importer, node: TracedNode) -> tuple[int | None, ...]:
    axis = _axis(im, node, im.arg(node, 2, "dim", -1))
    smallest = not im.arg(node, 3, "largest", True)
    values, places = sorted_along(im, node, axis, node.args[1], smallest=smallest)
    return finish(im, values, node, 0), finish(im, places, node, 1)


@handles("sort", "argsort", "msort")
def _sort(im: Importer, node: TracedNode) -> int | tuple[int | None, ...]:
    at = 2 if node.target.endswith(".stable") else 1
    dim = 0 if "msort" in node.target else im.arg(node, at, "dim", -1)
    axis, descending = _axis(im, node, dim), im.arg(node, at + 1, "descending", False)
    values, places = sorted_along(im, node, axis, _length(im, node, axis), smallest=not descending)
    if "argsort" in node.target:
        return finish(im, places, node)
    if "msort" in node.target:
        return finish(im, values, node)
    return finish(im, values, node, 0), finish(im, places, node, 1)


def _nth(im: Importer, node: TracedNode, axis: int, nth: int) -> tuple[int, int]:
    """Return the nth smallest value along an axis and its place, the axis with length 1."""
    values, places = sorted_along(im, node, axis, nth, smallest=True)
    if not im.shape(values):
        return values, places
    return im.b.slice(values, axis, nth - 1, 1), im.b.slice(places, axis, nth - 1, 1)


@handles("kthvalue")
def _kthvalue(im: Importer, node: TracedNode) -> tuple[int | None, ...]:
    axis = _axis(im, node, im.arg(node, 2, "dim", -1))
    value, place = _nth(im, node, axis, node.args[1])
    return finish(im, value, node, 0), finish(im, place, node, 1)


@handles("median", "nanmedian")
def _median(im: Importer, node: TracedNode) -> int | tuple[int | None, ...]:
    """The lower of the two in the middle, as PyTorch has it."""
    if not node.target.endswith(".dim"):
        x = im.value(node.args[0])
        count = math.prod(im.shape(x))
        flat = im.b.reshape(x, (count,))
        wide = _dtype_of(im, node) in (DType.INT32, DType.INT64)
        nth = (count + 1) // 2
        values, _ = (flat, flat) if count == 1 else _sorted(im, flat, 0, nth, smallest=True, wide=wide)
        return finish(im, im.b.slice(values, 0, nth - 1, 1), node)
    axis = _axis(im, node, node.args[1])
    value, place = _nth(im, node, axis, (_length(im, node, axis) + 1) // 2)
    return finish(im, value, node, 0), finish(im, place, node, 1)
