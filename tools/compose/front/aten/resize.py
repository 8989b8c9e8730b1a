"""Resizing: weighted sums over the neighbours of a place in the source, whose indices and weights follow positions."""

import math
from collections.abc import Callable
from typing import Any

from akgen.tools.compose.front.aten.picks import picked_at
from akgen.tools.compose.front.aten.reduce import finish
from akgen.tools.compose.front.importer import Importer, handles
from akgen.tools.compose.front.traced import TracedNode
from akgen.tools.compose.scope import Unsupported
from akgen.tools.core.dtypes import DType

F32, I32, BOOL = DType.FLOAT32, DType.INT32, DType.BOOL
CUBIC = -0.75  # of the cubic convolution
Sizes = tuple[int, ...]
Tap = Callable[[Sizes, int, float, int, int], tuple[int, int]]
"""Gives the place in the source and the weight of each tap of each result: for the shape of all results and taps, an
axis, by how much the source moves per result, its length, and the axis of taps."""


def _scales(im: Importer, node: TracedNode, count: int, *, corners: bool) -> list[float]:
    """Return by how much the source moves per result, per dimension: as the given factors say, else by the sizes."""
    source, out = im.shape(im.value(node.args[0]))[-count:], im.out(node).shape[-count:]
    given: list[float | None] = [None] * count
    floats = [a for a in (*node.args[2:], *(v for _, v in node.kwargs)) if isinstance(a, float)]
    lists = [a for a in node.args[2:] if isinstance(a, tuple) and a and all(isinstance(v, float) for v in a)]
    if lists:
        given = list(lists[0])
    elif len(floats) == count:
        given = list(floats)
    found: list[float] = []
    for n, m, factor in zip(source, out, given, strict=True):
        if corners:
            found.append((n - 1) / (m - 1) if m > 1 else 0.0)
        else:
            found.append(1.0 / factor if factor else n / m)
    return found


def _source(im: Importer, shape: tuple[int, ...], axis: int, scale: float, offset: float) -> int:
    """Return scale * (position + offset) - offset along an axis."""
    place = im.b.cast(im.b.positions(shape, axis), F32)
    if offset:
        place = im.b.binary("add", place, im.b.const(offset, F32))
    place = im.b.binary("mul", place, im.b.const(scale, F32))
    return im.b.binary("sub", place, im.b.const(offset, F32)) if offset else place


def _within(im: Importer, index: int, count: int) -> int:
    low = im.b.binary("max", index, im.b.const(0, I32), I32)
    return im.b.binary("min", low, im.b.const(count - 1, I32), I32)


@handles("upsample_nearest1d", "upsample_nearest2d", "upsample_nearest3d", "_upsample_nearest_exact1d",
         "_upsample_nearest_exact2d", "_upsample_nearest_exact3d")  # fmt: skip
def _nearest(im: Importer, node: TracedNode) -> int:
    x, shape = im.value(node.args[0]), im.out(node).shape
    count = len(shape) - 2
    exact = 0.5 if "exact" in node.target else 0.0
    places: dict[int, int] = {}
    for k, scale in enumerate(_scales(im, node, count, corners=False)):
        place = im.b.cast(im.b.positions(shape, 2 + k), F32)
        if exact:
            place = im.b.binary("add", place, im.b.const(exact, F32))
        place = im.b.binary("mul", place, im.b.const(scale, F32))
        places[2 + k] = _within(im, im.b.cast(place, I32), im.shape(x)[2 + k])
    return picked_at(im, x, places, shape)


@handles("upsample_linear1d", "upsample_bilinear2d", "upsample_trilinear3d", "upsample_bicubic2d"
)  # fmt: skip
def _weighted(im: Importer, node: TracedNode) -> int:
    x = im.as_lane(node.args[0], F32)
    out = im.out(node).shape
    count = len(out) - 2
    cubic = "bicubic" in node.target
    corners = bool(im.arg(node, 2, "align_corners", False))
    taps = 4 if cubic else 2

    def tap(full: Sizes, axis: int, scale: float, size: int, along: int) -> tuple[int, int]:
        place = _source(im, full, axis, scale, 0.0 if corners else 0.5)
        if not cubic:
            place = im.b.binary("max", place, im.b.const(0.0, F32))
        whole = im.b.unary("floor", place)
        part = im.b.binary("sub", place, whole)
        tap = im.b.positions(full, along, -1 if cubic else 0)
        near = im.b.binary("add", im.b.cast(whole, I32), tap, I32)
        distance = im.b.unary("abs", im.b.binary("sub", part, im.b.cast(tap, F32)))
        weight = _cubic(im, distance) if cubic else im.b.binary("sub", im.b.const(1.0, F32), distance)
        return _within(im, near, size), weight

    return finish(
        im, _summed(im, x, out, (taps,) * count, _scales(im, node, count, corners=corners), tap), node
    )


