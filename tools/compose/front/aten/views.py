"""Views, copies between layouts, creation of tensors, and the elements of indices that no input decides."""

import math

import numpy as np

from akgen.tools.compose.front.graph import Node, Output, needed_by
from akgen.tools.compose.front.importer import Importer, handles, lane
from akgen.tools.compose.front.traced import TracedNode
from akgen.tools.compose.scope import Unsupported
from akgen.tools.compose.tensor_program.numeric import run_graph
from akgen.tools.core.dtypes import DType

F32, I32, BOOL = DType.FLOAT32, DType.INT32, DType.BOOL
_MOST_FIXED = 1 << 20  # elements of an index that are looked at


@handles(
    "view",
    "_unsafe_view",
    "reshape",
    "unsqueeze",
    "squeeze",
    "squeeze_copy",
    "view_copy",
    "flatten",
    "unsqueeze_copy",
)
def _view(im: Importer, node: TracedNode) -> int:
    if node.target == "aten.view.dtype":
        return _bits(im, node)
    return im.b.reshape(im.value(node.args[0]), im.out(node).shape)


def _bits(im: Importer, node: TracedNode) -> int:
    """Read float32 as the int32 of the same bits, or back: the types of 32 bits that lanes have."""
    x, into = im.value(node.args[0]), im.out(node).dtype
    meta = im.raw.nodes[node.args[0].node].metas[node.args[0].part]
    here = meta.dtype if meta is not None else None
    ways = {(F32, I32): "bits_of", (I32, F32): "of_bits"}
    if here == into:
        return x
    if here is None or (here, into) not in ways:
        raise Unsupported("view.dtype", "a view in another dtype is covered between float32 and int32")
    return im.b.unary(ways[here, into], x, into)


@handles("expand", "expand_copy", "broadcast_to")
def _expand(im: Importer, node: TracedNode) -> int:
    return im.b.expand(im.value(node.args[0]), im.out(node).shape)


@handles("permute", "transpose", "t", "permute_copy", "transpose_copy", "t_copy")
def _permute(im: Importer, node: TracedNode) -> int:
    x = im.value(node.args[0])
    rank = len(im.shape(x))
    order = list(range(rank))
    if "permute" in node.target:
        order = [d % rank for d in node.args[1]]
    elif rank >= 2:
        a, b = (node.args[1] % rank, node.args[2] % rank) if len(node.args) > 2 else (0, 1)
        order[a], order[b] = order[b], order[a]
    return im.b.permute(x, tuple(order))


@handles("slice", "slice_copy")
def _slice(im: Importer, node: TracedNode) -> int:
    x = im.value(node.args[0])
    shape = im.shape(x)
    axis = im.arg(node, 1, "dim", 0) % len(shape)
    start = im.arg(node, 2, "start", 0) or 0
    step = im.arg(node, 4, "step", 1)
    start = max(0, start + shape[axis] if start < 0 else start)
    return im.b.slice(x, axis, min(start, shape[axis]), im.out(node).shape[axis], step)


@handles("select", "select_copy")
def _select(im: Importer, node: TracedNode) -> int:
    x = im.value(node.args[0])
    shape = im.shape(x)
    axis = node.args[1] % len(shape)
    index = node.args[2]
    if not isinstance(index, int):
        raise Unsupported("select", "an index that is a tensor's value is not covered")
    one = im.b.slice(x, axis, index % shape[axis], 1)
    return im.b.reshape(one, im.out(node).shape)


@handles("split_with_sizes", "split", "chunk", "unbind", "split_with_sizes_copy", "split_copy", "unbind_copy")
def _split(im: Importer, node: TracedNode) -> tuple[int | None, ...]:
    x = im.value(node.args[0])
    rank = len(im.shape(x))
    position = 1 if "unbind" in node.target else 2
    axis = im.arg(node, position, "dim", 0) % rank
    start = 0
    parts: list[int | None] = []
    for k in range(len(node.metas)):
        shape = im.out(node, k).shape
        count = 1 if "unbind" in node.target else shape[axis]
        parts.append(im.b.reshape(im.b.slice(x, axis, start, count), shape))
        start += count
    return tuple(parts)


@handles("cat", "concat", "concatenate")
def _cat(im: Importer, node: TracedNode) -> int:
    dtype = im.result_lane(node)
    rank = len(im.out(node).shape)
    parts = [im.as_lane(a, dtype) for a in node.args[0]]
    parts = [p for p in parts if len(im.shape(p)) == rank]
    return im.b.cat(tuple(parts), im.arg(node, 1, "dim", 0) % rank)


@handles("stack")
def _stack(im: Importer, node: TracedNode) -> int:
    out = im.out(node)
    axis = im.arg(node, 1, "dim", 0) % len(out.shape)
    one = tuple(1 if i == axis else d for i, d in enumerate(out.shape))
    dtype = im.result_lane(node)
    return im.b.cat(tuple(im.b.reshape(im.as_lane(a, dtype), one) for a in node.args[0]), axis)


@handles("slice_scatter")
def _slice_scatter(im: Importer, node: TracedNode) -> int:
    base, source = im.value(node.args[0]), im.as_lane(node.args[1], im.result_lane(node))
    shape = im.shape(base)
    axis = im.arg(node, 2, "dim", 0) % len(shape)
    start = im.arg(node, 3, "start", 0) or 0
    start = start + shape[axis] if start < 0 else start
    return assigned(im, base, source, axis, start, im.arg(node, 5, "step", 1))


