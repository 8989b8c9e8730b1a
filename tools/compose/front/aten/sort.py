"""Sorting and what follows from it: the greatest and least of a row, the middle one, the k-th."""

from akgen.tools.compose.front.aten.reduce import finish
from akgen.tools.compose.front.importer import Importer, handles
from akgen.tools.compose.front.traced import Ref, TracedNode
from akgen.tools.compose.scope import Unsupported
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
    name = node.target.split(".")[1]
    if _dtype_of(im, node) in (DType.INT32, DType.INT64):
        raise Unsupported(
            name, f"{name} of integers of 32 bits and more is not covered: its keys are float32"
        )
    x = im.as_lane(node.args[0], F32)
    shape = im.shape(x)
    if not shape or shape[axis] == 1:
        return x, im.b.full(0, I32, shape)
    order = (*(i for i in range(len(shape)) if i != axis), axis)
    back = tuple(order.index(i) for i in range(len(shape)))
    values, places = im.b.sorted(im.b.permute(x, order), count, smallest=smallest)
    return im.b.permute(values, back), im.b.permute(places, back)


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
        raise Unsupported("median", "the median of all elements is not covered; that along an axis is")
    axis = _axis(im, node, node.args[1])
    value, place = _nth(im, node, axis, (_length(im, node, axis) + 1) // 2)
    return finish(im, value, node, 0), finish(im, place, node, 1)