@handles("_upsample_bilinear2d_aa", "_upsample_bicubic2d_aa")
def _smoothed(im: Importer, node: TracedNode) -> int:
    """Resize with weights that widen as the source shrinks, divided by their sum."""
    x = im.as_lane(node.args[0], F32)
    out = im.out(node).shape
    cubic = "bicubic" in node.target
    corners = bool(im.arg(node, 2, "align_corners", False))
    scales = _scales(im, node, 2, corners=corners)
    wide = 2.0 if cubic else 1.0
    taps = tuple(2 * math.ceil(wide * max(s, 1.0)) + 1 for s in scales)

    def tap(full: Sizes, axis: int, scale: float, size: int, along: int) -> tuple[int, int]:
        support = wide * max(scale, 1.0)
        place = im.b.cast(im.b.positions(full, axis), F32)
        centre = im.b.binary("mul", im.b.binary("add", place, im.b.const(0.5, F32)), im.b.const(scale, F32))
        first = im.b.binary("add", centre, im.b.const(0.5 - support, F32))
        first = im.b.unary("floor", im.b.binary("max", first, im.b.const(0.0, F32)))
        last = im.b.binary("add", centre, im.b.const(0.5 + support, F32))
        last = im.b.unary("floor", im.b.binary("min", last, im.b.const(float(size), F32)))
        at = im.b.binary("add", first, im.b.cast(im.b.positions(full, along), F32))
        near = im.b.cast(im.b.binary("min", at, im.b.const(float(size - 1), F32)), I32)
        distance = im.b.binary("sub", im.b.binary("add", at, im.b.const(0.5, F32)), centre)
        distance = im.b.binary("mul", im.b.unary("abs", distance), im.b.const(1.0 / max(scale, 1.0), F32))
        if cubic:
            weight = _cubic(im, distance, -0.5)
            hit = im.b.binary("lt", distance, im.b.const(2.0, F32), BOOL)
            weight = im.b.where(hit, weight, im.b.const(0.0, F32))
        else:
            weight = im.b.binary("sub", im.b.const(1.0, F32), distance)
            weight = im.b.binary("max", weight, im.b.const(0.0, F32))
        weight = im.b.where(im.b.binary("lt", at, last, BOOL), weight, im.b.const(0.0, F32))
        return near, im.b.binary("div", weight, im.b.reduce("sum", weight, (along,)))

    return finish(im, _summed(im, x, out, taps, scales, tap), node)


def _summed(im: Importer, x: int, out: Sizes, taps: Sizes, scales: list[float], tap: Tap) -> int:
    """Return the weighted sums over the taps around each place, along one axis after the other.

    An axis that shrinks comes first; of those that grow alike, the last, whose elements are gathered one by one.
    """
    for k in sorted(range(len(taps)), key=lambda k: (out[2 + k] / im.shape(x)[2 + k], -k)):
        axis, source = 2 + k, im.shape(x)
        full = (*source[:axis], out[axis], *source[axis + 1 :], taps[k])
        place, weight = tap(full, axis, scales[k], source[axis], len(out))
        value = im.b.binary("mul", picked_at(im, x, {axis: place}, full), weight)
        x = im.b.reshape(im.b.reduce("sum", value, (len(out),)), full[:-1])
    return x


@handles("grid_sampler_2d")
def _grid_sample(im: Importer, node: TracedNode) -> int:
    """Sample at places that a tensor gives, from -1 to 1; what lies outside is 0, or the border's."""
    x, grid = im.as_lane(node.args[0], F32), im.as_lane(node.args[1], F32)
    mode, padding, corners = node.args[2], node.args[3], bool(node.args[4])
    if mode > 1 or padding > 1:
        raise Unsupported("grid_sampler_2d", "cubic sampling and reflected borders are not covered")
    out = im.out(node).shape
    taps = 2 if mode == 0 else 1
    full = (*out, taps, taps)
    places: dict[int, int] = {}
    inside: int | None = None
    weight: int | None = None
    for k in range(2):
        size = im.shape(x)[2 + k]
        place = im.b.slice(grid, 3, 1 - k, 1)
        place = im.b.reshape(place, (out[0], 1, *out[2:], 1, 1))
        place = im.b.binary("add", place, im.b.const(1.0, F32))  # in the order in which PyTorch rounds
        place = im.b.binary("mul", place, im.b.const((size - 1 if corners else size) / 2, F32))
        if not corners:
            place = im.b.binary("sub", place, im.b.const(0.5, F32))
        if padding == 1:
            place = im.b.binary("max", place, im.b.const(0.0, F32))
            place = im.b.binary("min", place, im.b.const(float(size - 1), F32))
        whole = im.b.unary("floor" if mode == 0 else "round", place)
        at = im.b.binary("add", whole, im.b.cast(im.b.positions(full, 4 + k), F32))
        for name, end in (("ge", 0), ("le", size - 1)):
            test = im.b.binary(name, at, im.b.const(float(end), F32), BOOL)
            inside = test if inside is None else im.b.binary("and", inside, test, BOOL)
        low = im.b.binary("max", at, im.b.const(0.0, F32))
        places[2 + k] = im.b.cast(im.b.binary("min", low, im.b.const(float(size - 1), F32)), I32)
        if mode == 0:
            share = im.b.binary("sub", im.b.const(1.0, F32), im.b.unary("abs", im.b.binary("sub", place, at)))
            weight = share if weight is None else im.b.binary("mul", weight, share)
    assert inside is not None
    value = im.b.where(inside, picked_at(im, x, places, full), im.b.const(0.0, F32))
    if weight is not None:
        value = im.b.binary("mul", value, weight)
    return finish(im, im.b.reduce("sum", value, (4, 5)), node)


