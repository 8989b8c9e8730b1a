"""Convolutions as matrix products of the elements under the windows (columns) and the weights (rows); padding, pooling.

These are guarded picks at positions stride * o + dilation * w - pad, reduced over the window.
"""

import itertools
import math
from typing import Any

from akgen.tools.compose.front.aten.contract import contracted, stored_dtype
from akgen.tools.compose.front.aten.reduce import finish
from akgen.tools.compose.front.graph import Node, Number
from akgen.tools.compose.front.importer import Importer, handles
from akgen.tools.compose.front.traced import TracedNode
from akgen.tools.compose.scope import Unsupported
from akgen.tools.core.dtypes import DType

F32, I32 = DType.FLOAT32, DType.INT32
Sizes = tuple[int, ...]


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
        value = _transposed(im, node, x, weight, out, stride, pad, dilation, groups)
    else:
        value = _windows_times(im, node, x, weight, out, stride, pad, dilation, groups)
    if bias is not None:
        lanes = im.as_lane(bias, F32)
        value = im.b.binary("add", value, im.b.reshape(lanes, (*im.shape(lanes), *(1,) * count)))
    return finish(im, im.b.reshape(value, im.out(node).shape), node)


def _windows_times(
    im: Importer, node: TracedNode, x: int, weight: int, out: Sizes, stride: Sizes, pad: Sizes, dilation: Sizes,
    groups: int,
) -> int:  # fmt: skip
    """Return (N, Cout, *out) for weights (Cout, C / groups, *kernel)."""
    batch, _, *sizes = im.shape(x)
    filters, depth, *kernel = im.shape(weight)
    each, count, area = filters // groups, len(out), math.prod(out)
    if depth == 1 and max(kernel) > 1:
        return _depthwise(im, x, weight, out, stride, pad, dilation, groups)
    plain = max(kernel) == 1 and tuple(sizes) == out and max(stride) == 1 and not any(pad)
    if plain:
        columns = im.b.reshape(x, (batch, groups, depth, area))
    else:
        picked, _, _ = windowed(im, x, out, tuple(kernel), stride, pad, dilation, 0.0)
        order = (0, 1, *range(2 + count, 2 + 2 * count), *range(2, 2 + count))
        picked = im.b.permute(picked, order)  # (N, C, *kernel, *out)
        picked = im.b.reshape(picked, (batch, groups, depth * math.prod(kernel), area))
        dtype = stored_dtype(im, node, x, weight)
        if dtype is None or not dtype.is_float:
            raise Unsupported(node.target, f"the operation {node.target} of integers is not covered")
        columns = im.b.add(Node(op=f"round_{dtype}", args=(picked,), dtype=F32, shape=im.shape(picked)))
    rows = im.b.reshape(weight, (groups, each, depth * math.prod(kernel)))
    rows = im.b.expand(im.b.reshape(rows, (1, *im.shape(rows))), (batch, *im.shape(rows)))
    return im.b.reshape(contracted(im, node, rows, columns), (batch, filters, *out))


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


