"""Windows over the last dimensions (pooling), and padding: guarded picks at stride * o + dilation * w - pad."""

import math
from typing import Any

from akgen.tools.compose.front.aten.reduce import finish
from akgen.tools.compose.front.graph import EXACT_PLACES, Number
from akgen.tools.compose.front.importer import Importer, handles
from akgen.tools.compose.front.traced import TracedNode
from akgen.tools.compose.scope import Unsupported
from akgen.tools.core.dtypes import DType

F32, I32 = DType.FLOAT32, DType.INT32


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
    if math.prod(sizes) > EXACT_PLACES:
        raise Unsupported(
            "max_pool with indices", "places beyond 2^24, which float32 does not count, are not covered"
        )
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