def _cubic(im: Importer, d: int, slope: float = CUBIC) -> int:
    """Return the weight of a tap at a distance: cubic convolution, two pieces."""

    def polynomial(*coefficients: float) -> int:
        total = im.b.const(coefficients[0], F32)
        for c in coefficients[1:]:
            total = im.b.binary("add", im.b.binary("mul", total, d), im.b.const(c, F32))
        return total

    near = polynomial(slope + 2, -(slope + 3), 0.0, 1.0)
    far = polynomial(slope, -5 * slope, 8 * slope, -4 * slope)
    return im.b.where(im.b.binary("le", d, im.b.const(1.0, F32), BOOL), near, far)


@handles("_adaptive_avg_pool2d", "adaptive_avg_pool1d", "adaptive_avg_pool2d", "_adaptive_avg_pool3d",
         "adaptive_max_pool1d", "adaptive_max_pool2d", "adaptive_max_pool3d", "adaptive_avg_pool3d")  # fmt: skip
def _adaptive(im: Importer, node: TracedNode) -> Any:
    """Pool over windows that begin at floor(i * n / m) and end before ceil((i + 1) * n / m)."""
    x = im.as_lane(node.args[0], F32)
    count = int(node.target.split("pool")[1][0])
    shape = im.shape(x)
    outer, sizes, out = shape[:-count], shape[-count:], im.out(node).shape[-count:]
    longest = tuple(
        max(-(-(i + 1) * n // m) - i * n // m for i in range(m)) for n, m in zip(sizes, out, strict=True)
    )
    full = (*outer, *out, *longest)
    greatest = "max" in node.target
    places: dict[int, int] = {}
    inside: int | None = None
    share = im.b.const(1.0, F32)
    for k, (n, m) in enumerate(zip(sizes, out, strict=True)):
        axis = len(outer) + k
        if n % m == 0:
            first = im.b.positions(full, axis, 0, n // m)
            places[axis] = im.b.binary("add", first, im.b.positions(full, axis + count), I32)
            share = im.b.binary("mul", share, im.b.const(m / n, F32))
            continue
        place = im.b.cast(im.b.positions(full, axis), F32)
        start = _quotient(im, im.b.binary("mul", place, im.b.const(float(n), F32)), m)
        last = im.b.binary("mul", im.b.binary("add", place, im.b.const(1.0, F32)), im.b.const(float(n), F32))
        end = _quotient(im, im.b.binary("add", last, im.b.const(float(m - 1), F32)), m)
        at = im.b.binary("add", start, im.b.cast(im.b.positions(full, axis + count), F32))
        within = im.b.binary("lt", at, end, BOOL)
        inside = within if inside is None else im.b.binary("and", inside, within, BOOL)
        last_place = im.b.const(float(n - 1), F32)
        places[axis] = im.b.cast(im.b.binary("min", at, last_place), I32)
        share = im.b.binary("div", share, im.b.binary("sub", end, start))
    value = picked_at(im, x, places, full)
    axes = tuple(range(len(shape), len(full)))
    if inside is not None:
        value = im.b.where(inside, value, im.b.const(-math.inf if greatest else 0.0, F32))
    if not greatest:
        total = im.b.reduce("sum", value, axes)
        shares = im.b.reshape(share, im.b[share].shape) if im.b[share].shape else share
        return finish(im, im.b.binary("mul", total, shares), node)
    best = im.b.reduce("max", value, axes)
    flat = im.b.const(0.0, F32)
    for k in range(count):
        step = im.b.const(float(math.prod(sizes[k + 1 :])), F32)
        flat = im.b.binary("add", flat, im.b.binary("mul", im.b.cast(places[len(outer) + k], F32), step))
    hits = im.b.where(im.b.binary("eq", value, best), flat, im.b.const(3e38, F32))
    index = im.b.reduce("min", hits, axes)
    return finish(im, best, node, 0), finish(im, index, node, 1)


def _quotient(im: Importer, value: int, by: int) -> int:
    """Return the whole part of a whole number divided by another."""
    half = im.b.binary("add", value, im.b.const(0.5, F32))
    return im.b.unary("floor", im.b.binary("mul", half, im.b.const(1.0 / by, F32)))
