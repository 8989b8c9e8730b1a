"""Convolutions as matrix products of the elements under the windows (columns) and the weights (rows)."""

import math

from akgen.tools.compose.front.aten.contract import contracted, stored_dtype
from akgen.tools.compose.front.aten.windows import windowed
from akgen.tools.compose.front.graph import Node
from akgen.tools.compose.front.importer import Importer
from akgen.tools.compose.front.traced import TracedNode
from akgen.tools.compose.scope import Unsupported
from akgen.tools.core.dtypes import DType

F32 = DType.FLOAT32
Sizes = tuple[int, ...]


def windows_times(
    im: Importer, node: TracedNode, x: int, weight: int, out: Sizes, stride: Sizes, pad: Sizes, dilation: Sizes,
    groups: int,
) -> int:  # fmt: skip
    """Return (N, Cout, *out) for weights (Cout, C / groups, *kernel)."""
    batch = im.shape(x)[0]
    filters, depth, *kernel = im.shape(weight)
    if depth == 1 and max(kernel) > 1:
        return _depthwise(im, x, weight, out, stride, pad, dilation, groups)
    columns = columns_of(im, node, x, weight, out, tuple(kernel), stride, pad, dilation, groups)
    rows = im.b.reshape(weight, (groups, filters // groups, depth * math.prod(kernel)))
    rows = im.b.expand(im.b.reshape(rows, (1, *im.shape(rows))), (batch, *im.shape(rows)))
    return im.b.reshape(contracted(im, node, rows, columns), (batch, filters, *out))


def columns_of(
    im: Importer, node: TracedNode, x: int, weight: int, out: Sizes, kernel: Sizes, stride: Sizes, pad: Sizes,
    dilation: Sizes, groups: int, *, taps_first: bool = False,
) -> int:  # fmt: skip
    """Return the elements under each window as a column, (N, groups, C / groups * taps, positions); with `taps_first`,
    taps * C / groups."""
    batch, channels, *sizes = im.shape(x)
    depth, count, taps, area = channels // groups, len(out), math.prod(kernel), math.prod(out)
    if taps == 1 and tuple(sizes) == out and max(stride) == 1 and not any(pad):
        return im.b.reshape(x, (batch, groups, depth, area))
    seen = im.b.reshape(x, (batch, groups, depth, *sizes))
    picked, _, _ = windowed(im, seen, out, kernel, stride, pad, dilation, 0.0)
    places, window = range(3, 3 + count), range(3 + count, 3 + 2 * count)
    inner = (*window, 2) if taps_first else (2, *window)
    picked = im.b.permute(picked, (0, 1, *inner, *places))
    picked = im.b.reshape(picked, (batch, groups, depth * taps, area))
    dtype = stored_dtype(im, node, x, weight)
    if dtype is None or not dtype.is_float:
        raise Unsupported(node.target, f"the operation {node.target} of integers is not covered")
    return im.b.add(Node(op=f"round_{dtype}", args=(picked,), dtype=F32, shape=im.shape(picked)))


def _depthwise(
    im: Importer, x: int, weight: int, out: Sizes, stride: Sizes, pad: Sizes, dilation: Sizes, groups: int
) -> int:
    """Return the sums over each channel's own windows: too little work for the cube core."""
    batch = im.shape(x)[0]
    filters, _, *kernel = im.shape(weight)
    each, count = filters // groups, len(out)
    picked, axes, _ = windowed(im, x, out, tuple(kernel), stride, pad, dilation, 0.0)
    if each > 1:
        shape = im.shape(picked)
        picked = im.b.reshape(picked, (batch, groups, 1, *shape[2:]))
        axes = tuple(a + 1 for a in axes)
    factors = im.b.reshape(weight, (groups, *((each,) if each > 1 else ()), *(1,) * count, *kernel))
    total = im.b.reduce("sum", im.b.binary("mul", picked, factors), axes)
    return im.b.reshape(total, (batch, filters, *out))
