"""Elements picked by indices: tensors of them, or numbers computed from positions."""

from typing import Any

from akgen.tools.compose.front.aten.reduce import finish
from akgen.tools.compose.front.aten.views import fixed_values
from akgen.tools.compose.front.graph import broadcast, needed_by
from akgen.tools.compose.front.importer import Importer, handles
from akgen.tools.compose.front.traced import Ref, TracedNode
from akgen.tools.compose.scope import Unsupported
from akgen.tools.core.dtypes import DType

F32, I32, BOOL = DType.FLOAT32, DType.INT32, DType.BOOL
RUNS = 8  # pieces of which a fixed index may consist


def picked(im: Importer, x: int, axis: int, index: int, shape: tuple[int, ...]) -> int:
    """Return the tensor of `shape` that follows `index` along one axis and the positions along the others."""
    indices = tuple(index if a == axis else im.b.positions(shape, a) for a in range(len(shape)))
    return im.b.expand(im.b.take(x, indices), shape)


def along(im: Importer, value: int, axis: int, rank: int) -> int:
    """Return a vector laid along one of several axes."""
    (count,) = im.shape(value)
    return im.b.reshape(value, tuple(count if a == axis else 1 for a in range(rank)))


def wrapped(im: Importer, index: int, count: int) -> int:
    """Return an index whose negative values count from the end."""
    if _never_negative(im, index):
        return index
    negative = im.b.binary("lt", im.b.cast(index, F32), im.b.const(0.0, F32), BOOL)
    back = im.b.cast(im.b.cast(negative, F32), I32)
    return im.b.binary("add", index, im.b.binary("mul", back, im.b.const(count, I32), I32), I32)


def _never_negative(im: Importer, index: int) -> bool:
    """Return whether a value is known not to be negative: positions, what is cut off at 0, sums of these."""
    node = im.b[index]
    constant = im.b.constant(index)
    if constant is not None:
        return constant >= 0
    match node.op:
        case "iota":
            return (node.value or 0) >= 0 and (node.value or 0) + (node.step or 0) * (node.shape[0] - 1) >= 0
        case "reshape" | "expand" | "permute" | "cast" | "floor" | "trunc" | "round":
            return _never_negative(im, node.args[0])
        case "relu" | "abs":
            return True
        case "max":
            return any(_never_negative(im, a) for a in node.args)
        case "add" | "mul" | "min" | "div":
            return all(_never_negative(im, a) for a in node.args)
    return False


def fixed(im: Importer, arg: Any) -> list[int] | None:
    """Return the elements of an index that no input decides, else None."""
    if isinstance(arg, Ref) and arg.node in im.vectors:
        return [int(v) for v in im.vectors[arg.node]]
    values = fixed_values(im, im.value(arg))
    return None if values is None else [int(v) for v in values]


def pieces(im: Importer, x: int, axis: int, places: list[int]) -> int | None:
    """Return the rows that a fixed index picks as slices of the tensor, joined; None if it has too many runs."""
    count = im.shape(x)[axis]
    places = [p % count for p in places]
    step = places[1] - places[0] if len(places) > 1 else 1
    if step > 0 and places == list(range(places[0], places[0] + step * len(places), step)):
        return im.b.slice(x, axis, places[0], len(places), step)
    runs = _runs(places)
    if len(runs) > RUNS:
        return None
    return im.b.cat(tuple(im.b.slice(x, axis, r[0], len(r)) for r in runs), axis)


def _runs(places: list[int]) -> list[list[int]]:
    """Return the places in pieces of which each counts on by one."""
    runs: list[list[int]] = []
    for p in places:
        if runs and runs[-1][-1] + 1 == p:
            runs[-1].append(p)
        else:
            runs.append([p])
    return runs