def assigned(im: Importer, base: int, source: int, axis: int, start: int, step: int) -> int:
    """Return `base` whose elements start, start + step, … along an axis are those of `source`."""
    shape, count = im.shape(base), im.shape(source)[axis]
    if step != 1:
        return _every(im, base, source, axis, start, step)
    before = _parts(im, base, axis, 0, start)
    after = _parts(im, base, axis, start + count, shape[axis])
    return im.b.cat((*before, source, *after), axis)


def _parts(im: Importer, base: int, axis: int, low: int, high: int) -> list[int]:
    """Return what part of a value is joined of: what was assigned to it before, piece by piece."""
    node = im.b[base]
    if low >= high:
        return []
    if node.op != "cat" or node.axes != (axis,):
        return [im.b.slice(base, axis, low, high - low)]
    found: list[int] = []
    at = 0
    for part in node.args:
        first, at = at, at + im.b[part].shape[axis]
        start, stop = max(low, first), min(high, at)
        if start < stop:
            found.append(im.b.slice(part, axis, start - first, stop - start))
    return found


def _every(im: Importer, base: int, source: int, axis: int, start: int, step: int) -> int:
    """Assign to every `step`-th element along an axis: elements whose distance from the first divides by it."""
    shape, count = im.shape(base), im.shape(source)[axis]
    distance = im.b.cast(im.b.positions(shape, axis, -start), F32)
    half = im.b.binary("add", distance, im.b.const(0.5, F32))
    whole = im.b.unary("floor", im.b.binary("mul", half, im.b.const(1.0 / step, F32)))
    hit = im.b.binary("eq", im.b.binary("mul", whole, im.b.const(float(step), F32)), distance)
    for name, end in (("ge", 0), ("le", count - 1)):
        hit = im.b.binary("and", hit, im.b.binary(name, whole, im.b.const(float(end), F32)))
    low = im.b.binary("max", whole, im.b.const(0.0, F32))
    place = im.b.cast(im.b.binary("min", low, im.b.const(float(count - 1), F32)), I32)
    indices = tuple(place if a == axis else im.b.positions(shape, a) for a in range(len(shape)))
    picked = im.b.expand(im.b.take(source, indices), shape)
    return im.b.where(hit, picked, im.b.cast(base, im.b[source].dtype))


@handles("repeat")
def _repeat(im: Importer, node: TracedNode) -> int:
    x = im.value(node.args[0])
    repeats = node.args[1]
    shape = (1,) * (len(repeats) - len(im.shape(x))) + im.shape(x)
    split: list[int] = []
    wide: list[int] = []
    for count, size in zip(repeats, shape, strict=True):
        split += [1, size]
        wide += [count, size]
    tiled = im.b.expand(im.b.reshape(x, tuple(split)), tuple(wide))
    return im.b.reshape(tiled, im.out(node).shape)


@handles("full", "full_like", "scalar_tensor", "zeros", "zeros_like", "ones", "ones_like", "new_zeros", "new_ones",
         "new_full", "empty", "empty_like", "empty_permuted", "empty_strided", "new_empty", "new_empty_strided", "fill",
         "zero")  # fmt: skip
def _full(im: Importer, node: TracedNode) -> int:
    name = node.target.split(".")[1]
    dtype = im.result_lane(node)
    value: object = 0
    if name.removesuffix("_like").removeprefix("new_") == "ones":
        value = 1
    elif name in ("full", "full_like", "fill"):
        value = node.args[1]
    elif name == "new_full":
        value = node.args[2]
    elif name == "scalar_tensor":
        value = node.args[0]
    return im.b.expand(im.b.reshape(im.as_lane(value, dtype), ()), im.out(node).shape)


@handles("arange")
def _arange(im: Importer, node: TracedNode) -> int:
    numbers = [a for a in node.args if isinstance(a, (int, float))]
    if len(numbers) != len(node.args):
        raise Unsupported("arange", "an arange whose ends are tensor values is not covered")
    start, step = 0.0, 1.0
    if "start" in node.target:
        start = float(numbers[0])
        step = float(numbers[2]) if len(numbers) > 2 else 1.0
    out = im.out(node)
    dtype = lane(out.dtype)
    if not im.raw.fixed:
        return im.b.iota(out.shape[0], start, step, dtype)
    # start and step may be inputs: keep them apart, whatever their values in this case
    places = im.b.iota(out.shape[0], 0, 1, dtype)
    first, width = (im.b.add(Node(op="const", dtype=dtype, shape=(), value=v, tag=k)) for k, v in
                    enumerate((_number(start, dtype), _number(step, dtype)), start=1))  # fmt: skip
    scaled = im.b.add(Node(op="mul", args=(places, width), dtype=dtype, shape=out.shape))
    return im.b.add(Node(op="add", args=(scaled, first), dtype=dtype, shape=out.shape))


def _number(value: float, dtype: DType) -> float | int:
    return value if dtype.is_float else int(value)


def fixed_values(im: Importer, value: int) -> list[float] | None:
    """Return the elements of a vector that constants and positions alone decide, else None."""
    if math.prod(im.shape(value)) > _MOST_FIXED:
        return None
    needed = [im.b[i] for i in needed_by([value], im.b.nodes)]
    if any(not n.args and n.op not in ("const", "iota") for n in needed):
        return None
    try:
        (found,) = run_graph(im.b.graph((Output(node=value, dtype=im.b[value].dtype),)), ())
    except Unsupported:
        return None
    return [float(v) for v in np.broadcast_to(found, im.shape(value)).ravel()]
