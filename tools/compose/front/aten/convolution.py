"""Convolutions, plain and transposed, with what is added per channel.

A convolution is a matrix product of the elements under the windows (columns) and the weights (rows). A transposed one
is a plain one: with filters for each residue of the position, or a convolution for each.
"""

import itertools
import math

from akgen.tools.compose.front.aten.contract import contracted, stored_dtype
from akgen.tools.compose.front.aten.reduce import finish
from akgen.tools.compose.front.aten.windows import numbers, windowed
from akgen.tools.compose.front.graph import Node
from akgen.tools.compose.front.importer import Importer, handles
from akgen.tools.compose.front.traced import TracedNode
from akgen.tools.compose.scope import Unsupported
from akgen.tools.core.dtypes import DType

F32, I32, BOOL = DType.FLOAT32, DType.INT32, DType.BOOL
Sizes = tuple[int, ...]


def _windows_times(
    im: Importer, node: TracedNode, x: int, weight: int, out: Sizes, stride: Sizes, pad: Sizes, dilation: Sizes,
    groups: int,
) -> int:  # fmt: skip
    """Return (N, Cout, *out) for weights (Cout, C / groups, *kernel)."""
    batch = im.shape(x)[0]
    filters, depth, *kernel = im.shape(weight)
    if depth == 1 and max(kernel) > 1:
        return _depthwise(im, x, weight, out, stride, pad, dilation, groups)
    columns = _columns_of(im, node, x, weight, out, tuple(kernel), stride, pad, dilation, groups)
    rows = im.b.reshape(weight, (groups, filters // groups, depth * math.prod(kernel)))
    rows = im.b.expand(im.b.reshape(rows, (1, *im.shape(rows))), (batch, *im.shape(rows)))
    return im.b.reshape(contracted(im, node, rows, columns), (batch, filters, *out))


def _columns_of(
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


def _transposed_convolution(
    im: Importer, node: TracedNode, x: int, weight: int, out: Sizes, stride: Sizes, pad: Sizes, dilation: Sizes,
    groups: int,
) -> int:  # fmt: skip
    """Return (N, Cout, *out) for weights (C, Cout / groups, *kernel): output o takes x[i] * w[k] where
    i * stride = o + pad - dilation * k."""
    gaps = any(d > 1 and n > 1 for d, n in zip(dilation, stride, strict=True))
    way = _by_residues if gaps or max(stride) == 1 else _by_filters
    return way(im, node, x, weight, out, stride, pad, dilation, groups)


def _by_filters(
    im: Importer, node: TracedNode, x: int, weight: int, out: Sizes, stride: Sizes, pad: Sizes, dilation: Sizes,
    groups: int,
) -> int:  # fmt: skip
    """Return one convolution with filters for each residue of the position (a sub-pixel convolution).

    With o + pad = stride * q + r, output o takes k = r + stride * t at i = q - t, which is the same for all r. Results
    lie with q innermost along the last dimension, so that rows are stored whole, and are picked from in the order of o.
    """
    channels, each, *kernel = im.shape(weight)
    batch, count, depth, steps = im.shape(x)[0], len(out), channels // groups, math.prod(stride)
    turns = tuple(-(-k // n) for k, n in zip(kernel, stride, strict=True))
    left = [p % n for p, n in zip(pad, stride, strict=True)]
    quotients = tuple(-(-(o + p) // n) for o, p, n in zip(out, left, stride, strict=True))
    ones, first = (1,) * count, tuple(-(p // n) for p, n in zip(pad, stride, strict=True))
    back = tuple(-d for d in dilation)
    filters = _filters(
        im, im.b.reshape(weight, (groups, depth, each * math.prod(kernel))), tuple(kernel), stride
    )
    if depth == 1:
        filters = im.b.permute(filters, (0, count + 2, count + 1, *range(1, count + 1)))
        filters = im.b.reshape(filters, (groups * each * steps, 1, *turns))
        sums = _windows_times(im, node, x, filters, quotients, ones, first, back, groups)
    else:
        columns = _columns_of(
            im, node, x, weight, quotients, turns, ones, first, back, groups, taps_first=True
        )
        rows = im.b.reshape(filters, (1, groups, math.prod(turns) * depth, each * steps))
        rows = im.b.permute(rows, (0, 1, 3, 2))
        rows = im.b.expand(rows, (batch, *im.shape(rows)[1:]))
        sums = contracted(im, node, rows, columns)
    sums = im.b.reshape(sums, (batch, groups * each, *stride, *quotients))
    order = [0, 1]
    for k in range(count):
        order += [2 + count + k, 2 + k] if k < count - 1 else [2 + k, 2 + count + k]
    sums = im.b.permute(sums, tuple(order))
    merged = (a * b for a, b in zip(quotients, stride, strict=True))
    return _in_order(im, im.b.reshape(sums, (batch, groups * each, *merged)), out, stride[-1], left)


def _filters(im: Importer, weight: int, kernel: Sizes, stride: Sizes) -> int:
    """Return (groups, *turns, C / groups, filters * residues) of weights (groups, C / groups, filters * kernel).

    Residue r takes k = r + stride * t in turn t, and 0 where there is no such k. Along the last dimension, the place
    of an element is computed, so that a row is loaded whole and gathered from.
    """
    groups, depth, width = im.shape(weight)
    count, taps, steps = len(kernel), math.prod(kernel), math.prod(stride)
    turns = tuple(-(-k // n) for k, n in zip(kernel, stride, strict=True))
    full = (groups, *turns, depth, width // taps * steps)
    rest = im.b.positions(full, count + 2)
    parts: list[int] = []
    inside: int | None = None
    for k in reversed(range(count)):
        rest, residue = _divided(im, rest, stride[k])
        moved = im.b.positions(full, 1 + k, 0, stride[k])
        if turns[k] * stride[k] > kernel[k]:
            place = im.b.cast(im.b.binary("add", residue, moved, I32), F32)
            within = im.b.binary("lt", place, im.b.const(float(kernel[k]), F32), BOOL)
            inside = within if inside is None else im.b.binary("and", inside, within, BOOL)
        scale = im.b.const(math.prod(kernel[k + 1 :]), I32)
        parts += [im.b.binary("mul", part, scale, I32) for part in (residue, moved)]
    index = im.b.binary("mul", rest, im.b.const(taps, I32), I32)
    for part in parts:
        index = im.b.binary("add", index, part, I32)
    if inside is not None:
        index = im.b.binary("min", index, im.b.const(width - 1, I32), I32)
    indices = (im.b.positions(full, 0), im.b.positions(full, count + 1), index)
    found = im.b.expand(im.b.take(weight, indices), full)
    return found if inside is None else im.b.where(inside, found, im.b.const(0.0, F32))


def _divided(im: Importer, place: int, by: int) -> tuple[int, int]:
    """Return the quotient and the remainder of whole numbers that are not negative, below 2**22."""
    half = im.b.binary("add", im.b.cast(place, F32), im.b.const(0.5, F32))
    quotient = im.b.cast(im.b.unary("floor", im.b.binary("mul", half, im.b.const(1.0 / by, F32))), I32)
    whole = im.b.binary("mul", quotient, im.b.const(by, I32), I32)
    return quotient, im.b.binary("sub", place, whole, I32)


def _in_order(im: Importer, sums: int, out: Sizes, step: int, left: list[int]) -> int:
    """Return the elements from `left` on of sums that lie one residue after the other in the last dimension."""
    count = len(out)
    if step == 1:
        for k in range(count):
            sums = im.b.slice(sums, 2 + k, left[k], out[k])
        return sums
    sums = im.b.stored(sums)
    *_, width = im.shape(sums)
    shape = (*im.shape(sums)[:2], *out)
    indices = [im.b.positions(shape, axis, (0, 0, *left)[axis]) for axis in range(1 + count)]
    place = im.b.positions(shape, 1 + count, left[-1])
    quotient, residue = _divided(im, place, step)
    moved = im.b.binary("mul", residue, im.b.const(width // step, I32), I32)
    index = im.b.binary("add", moved, quotient, I32)
    return im.b.expand(im.b.take(sums, (*indices, index)), shape)


def _by_residues(
    im: Importer, node: TracedNode, x: int, weight: int, out: Sizes, stride: Sizes, pad: Sizes, dilation: Sizes,
    groups: int,
) -> int:  # fmt: skip
    """Return one convolution per residue of the position.

    Positions with one residue modulo the stride have the same k, and i grows with them by one.
    """
    channels, each, *kernel = im.shape(weight)
    count = len(out)
    weight = im.b.reshape(weight, (groups, channels // groups, each, *kernel))
    order = (0, 2, 1, *range(3, 3 + count))
    weight = im.b.reshape(im.b.permute(weight, order), (groups * each, channels // groups, *kernel))
    longest = tuple(-(-o // s) for o, s in zip(out, stride, strict=True))
    pieces: list[int] = []
    for residues in itertools.product(*map(range, stride)):
        pieces.append(_residue(im, node, x, weight, longest, residues, stride, pad, dilation, groups))
    value = pieces[0]
    if len(pieces) > 1:
        value = _interleaved(im, pieces, stride)
    for k in range(count):
        value = im.b.slice(value, 2 + k, 0, out[k])
    return value


def _residue(
    im: Importer, node: TracedNode, x: int, weight: int, longest: Sizes, residues: Sizes, stride: Sizes, pad: Sizes,
    dilation: Sizes, groups: int,
) -> int:  # fmt: skip
    """Return the output at positions q * stride + residue."""
    batch, filters = im.shape(x)[0], im.shape(weight)[0]
    shifts: list[int] = []
    steps: list[int] = []
    for k, size in enumerate(im.shape(weight)[2:]):
        taps = [t for t in range(size) if (residues[k] + pad[k] - dilation[k] * t) % stride[k] == 0]
        if not taps:
            return im.b.full(0.0, F32, (batch, filters, *longest))
        step = taps[1] - taps[0] if len(taps) > 1 else 1
        weight = im.b.slice(weight, 2 + k, taps[0], len(taps), step)
        shifts.append(-(residues[k] + pad[k] - dilation[k] * taps[0]) // stride[k])
        steps.append(-dilation[k] * step // stride[k])
    ones = (1,) * len(stride)
    return _windows_times(im, node, x, weight, longest, ones, tuple(shifts), tuple(steps), groups)


def _interleaved(im: Importer, pieces: list[int], stride: Sizes) -> int:
    """Return the pieces with their elements in turn, along all dimensions."""
    batch, filters, *longest = im.shape(pieces[0])
    count = len(stride)
    seen = [im.b.reshape(p, (batch, filters, *longest, 1)) for p in pieces]
    joined = im.b.cat(tuple(seen), 2 + count)
    joined = im.b.reshape(joined, (batch, filters, *longest, *stride))
    order = [0, 1]
    for k in range(count):
        order += [2 + k, 2 + count + k]
    joined = im.b.permute(joined, tuple(order))
    return im.b.reshape(joined, (batch, filters, *(n * s for n, s in zip(longest, stride, strict=True))))


@handles("convolution")
def _convolution(im: Importer, node: TracedNode) -> int:
    x, weight = im.tensor(node, 0), im.tensor(node, 1)
    bias, transposed, groups = node.args[2], node.args[6], node.args[8]
    count = len(im.shape(weight)) - 2
    if len(im.shape(x)) == count + 1:  # without a batch
        x = im.b.reshape(x, (1, *im.shape(x)))
    stride, pad, dilation = (numbers(node.args[k], count) for k in (3, 4, 5))
    out = im.out(node).shape[-count:]
    if transposed:
        value = _transposed_convolution(im, node, x, weight, out, stride, pad, dilation, groups)
    else:
        value = _windows_times(im, node, x, weight, out, stride, pad, dilation, groups)
    if bias is not None:
        lanes = im.as_lane(bias, F32)
        value = im.b.binary("add", value, im.b.reshape(lanes, (*im.shape(lanes), *(1,) * count)))
    return finish(im, im.b.reshape(value, im.out(node).shape), node)