def _vector_of(im: Importer, places: list[int]) -> int:
    """Return a fixed index as numbers computed from positions, one piece beside the other. Raises Unsupported."""
    runs = _runs(places)
    if len(runs) > RUNS:
        raise Unsupported("index", f"a fixed index of more than {RUNS} separate runs is not covered")
    at = im.b.cast(im.b.positions((len(places),), 0), F32)
    begin, value = len(places), -1
    for run in reversed(runs):
        own = im.b.binary("add", at, im.b.const(float(run[0] - begin + len(run)), F32), F32)
        behind = im.b.binary("lt", at, im.b.const(float(begin), F32), BOOL)
        value = own if begin == len(places) else im.b.where(behind, own, value)
        begin -= len(run)
    return im.b.cast(value, I32)


@handles("index_select")
def _index_select(im: Importer, node: TracedNode) -> int:
    x = im.value(node.args[0])
    shape = im.out(node).shape
    axis = node.args[1] % max(1, len(shape))
    places = fixed(im, node.args[2])
    found = None if places is None else pieces(im, x, axis, places)
    if found is not None:
        return found
    index = im.b.reshape(index_of(im, node.args[2]), (shape[axis],))
    return picked(im, x, axis, along(im, index, axis, len(shape)), shape)


def index_of(im: Importer, arg: Any) -> int:
    """Return an index as INT32; refuse masks, and fixed numbers in many pieces."""
    if isinstance(arg, Ref) and arg.node in im.vectors and len(set(im.vectors[arg.node])) > 1:
        return _vector_of(im, [int(v) for v in im.vectors[arg.node]])
    value = im.value(arg)
    if im.b[value].dtype == BOOL:
        raise Unsupported(
            "index", "an index that is a mask gives a shape that depends on data; it is not covered"
        )
    return im.b.cast(value, I32)


@handles("index", "_unsafe_index")
def _index(im: Importer, node: TracedNode) -> int:
    x = im.value(node.args[0])
    shape, given = im.shape(x), list(node.args[1])
    given += [None] * (len(shape) - len(given))
    axes = [a for a, v in enumerate(given) if v is not None]
    if len(axes) == 1 and len(im.shape(im.value(given[axes[0]]))) == 1:
        places = fixed(im, given[axes[0]])
        found = None if places is None else pieces(im, x, axes[0], places)
        if found is not None:
            return found
    values = {a: index_of(im, given[a]) for a in axes}
    common = broadcast(*(im.shape(v) for v in values.values()))
    adjacent = axes == list(range(axes[0], axes[0] + len(axes)))
    lead = axes[0] if adjacent else 0
    rest = [a for a in range(len(shape)) if a not in axes]
    out = (*(shape[a] for a in rest[:lead]), *common, *(shape[a] for a in rest[lead:]))
    indices: list[int] = []
    for a in range(len(shape)):
        if a in values:
            value = values[a] if "unsafe" in node.target else wrapped(im, values[a], shape[a])
            own = im.shape(value)
            full = (1,) * (lead + len(common) - len(own)) + own + (1,) * (len(out) - lead - len(common))
            indices.append(im.b.reshape(value, full))
        else:
            place = rest.index(a)
            indices.append(im.b.positions(out, place if place < lead else place + len(common)))
    return im.b.expand(im.b.take(x, tuple(indices)), out)


@handles("embedding")
def _embedding(im: Importer, node: TracedNode) -> int:
    table, index = im.value(node.args[0]), index_of(im, node.args[1])
    shape = im.out(node).shape
    rows = im.b.reshape(index, (*im.shape(index), 1))
    return im.b.expand(im.b.take(table, (rows, im.b.positions(shape, len(shape) - 1))), shape)


@handles("gather")
def _gather(im: Importer, node: TracedNode) -> int:
    x, shape = im.value(node.args[0]), im.out(node).shape
    if not shape:
        return x
    axis = node.args[1] % len(shape)
    if _reduced(im, x) and shape == tuple(1 if a == axis else d for a, d in enumerate(im.shape(x))):
        return _one_per_row(im, x, axis, node)
    return picked(im, x, axis, index_of(im, node.args[2]), shape)