def _transposed(
    im: Importer, node: TracedNode, x: int, weight: int, out: Sizes, stride: Sizes, pad: Sizes, dilation: Sizes,
    groups: int,
) -> int:  # fmt: skip
    """Return (N, Cout, *out) for weights (C, Cout / groups, *kernel): one convolution per residue of the position.

    Output o takes x[i] * w[k] where i * stride = o + pad - dilation * k; positions with one residue modulo the stride
    have the same k, and i grows with them by one.
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


def numbers(arg: Any, count: int, default: Any = None) -> tuple[int, ...]:
    """Return an argument with one number per dimension, or one for all."""
    if arg is None or arg == ():
        arg = default
    values = arg if isinstance(arg, tuple) else (arg,)
    return tuple(int(v) for v in (values * count if len(values) == 1 else values))


def windowed(
    im: Importer,
    x: int,
    out: tuple[int, ...],
    kernel: tuple[int, ...],
    stride: tuple[int, ...],
    pad: tuple[int, ...],
    dilation: tuple[int, ...],
    fill: Number,
) -> tuple[int, tuple[int, ...], tuple[int, ...]]:
    """Return the elements under the windows of the last dimensions, the windows' axes last, and these axes.

    Also returns, per dimension, the position in the input. `out` is the result's lengths in these dimensions.
    """
    shape = im.shape(x)
    outer, count = shape[: -len(kernel)], len(kernel)
    full = (*outer, *out, *kernel)
    indices = [im.b.positions(full, axis) for axis in range(len(outer))]
    places: list[int] = []
    for k in range(count):
        axis = len(outer) + k
        start = im.b.positions(full, axis, -pad[k], stride[k])
        inner = im.b.positions(full, axis + count, 0, dilation[k])
        places.append(im.b.binary("add", start, inner, I32))
    value = im.b.expand(im.b.take(x, (*indices, *places), fill), full)
    return value, tuple(range(len(full) - count, len(full))), tuple(places)


@handles("max_pool1d", "max_pool2d", "max_pool3d", "max_pool2d_with_indices", "max_pool3d_with_indices",
         "max_pool1d_with_indices")  # fmt: skip
def _max_pool(im: Importer, node: TracedNode) -> int | tuple[int | None, ...]:
    x = im.as_lane(node.args[0], F32)
    count = int(node.target.split("pool")[1][0])
    kernel = numbers(im.arg(node, 1, "kernel_size"), count)
    stride = numbers(im.arg(node, 2, "stride"), count, kernel)
    pad = numbers(im.arg(node, 3, "padding"), count, 0)
    dilation = numbers(im.arg(node, 4, "dilation"), count, 1)
    out = im.out(node).shape[-count:]
    value, axes, places = windowed(im, x, out, kernel, stride, pad, dilation, -math.inf)
    best = im.b.reduce("max", value, axes)
    if "indices" not in node.target:
        return finish(im, best, node)
    sizes = im.shape(x)[-count:]
    flat: int | None = None
    for k, place in enumerate(places):
        scaled = im.b.binary("mul", im.b.cast(place, F32), im.b.const(float(math.prod(sizes[k + 1 :])), F32))
        flat = scaled if flat is None else im.b.binary("add", flat, scaled)
    assert flat is not None
    hits = im.b.where(im.b.binary("eq", value, best), flat, im.b.const(3e38, F32))
    index = im.b.reduce("min", hits, axes)
    return finish(im, best, node, 0), finish(im, index, node, 1)


@handles("avg_pool1d", "avg_pool2d", "avg_pool3d")
def _avg_pool(im: Importer, node: TracedNode) -> int:
    x = im.as_lane(node.args[0], F32)
    count = int(node.target.split("pool")[1][0])
    kernel = numbers(im.arg(node, 1, "kernel_size"), count)
    stride = numbers(im.arg(node, 2, "stride"), count, kernel)
    pad = numbers(im.arg(node, 3, "padding"), count, 0)
    counted = im.arg(node, 5, "count_include_pad", True)
    divisor = im.arg(node, 6, "divisor_override") if count > 1 else None
    out, sizes = im.out(node).shape[-count:], im.shape(x)[-count:]
    value, axes, _ = windowed(im, x, out, kernel, stride, pad, (1,) * count, 0.0)
    total = im.b.reduce("sum", value, axes)
    if divisor is not None:
        return finish(im, im.b.binary("mul", total, im.b.const(1.0 / divisor, F32)), node)
    overhang = any((o - 1) * s + k - p > n + (p if counted else 0)
                   for o, s, k, p, n in zip(out, stride, kernel, pad, sizes, strict=True))  # fmt: skip
    if not overhang and (counted or not any(pad)):
        return finish(im, im.b.binary("mul", total, im.b.const(1.0 / math.prod(kernel), F32)), node)
    shape = im.shape(total)
    inside: int | None = None
    for k in range(count):
        axis = len(shape) - 2 * count + k
        first = im.b.positions(shape, axis, -pad[k], stride[k])
        start = im.b.cast(first, F32)
        last = im.b.binary("add", start, im.b.const(float(kernel[k]), F32))
        last = im.b.binary("min", last, im.b.const(float(sizes[k] + (pad[k] if counted else 0)), F32))
        if not counted:
            start = im.b.binary("max", start, im.b.const(0.0, F32))
        length = im.b.binary("sub", last, start)
        inside = length if inside is None else im.b.binary("mul", inside, length)
    assert inside is not None
    return finish(im, im.b.binary("div", total, inside), node)


@handles("constant_pad_nd")
def _pad(im: Importer, node: TracedNode) -> int:
    x = im.as_lane(node.args[0], im.result_lane(node))
    value = im.arg(node, 2, "value", 0)
    value = 0 if value is None else value
    pads, shape = node.args[1], im.out(node).shape
    rank, given = len(shape), len(node.args[1]) // 2
    before = [pads[2 * (rank - 1 - a)] if rank - 1 - a < given else 0 for a in range(rank)]
    if any(d == 0 for d in (*shape, *im.shape(x))):
        raise Unsupported("constant_pad_nd", "tensors without elements are not covered")
    indices = tuple(im.b.positions(shape, a, -before[a]) for a in range(rank))
    dtype = im.result_lane(node)
    fill = float(value) if dtype.is_float else bool(value) if dtype == DType.BOOL else int(value)
    return im.b.expand(im.b.take(x, indices, fill), shape)
