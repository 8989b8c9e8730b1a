"""Reductions, softmax and norms of vectors; running sums, products, maxima and minima along an axis."""

from typing import Any

from akgen.tools.compose.front.graph import Node, ReduceKind
from akgen.tools.compose.front.importer import Importer, handles
from akgen.tools.compose.front.traced import TracedNode
from akgen.tools.compose.scope import Unsupported
from akgen.tools.core.dtypes import DType

F32, I32, BOOL = DType.FLOAT32, DType.INT32, DType.BOOL


def axes_of(arg: Any, rank: int) -> tuple[int, ...]:
    """Return a dim argument as sorted non-negative axes; None or empty means all."""
    if arg is None or arg == ():
        return tuple(range(rank))
    dims = arg if isinstance(arg, tuple) else (arg,)
    return tuple(sorted(d % rank if rank else 0 for d in dims)) if rank else ()


def reduced(im: Importer, kind: str, x: int, axes: tuple[int, ...]) -> int:
    """Reduce over axes, keeping them with length 1; nothing to do on a 0-d value."""
    if not axes:
        return x
    return im.b.reduce(kind, x, axes)


def mean(im: Importer, x: int, axes: tuple[int, ...], less: int | float = 0) -> int:
    """Return sum / (count - less); axes stay with length 1."""
    total = reduced(im, "sum", x, axes)
    return im.b.binary("mul", total, inverse_count(im, x, axes, less))


def inverse_count(im: Importer, x: int, axes: tuple[int, ...], less: int | float = 0) -> int:
    """Return 1 / (elements over `axes` - less) as a scalar that keeps its meaning when shapes vary."""
    return im.b.add(Node(op="inv_count", args=(x,), dtype=F32, shape=(), axes=axes, value=less))


def variance(im: Importer, x: int, axes: tuple[int, ...], less: int | float = 0) -> tuple[int, int]:
    """Return (variance, mean) by the two-pass formula."""
    average = mean(im, x, axes)
    centred = im.b.binary("sub", x, average)
    return mean(im, im.b.binary("mul", centred, centred), axes, less), average


def finish(im: Importer, value: int, node: TracedNode, part: int = 0) -> int:
    """Cast to the traced lane type and drop the length-1 axes if the result has none."""
    return im.b.reshape(im.b.cast(value, im.result_lane(node, part)), im.out(node, part).shape)


def summed_in(im: Importer, node: TracedNode) -> DType:
    """Return the lane type of a sum or product: integers stay integers; how many are true counts well in float32."""
    whole = im.result_lane(node) == I32 and im.b[im.value(node.args[0])].dtype == I32
    return I32 if whole else F32


def ordered_in(im: Importer, arg: Any) -> int:
    """Return a value as what is compared: integers stay integers."""
    x = im.value(arg)
    return x if im.b[x].dtype == I32 else im.b.cast(x, F32)


@handles("sum", "mean", "prod")
def _sum(im: Importer, node: TracedNode) -> int:
    name = node.target.split(".")[1]
    x = im.as_lane(node.args[0], summed_in(im, node))
    axes = axes_of(im.arg(node, 1, "dim"), len(im.shape(x)))
    value = mean(im, x, axes) if name == "mean" else reduced(im, name, x, axes)
    return finish(im, value, node)


@handles("amax", "amin")
def _extreme(im: Importer, node: TracedNode) -> int:
    x = ordered_in(im, node.args[0])
    axes = axes_of(im.arg(node, 1, "dim"), len(im.shape(x)))
    kind = "max" if "amax" in node.target else "min"
    return finish(im, reduced(im, kind, x, axes), node)


@handles("max", "min")
def _max(im: Importer, node: TracedNode) -> int | tuple[int | None, ...]:
    kind = node.target.split(".")[1]
    if node.target.endswith(".other"):
        return im.binary(kind, node.args[0], node.args[1], im.result_lane(node))
    x = ordered_in(im, node.args[0])
    rank = len(im.shape(x))
    if node.target.endswith(".dim"):
        axes = axes_of(node.args[1], rank)
        index = finish(im, position(im, kind, x, axes[0]), node, 1) if rank else None
        return (finish(im, reduced(im, kind, x, axes), node, 0), index)
    return finish(im, reduced(im, kind, x, tuple(range(rank))), node)


@handles("argmax", "argmin")
def _arg(im: Importer, node: TracedNode) -> int:
    x = ordered_in(im, node.args[0])
    dim = im.arg(node, 1, "dim")
    if dim is None:
        count = 1
        for d in im.shape(x):
            count *= d
        x = im.b.reshape(x, (count,))
    axes = axes_of(dim, len(im.shape(x)))
    return finish(im, position(im, node.target.split(".")[1].removeprefix("arg"), x, axes[0]), node)


def position(im: Importer, kind: str, x: int, axis: int) -> int:
    """Return where along `axis` the extreme value stands first, or NaN does, as a float; exact below 2**24."""
    shape = im.shape(x)
    best = im.b.reduce(kind, x, (axis,))
    along = tuple(d if i == axis else 1 for i, d in enumerate(shape))
    places = im.b.reshape(im.b.iota(shape[axis], 0, 1, F32), along)
    found = im.b.binary("eq", x, best)
    if im.b[x].dtype.is_float:
        found = im.b.binary("or", found, im.b.unary("isnan", x))
    hits = im.b.where(found, places, im.b.const(3e38, F32))
    return im.b.reduce("min", hits, (axis,))