def _reduced(im: Importer, x: int) -> bool:
    """Return whether a value is computed from sums or the like: to pick from it, it would have to be stored first."""
    return any(im.b[i].op == "reduce" for i in needed_by((x,), im.b.nodes))


def _one_per_row(im: Importer, x: int, axis: int, node: TracedNode) -> int:
    """Return the sum along an axis of what one index per row picks: it is fused with what made the row."""
    places = im.b.positions(im.shape(x), axis)
    hit = im.b.binary("eq", im.b.cast(places, F32), im.as_lane(node.args[2], F32), BOOL)
    chosen = im.b.where(hit, im.b.cast(x, F32), im.b.const(0.0, F32))
    return finish(im, im.b.reduce("sum", chosen, (axis,)), node)


@handles("take")
def _take(im: Importer, node: TracedNode) -> int:
    x, index = im.value(node.args[0]), index_of(im, node.args[1])
    count = 1
    for d in im.shape(x):
        count *= d
    flat = im.b.reshape(x, (count,))
    return im.b.expand(im.b.take(flat, (wrapped(im, index, count),)), im.out(node).shape)


@handles("flip")
def _flip(im: Importer, node: TracedNode) -> int:
    x = im.value(node.args[0])
    shape = im.shape(x)
    turned = frozenset(d % len(shape) for d in node.args[1])
    backwards = _scanned_backwards(im, x, turned)
    if backwards is not None:
        return backwards
    indices = tuple(
        im.b.positions(shape, a, n - 1, -1) if a in turned else im.b.positions(shape, a)
        for a, n in enumerate(shape)
    )
    value = im.b.expand(im.b.take(x, indices), shape)
    im.flips[value] = (x, turned)
    return value


def _scanned_backwards(im: Importer, x: int, turned: frozenset[int]) -> int | None:
    """Return the scan from the end for a flipped scan of what is flipped along its axis."""
    scan = im.b[x]
    if scan.op != "scan" or scan.kind is None or turned != frozenset(scan.axes):
        return None
    source, axes = im.flips.get(scan.args[0], (0, frozenset[int]()))
    return im.b.scan(scan.kind, source, scan.axes[0], reverse=not scan.reverse) if axes == turned else None


@handles("roll")
def _roll(im: Importer, node: TracedNode) -> int:
    x = im.value(node.args[0])
    shape = im.shape(x)
    shifts, dims = node.args[1], im.arg(node, 2, "dims", ())
    shifts = shifts if isinstance(shifts, tuple) else (shifts,)
    dims = dims if isinstance(dims, tuple) else (dims,)
    if not dims:
        count = 1
        for d in shape:
            count *= d
        return im.b.reshape(_rolled(im, im.b.reshape(x, (count,)), 0, shifts[0]), shape)
    for shift, dim in zip(shifts, dims, strict=True):
        x = _rolled(im, x, dim % len(shape), shift)
    return x


def _rolled(im: Importer, x: int, axis: int, shift: int) -> int:
    count = im.shape(x)[axis]
    ahead = shift % count
    if not ahead:
        return x
    return im.b.cat((im.b.slice(x, axis, count - ahead, ahead), im.b.slice(x, axis, 0, count - ahead)), axis)


@handles("diagonal", "diagonal_copy")
def _diagonal(im: Importer, node: TracedNode) -> int:
    x, shape = im.value(node.args[0]), im.out(node).shape
    source = im.shape(x)
    offset = im.arg(node, 1, "offset", 0)
    first, second = (im.arg(node, k, name, k - 2) % len(source) for k, name in ((2, "dim1"), (3, "dim2")))
    rest = [a for a in range(len(source)) if a not in (first, second)]
    last = len(shape) - 1
    indices = [0] * len(source)
    for k, a in enumerate(rest):
        indices[a] = im.b.positions(shape, k)
    indices[first] = im.b.positions(shape, last, max(0, -offset))
    indices[second] = im.b.positions(shape, last, max(0, offset))
    return im.b.expand(im.b.take(x, tuple(indices)), shape)


