"""Running sums, products, maxima and minima along an axis."""

from akgen.tools.compose.front.graph import ReduceKind
from akgen.tools.compose.front.importer import Importer, handles
from akgen.tools.compose.front.traced import TracedNode
from akgen.tools.core.dtypes import DType

F32, I32 = DType.FLOAT32, DType.INT32


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