@handles("any", "all")
def _any(im: Importer, node: TracedNode) -> int:
    x = im.b.cast(im.as_lane(node.args[0], BOOL), F32)
    axes = axes_of(im.arg(node, 1, "dim"), len(im.shape(x)))
    value = reduced(im, "max" if node.target.split(".")[1] == "any" else "min", x, axes)
    return finish(im, im.b.binary("gt", value, im.b.const(0.5, F32)), node)


@handles("var", "std")
def _var(im: Importer, node: TracedNode) -> int:
    x = im.as_lane(node.args[0], F32)
    axes = axes_of(im.arg(node, 1, "dim"), len(im.shape(x)))
    correction = im.arg(node, 2, "correction", 1)
    value, _ = variance(im, x, axes, _less(correction))
    return finish(im, value if "var" in node.target else im.b.unary("sqrt", value), node)


def _less(correction: Any) -> int | float:
    if correction is None:
        return 1
    if isinstance(correction, (bool, int, float)):
        return float(correction)
    raise Unsupported("correction", "a correction that is a tensor is not covered")


@handles("var_mean")
def _var_mean(im: Importer, node: TracedNode) -> tuple[int | None, ...]:
    x = im.as_lane(node.args[0], F32)
    axes = axes_of(im.arg(node, 1, "dim"), len(im.shape(x)))
    value, average = variance(im, x, axes, _less(im.arg(node, 2, "correction", 1)))
    return (finish(im, value, node, 0), finish(im, average, node, 1))


@handles("_softmax", "_log_softmax", "_safe_softmax")
def _softmax(im: Importer, node: TracedNode) -> int:
    x = im.as_lane(node.args[0], F32)
    axes = axes_of(node.args[1], len(im.shape(x)))
    if not axes:
        return im.b.const(0.0 if "log" in node.target else 1.0, F32)
    centred = im.b.binary("sub", x, reduced(im, "max", x, axes))
    powers = im.b.unary("exp", centred)
    total = reduced(im, "sum", powers, axes)
    if "log" in node.target:
        return im.b.binary("sub", centred, im.b.unary("log", total))
    return im.b.binary("div", powers, total)


@handles("logsumexp")
def _logsumexp(im: Importer, node: TracedNode) -> int:
    x = im.as_lane(node.args[0], F32)
    axes = axes_of(node.args[1], len(im.shape(x)))
    top = reduced(im, "max", x, axes)
    total = reduced(im, "sum", im.b.unary("exp", im.b.binary("sub", x, top)), axes)
    return finish(im, im.b.binary("add", im.b.unary("log", total), top), node)


@handles("linalg_vector_norm", "norm")
def _norm(im: Importer, node: TracedNode) -> int:
    x = im.as_lane(node.args[0], F32)
    order = im.arg(node, 1, "ord", 2)
    axes = axes_of(im.arg(node, 2, "dim"), len(im.shape(x)))
    a = im.b.unary("abs", x)
    match order:
        case 2:
            value = im.b.unary("sqrt", reduced(im, "sum", im.b.binary("mul", x, x), axes))
        case 1:
            value = reduced(im, "sum", a, axes)
        case _ if order == float("inf"):
            value = reduced(im, "max", a, axes)
        case _ if order == float("-inf"):
            value = reduced(im, "min", a, axes)
        case 0:
            nonzero = im.b.cast(im.b.binary("ne", x, im.b.const(0.0, F32)), F32)
            value = reduced(im, "sum", nonzero, axes)
        case _ if isinstance(order, (int, float)):
            powers = im.b.binary("pow", a, im.b.const(float(order), F32))
            total = reduced(im, "sum", powers, axes)
            value = im.b.binary("pow", total, im.b.const(1.0 / float(order), F32))
        case _:
            raise Unsupported("norm", "a vector norm whose order is a tensor is not covered")
    return finish(im, value, node)


@handles("cumsum", "cumprod")
def _running(im: Importer, node: TracedNode) -> int:
    kind: ReduceKind = "sum" if "cumsum" in node.target else "prod"
    x = im.as_lane(node.args[0], im.result_lane(node))
    if not im.shape(x):
        return x
    return im.b.scan(kind, x, node.args[1] % len(im.shape(x)))


@handles("cummax", "cummin")
def _extreme_so_far(im: Importer, node: TracedNode) -> tuple[int | None, ...]:
    """Values, and where the extreme stood last: the largest position so far at which the running extreme is met."""
    kind: ReduceKind = "max" if "cummax" in node.target else "min"
    x = im.as_lane(node.args[0], F32)
    shape = im.shape(x)
    if not shape:
        return x, im.b.const(0, I32)
    axis = node.args[1] % len(shape)
    best = im.b.scan(kind, x, axis)
    along = tuple(d if i == axis else 1 for i, d in enumerate(shape))
    places = im.b.reshape(im.b.iota(shape[axis], 0, 1, F32), along)
    met = im.b.where(im.b.binary("eq", x, best), places, im.b.const(0.0, F32))
    last = im.b.scan("max", im.b.expand(met, shape), axis)
    return im.b.cast(best, im.result_lane(node)), im.b.cast(last, I32)