@handles("unfold", "unfold_copy")
def _unfold(im: Importer, node: TracedNode) -> int:
    x, shape = im.value(node.args[0]), im.out(node).shape
    axis = node.args[1] % max(1, len(im.shape(x)))
    start = im.b.positions(shape, axis, 0, node.args[3])
    place = im.b.binary("add", start, im.b.positions(shape, len(shape) - 1), I32)
    return picked_at(im, x, {axis: place}, shape)


def picked_at(im: Importer, x: int, places: dict[int, int], shape: tuple[int, ...]) -> int:
    """Return the tensor of `shape` that follows the given indices along some axes of x, positions along the others."""
    rank = len(im.shape(x))
    indices = tuple(places.get(a) or im.b.positions(shape, a) for a in range(rank))
    return im.b.expand(im.b.take(x, indices), shape)


@handles("reflection_pad1d", "reflection_pad2d", "reflection_pad3d", "replication_pad1d", "replication_pad2d",
         "replication_pad3d")  # fmt: skip
def _mirrored(im: Importer, node: TracedNode) -> int:
    x, shape = im.value(node.args[0]), im.out(node).shape
    source, pads = im.shape(x), node.args[1]
    indices: list[int] = []
    for a, n in enumerate(source):
        k = len(source) - 1 - a
        before = pads[2 * k] if 2 * k < len(pads) else 0
        place = im.b.positions(shape, a, -before)
        if shape[a] != n or before:
            last = im.b.const(n - 1, I32)
            if "reflection" in node.target:
                place = im.b.unary("abs", place)
                place = im.b.unary("abs", im.b.binary("sub", last, place, I32))
                place = im.b.binary("sub", last, place, I32)
            else:
                place = im.b.binary("max", place, im.b.const(0, I32), I32)
                place = im.b.binary("min", place, last, I32)
        indices.append(place)
    return im.b.expand(im.b.take(x, tuple(indices)), shape)


@handles("repeat_interleave")
def _repeat_interleave(im: Importer, node: TracedNode) -> int:
    if not node.target.endswith("self_int"):
        raise Unsupported(
            "repeat_interleave", "a number of repeats per element gives a shape that depends on data"
        )
    x, dim = im.value(node.args[0]), im.arg(node, 2, "dim")
    shape = im.shape(x)
    if dim is None:
        count = 1
        for d in shape:
            count *= d
        x, shape, dim = im.b.reshape(x, (count,)), (count,), 0
    axis = dim % len(shape)
    split = im.b.reshape(x, (*shape[: axis + 1], 1, *shape[axis + 1 :]))
    wide = im.b.expand(split, (*shape[: axis + 1], node.args[1], *shape[axis + 1 :]))
    return im.b.reshape(wide, im.out(node).shape)


@handles("im2col")
def _im2col(im: Importer, node: TracedNode) -> int:
    """Columns of windows: (N, C * kh * kw, L)."""
    x = im.value(node.args[0])
    kernel, dilation, pad, stride = node.args[1:5]
    source = im.shape(x)
    outer, sizes = source[:-2], source[-2:]
    out = [
        (n + 2 * p - d * (k - 1) - 1) // s + 1
        for n, p, d, k, s in zip(sizes, pad, dilation, kernel, stride, strict=True)
    ]
    shape = (*outer, *kernel, *out)
    rank = len(outer)
    indices = [im.b.positions(shape, a) for a in range(rank)]
    for k in range(2):
        inner = im.b.positions(shape, rank + k, -pad[k], dilation[k])
        indices.append(im.b.binary("add", inner, im.b.positions(shape, rank + 2 + k, 0, stride[k]), I32))
    fill = 0.0 if im.b[x].dtype.is_float else 0
    columns = im.b.expand(im.b.take(x, tuple(indices), fill), shape)
    return im.b.reshape(columns, im.out(node).shape)
