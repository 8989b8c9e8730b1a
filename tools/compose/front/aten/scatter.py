"""Scattering: elements and rows that go where indices say, one after the other, or are combined with what is there."""

import math
from typing import Any

from akgen.tools.compose.front.aten.picks import fixed, index_of, wrapped
from akgen.tools.compose.front.aten.views import assigned
from akgen.tools.compose.front.graph import Number, ReduceKind, broadcast
from akgen.tools.compose.front.importer import Importer, handles
from akgen.tools.compose.front.traced import TracedNode
from akgen.tools.compose.scope import Unsupported
from akgen.tools.core.dtypes import DType

F32, BOOL, INT32 = DType.FLOAT32, DType.BOOL, DType.INT32
KINDS: dict[str, ReduceKind | None] = {
    "add": "sum", "sum": "sum", "multiply": "prod", "prod": "prod", "amax": "max", "amin": "min",
}  # fmt: skip


@handles("scatter", "scatter_add", "scatter_reduce")
def _scatter(im: Importer, node: TracedNode) -> int:
    """Scatter along one axis: an index per element."""
    name = node.target.split(".")[1]
    dtype = _lane(im, node)
    base, index = im.as_lane(node.args[0], dtype), index_of(im, node.args[2])
    shape, wanted = im.shape(base), im.shape(index)
    axis = node.args[1] % max(1, len(shape))
    kind = _kind(im, node, name)
    one = bool(shape) and wanted == tuple(1 if a == axis else d for a, d in enumerate(shape))
    if one and kind is None:
        hit = im.b.binary("eq", im.b.cast(im.b.positions(shape, axis), F32), im.b.cast(index, F32), BOOL)
        return _finished(im, node, im.b.where(hit, im.as_lane(node.args[3], dtype), base))
    if not shape or any(d != w for a, (d, w) in enumerate(zip(shape, wanted, strict=True)) if a != axis):
        raise Unsupported(name, f"{name} with fewer indices than rows is not covered")
    order = (*(a for a in range(len(shape)) if a != axis), axis)
    count = math.prod(d for a, d in enumerate(shape) if a != axis)

    def rows(value: int, length: int) -> int:
        if order != tuple(range(len(shape))):
            value = im.b.stored(im.b.permute(value, order))
        return im.b.reshape(value, (count, length))

    source, number = _operand(im, node.args[3], dtype)
    if number is None:
        for a, d in enumerate(wanted):
            source = im.b.slice(source, a, 0, d)
        source = rows(source, wanted[axis])
    fixed = im.b.constant(base)
    into = fixed if fixed is not None else rows(base, shape[axis])
    found = im.b.scatter(
        False, (count, shape[axis]), rows(index, wanted[axis]), source if number is None else number, into, kind, dtype,
        constants=(number is not None, fixed is not None),
    )  # fmt: skip
    wide = im.b.reshape(found, tuple(shape[a] for a in order))
    return _finished(im, node, im.b.permute(wide, tuple(order.index(a) for a in range(len(shape)))))


def _lane(im: Importer, node: TracedNode) -> DType:
    """Return the lane in which values are scattered: truth values go as integers."""
    dtype = im.result_lane(node)
    return INT32 if dtype == BOOL else dtype


def _finished(im: Importer, node: TracedNode, value: int) -> int:
    """Return what was scattered as the result's own kind of values."""
    if im.result_lane(node) != BOOL:
        return value
    return im.b.binary("ne", value, im.b.const(0, INT32), BOOL)


def _kind(im: Importer, node: TracedNode, name: str) -> ReduceKind | None:
    if name == "scatter_add":
        return "sum"
    reduce = im.arg(node, 4, "reduce") if name == "scatter_reduce" or "reduce" in node.target else None
    if reduce is None:
        return None
    if reduce not in KINDS or not im.arg(node, 5, "include_self", True):
        raise Unsupported(name, f"{name} by {reduce}, or without what is there, is not covered")
    return KINDS[reduce]


def _operand(im: Importer, arg: Any, dtype: DType) -> tuple[int, Number | None]:
    """Return what is scattered, and its number if it is one."""
    value = im.as_lane(arg, dtype)
    return value, im.b.constant(value)


@handles("index_add", "index_copy", "index_fill")
def _index_rows(im: Importer, node: TracedNode) -> int:
    name = node.target.split(".")[1]
    dtype = _lane(im, node)
    base = im.as_lane(node.args[0], dtype)
    axis = node.args[1] % max(1, len(im.shape(base)))
    index = index_of(im, node.args[2])
    (count,) = im.shape(index) or (1,)
    source, number = _operand(im, node.args[3], dtype)
    alpha = im.arg(node, 4, "alpha", 1)
    if alpha != 1:
        source = im.b.binary("mul", source, im.b.const(alpha, dtype), dtype)
        number = im.b.constant(source)
    kind: ReduceKind | None = "sum" if name == "index_add" else None
    found = into_rows(im, base, axis, 1, im.b.reshape(index, (count,)), source, number, kind)
    return _finished(im, node, found)


