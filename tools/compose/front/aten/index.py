"""Indexing that is arithmetic in disguise: picking one class per row, one-hot assignment, fixed permutations."""

from akgen.tools.compose.front.aten.reduce import finish
from akgen.tools.compose.front.importer import Importer, handles
from akgen.tools.compose.front.traced import TracedNode
from akgen.tools.compose.scope import Unsupported
from akgen.tools.core.dtypes import DType

F32, I32 = DType.FLOAT32, DType.INT32


def _positions(im: Importer, count: int, axis: int, rank: int) -> int:
    """Return 0, 1, … along `axis`, with length 1 elsewhere."""
    shape = tuple(count if i == axis else 1 for i in range(rank))
    return im.b.reshape(im.b.iota(count, 0, 1, F32), shape)


@handles("gather")
def _gather(im: Importer, node: TracedNode) -> int:
    """gather along an axis where the index has length 1: the sum over that axis of what the index picks."""
    x, index = im.value(node.args[0]), im.as_lane(node.args[2], F32)
    shape, wanted = im.shape(x), im.shape(index)
    axis = node.args[1] % max(1, len(shape))
    if len(shape) == 1 and len(wanted) == 1 and wanted[0] > 1:
        return _lookup(im, x, index, node)
    if (
        not shape
        or wanted[axis] != 1
        or any(a != b for i, (a, b) in enumerate(zip(shape, wanted, strict=True)) if i != axis)
    ):
        raise Unsupported("gather", "gather with more than one index per row is not covered")
    hit = im.b.binary("eq", _positions(im, shape[axis], axis, len(shape)), index)
    picked = im.b.where(hit, im.b.cast(x, F32), im.b.const(0.0, F32))
    return finish(im, im.b.reduce("sum", picked, (axis,)), node)


def _lookup(im: Importer, table: int, index: int, node: TracedNode) -> int:
    """table[index] for a vector table: per index, the sum over the table of what it picks."""
    count = im.shape(table)[0]
    rows = im.b.reshape(index, (*im.shape(index), 1))
    hit = im.b.binary("eq", _positions(im, count, 1, 2), rows)
    picked = im.b.where(hit, im.b.cast(im.b.reshape(table, (1, count)), F32), im.b.const(0.0, F32))
    return finish(im, im.b.reduce("sum", picked, (1,)), node)


@handles("scatter")
def _scatter(im: Importer, node: TracedNode) -> int:
    """scatter of one element per row along an axis: where(position == index, source, base)."""
    base, index = im.value(node.args[0]), im.as_lane(node.args[2], F32)
    shape, wanted = im.shape(base), im.shape(index)
    axis = node.args[1] % max(1, len(shape))
    if (
        not shape
        or wanted[axis] != 1
        or any(a != b for i, (a, b) in enumerate(zip(shape, wanted, strict=True)) if i != axis)
    ):
        raise Unsupported("scatter", "scatter with more than one index per row is not covered")
    hit = im.b.binary("eq", _positions(im, shape[axis], axis, len(shape)), index)
    dtype = im.result_lane(node)
    return im.b.where(hit, im.as_lane(node.args[3], dtype), im.b.cast(base, dtype))


@handles("index_select", "index")
def _index_select(im: Importer, node: TracedNode) -> int:
    """Rows picked by a constant index: pieces of the tensor, joined."""
    x = im.value(node.args[0])
    shape = im.shape(x)
    if node.target.startswith("aten.index."):
        indices = node.args[1]
        axes = [i for i, v in enumerate(indices) if v is not None]
        if len(axes) != 1:
            raise Unsupported("index", "indexing by several tensors is not covered")
        axis, index = axes[0], im.value(indices[axes[0]])
    else:
        axis, index = node.args[1] % len(shape), im.value(node.args[2])
    positions = fixed_values(im, index)
    if positions is None:
        raise Unsupported("index_select", "an index that depends on the inputs is not covered")
    places = [int(v) % shape[axis] for v in positions]
    step = places[1] - places[0] if len(places) > 1 else 1
    if step > 0 and places == list(range(places[0], places[0] + step * len(places), step)):
        return im.b.slice(x, axis, places[0], len(places), step)
    runs: list[list[int]] = []
    for p in places:
        if runs and runs[-1][-1] + 1 == p:
            runs[-1].append(p)
        else:
            runs.append([p])
    if len(runs) > 8:
        raise Unsupported("index_select", f"a constant index of {len(runs)} separate runs is not covered")
    return im.b.cat(tuple(im.b.slice(x, axis, r[0], len(r)) for r in runs), axis)


def fixed_values(im: Importer, value: int) -> list[float] | None:
    """Return the elements of a vector made of constants and positions only, else None."""
    node = im.b[value]
    scalar = im.b.constant(value)
    count = 1
    for d in node.shape:
        count *= d
    if scalar is not None:
        return [float(scalar)] * count
    if node.op == "iota":
        assert node.value is not None and node.step is not None
        return [node.value + k * node.step for k in range(node.shape[0])]
    if node.op in ("cast", "floor", "trunc", "reshape"):
        inner = fixed_values(im, node.args[0])
        if inner is None or node.op == "reshape":
            return inner
        return [float(v // 1) for v in inner] if not (node.op == "cast" and node.dtype.is_float) else inner
    if node.op in ("add", "sub", "mul", "div"):
        a, b = (fixed_values(im, i) for i in node.args)
        if a is None or b is None or len({len(a), len(b), 1}) > 2:
            return None
        n = max(len(a), len(b))
        a, b = (v * n if len(v) == 1 else v for v in (a, b))
        ops = {"add": float.__add__, "sub": float.__sub__, "mul": float.__mul__, "div": float.__truediv__}
        return [ops[node.op](float(p), float(q)) for p, q in zip(a, b, strict=True)]
    return None
