"""Counting what compares: places in sorted rows, histograms. Every element meets every bound, in one fused pass."""

from akgen.tools.compose.front.aten.reduce import finish, reduced
from akgen.tools.compose.front.importer import Importer, handles
from akgen.tools.compose.front.traced import TracedNode
from akgen.tools.compose.scope import Unsupported
from akgen.tools.core.dtypes import DType

F32, BOOL = DType.FLOAT32, DType.BOOL


@handles("searchsorted", "bucketize")
def _searchsorted(im: Importer, node: TracedNode) -> int:
    """Count the bounds that lie before each value."""
    bounds, values = node.args[0], node.args[1]
    if "bucketize" in node.target:
        bounds, values = values, bounds
    rows, x = im.as_lane(bounds, F32), im.as_lane(values, F32)
    right = im.arg(node, 3, "right", False) or dict(node.kwargs).get("side") == "right"
    if dict(node.kwargs).get("sorter") is not None:
        raise Unsupported("searchsorted", "searchsorted with a sorter is not covered")
    shape, rank = im.shape(rows), len(im.shape(x))
    wide = (1,) * (rank if len(shape) == 1 else rank - 1) + shape[-1:]
    rows = im.b.reshape(rows, wide if len(shape) == 1 else (*shape[:-1], 1, shape[-1]))
    before = im.b.binary("le" if right else "lt", rows, im.b.reshape(x, (*im.shape(x), 1)), BOOL)
    count = reduced(im, "sum", im.b.cast(before, F32), (rank,))
    return finish(im, count, node)


@handles("histc")
def _histc(im: Importer, node: TracedNode) -> int:
    """Count the elements of every bin; between the least and the greatest element where no bounds are given."""
    x = im.as_lane(node.args[0], F32)
    bins = im.arg(node, 1, "bins", 100)
    low, high = float(im.arg(node, 2, "min", 0)), float(im.arg(node, 3, "max", 0))
    count = 1
    for d in im.shape(x):
        count *= d
    x = im.b.reshape(x, (1, count))
    first, last = im.b.const(low, F32), im.b.const(high, F32)
    if low == high:
        first, last = (reduced(im, kind, x, (0, 1)) for kind in ("min", "max"))
        same, one = im.b.binary("eq", first, last, BOOL), im.b.const(1.0, F32)
        first, last = (
            im.b.where(same, im.b.binary("sub", first, one), first),
            im.b.where(same, im.b.binary("add", last, one), last),
        )
    scaled = im.b.binary("mul", im.b.binary("sub", x, first), im.b.const(float(bins), F32))
    place = im.b.unary("trunc", im.b.binary("div", scaled, im.b.binary("sub", last, first)))
    place = im.b.binary("min", place, im.b.const(float(bins - 1), F32))
    inside = im.b.binary("and", im.b.binary("ge", x, first), im.b.binary("le", x, last))
    each = im.b.cast(im.b.positions((bins, 1), 0), F32)
    hit = im.b.binary("and", im.b.binary("eq", place, each), inside)
    return finish(im, reduced(im, "sum", im.b.cast(hit, F32), (1,)), node)