@handles("index_put", "_unsafe_index_put")
def _index_put(im: Importer, node: TracedNode) -> int:
    dtype = _lane(im, node)
    base, given = im.as_lane(node.args[0], dtype), list(node.args[1])
    shape = im.shape(base)
    axes = [a for a, v in enumerate(given) if v is not None]
    source, number = _operand(im, node.args[2], dtype)
    mask = im.value(given[axes[0]])
    if im.b[mask].dtype == BOOL:
        if len(axes) > 1 or math.prod(im.shape(source)) != 1:
            raise Unsupported(
                "index_put", "values that are put where a mask holds, one by one, are not covered"
            )
        wide = im.shape(mask) + (1,) * (len(shape) - axes[0] - len(im.shape(mask)))
        return _finished(im, node, im.b.where(im.b.reshape(mask, wide), im.b.reshape(source, ()), base))
    places = (
        fixed(im, given[axes[0]]) if len(axes) == 1 and not im.arg(node, 3, "accumulate", False) else None
    )
    if places is not None and len(im.shape(mask)) == 1:
        step = places[1] - places[0] if len(places) > 1 else 1
        if step > 0 and places[0] >= 0 and places == list(range(places[0], places[-1] + 1, step)):
            one = tuple(len(places) if a == axes[0] else d for a, d in enumerate(shape))
            found = assigned(im, base, im.b.expand(source, one), axes[0], places[0], step)
            return _finished(im, node, found)
    order = (*axes, *(a for a in range(len(shape)) if a not in axes))
    apart = axes != list(range(axes[0], axes[0] + len(axes)))
    if apart:  # the axes of what is put there come first, then the others
        base = im.b.stored(im.b.permute(base, order))
        given, axes, shape = [given[a] for a in axes], list(range(len(axes))), im.shape(base)
    follows = math.prod(shape[axes[-1] + 1 :]) > 1
    raw = [index_of(im, given[a]) for a in axes]
    wraps = len(raw) == 1 and follows
    values = raw if wraps else [wrapped(im, v, shape[a]) for v, a in zip(raw, axes, strict=True)]
    common = broadcast(*(im.shape(v) for v in values))
    flat: int | None = None
    for a, value in zip(axes, values, strict=True):
        step = math.prod(shape[b] for b in axes if b > a)
        scaled = im.b.binary("mul", value, im.b.const(step, INT32), INT32) if step != 1 else value
        flat = scaled if flat is None else im.b.binary("add", flat, scaled, INT32)
    assert flat is not None
    count = math.prod(common)
    flat = im.b.reshape(im.b.expand(flat, common), (count,))
    if number is None:
        full = (*shape[: axes[0]], *common, *shape[axes[-1] + 1 :])
        source = im.b.expand(source, full)
        source = im.b.reshape(source, (*shape[: axes[0]], count, *shape[axes[-1] + 1 :]))
    kind: ReduceKind | None = "sum" if im.arg(node, 3, "accumulate", False) else None
    found = into_rows(im, base, axes[0], len(axes), flat, source, number, kind, wraps=wraps)
    if apart:
        found = im.b.permute(found, tuple(order.index(a) for a in range(len(order))))
    return _finished(im, node, found)


def into_rows(
    im: Importer,
    base: int,
    axis: int,
    axes: int,
    index: int,
    source: int,
    number: Number | None,
    kind: ReduceKind | None,
    *,
    wraps: bool = False,
) -> int:
    """Scatter rows along `axes` axes from `axis` on, which count as one; single elements where nothing follows."""
    shape, dtype = im.shape(base), im.b[base].dtype
    (count,) = im.shape(index)
    outer, inner = math.prod(shape[:axis]), math.prod(shape[axis + axes :])
    length = math.prod(shape[axis : axis + axes])
    fixed = im.b.constant(base)
    constants = (number is not None, fixed is not None)

    def seen(value: int, wide: tuple[int, ...]) -> int:
        node = im.b[value]
        if node.op == "expand":
            value = im.b.stored(value)
        return im.b.reshape(value, wide)

    if inner == 1 and outer == 1:
        found = im.b.scatter(
            False, (1, length), im.b.reshape(index, (1, count)), seen(source, (1, count)) if number is None else number,
            seen(base, (1, length)) if fixed is None else fixed, kind, dtype, constants=constants,
        )  # fmt: skip
        return im.b.reshape(found, shape)
    if inner == 1:  # the same places in each row
        places = im.b.expand(im.b.reshape(index, (1, count)), (outer, count))
        found = im.b.scatter(
            False, (outer, length), places, seen(source, (outer, count)) if number is None else number,
            seen(base, (outer, length)) if fixed is None else fixed, kind, dtype, constants=constants,
        )  # fmt: skip
        return im.b.reshape(found, shape)
    found = im.b.scatter(
        True, (outer, length, inner), index, seen(source, (outer, count, inner)) if number is None else number,
        seen(base, (outer, length, inner)) if fixed is None else fixed, kind, dtype, constants=constants,
        wraps=wraps,
    )  # fmt: skip
    return im.b.reshape(found, shape)
