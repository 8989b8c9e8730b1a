"""Functions of parts of tensors whose length depends on elements, and what a branch leaves of two values.

What combines elements along such an axis takes neutral ones from the length on.
"""

import operator
from collections.abc import Sequence
from functools import reduce
from typing import Any

import torch
from torch.utils import _pytree as pytree

from akgen.tools.compose.front.record_batched import batch_axis
from akgen.tools.compose.front.record_einsum import einsum_of_parts
from akgen.tools.compose.front.record_outside import Unrecordable
from akgen.tools.compose.front.record_ragged import (
    NEUTRAL,
    POINTWISE,
    Ragged,
    Which,
    along,
    expanded,
    from_place,
    part,
    places,
    settled,
    uncovered,
    within,
)

_LIKE = frozenset(["empty_like", "zeros_like", "ones_like", "full_like"])
_MANY_PARTS = 4  # that are joined


def call(name: str, func: Any, args: Any, kwargs: Any) -> Any:
    """Call a function some of whose arguments are parts."""
    name = name.strip("_") if name.startswith("__") else name
    args, kwargs = settled((args, kwargs))
    if not any(isinstance(v, Ragged) for v in pytree.tree_leaves((args, kwargs))):
        return func(*args, **kwargs)
    if name in _LIKE and isinstance(args[0], Ragged):
        return args[0].mapped(lambda v: func(v, *args[1:], **kwargs))
    if name in ("cat", "concat", "concatenate"):
        return _joined(args[0], kwargs.get("dim", args[1] if len(args) > 1 else 0))
    if name in POINTWISE:
        return _pointwise(func, args, kwargs)
    if name == "einsum":
        return einsum_of_parts(args)
    if name in ("matmul", "rmatmul", "mm", "bmm"):
        return _product(*(args[::-1] if name == "rmatmul" else args))
    x = args[0]
    if not isinstance(x, Ragged):
        raise uncovered(f"the operation {name} with a part")
    if name in NEUTRAL:
        return _reduced(name, func, x, args[1:], kwargs)
    if name in ("softmax", "log_softmax"):
        axis = kwargs.get("dim", args[1] if len(args) > 1 else -1) % x.ndim
        if axis != x.axis:
            return x.mapped(lambda v: func(v, *args[1:], **kwargs))
        full = func(x.masked(-torch.inf), *args[1:], **kwargs)
        return Ragged(axis, x.length, lambda n: part(full, axis, n), x.most)
    if name in ("view", "reshape", "flatten"):
        return _reshaped(x, args[1:], kwargs, flat=name == "flatten")
    if (
        name == "getitem"
        and isinstance(args[1], torch.Tensor)
        and args[1].dtype != torch.bool
        and x.axis == 0
    ):
        below = getattr(args[1], "below", None)  # what sorts so many elements: there are as many
        if below is None or args[1].dim() != 1:
            wanted = args[1].reshape(-1)
            wanted = torch.where(wanted < 0, wanted + x.length, wanted)
            return x.made(wanted).reshape(*args[1].shape, *x.made(1).shape[1:])
        return x.made(below).index_select(0, args[1])
    if name == "getitem":
        entries = expanded(args[1], x.ndim)
        plain = all(_is_all(i) for i in entries[: x.axis + 1])
        if plain and all(isinstance(i, (slice, int)) or i is None for i in entries):
            return x.mapped(lambda v: v[tuple(entries)])
        own = entries[x.axis]
        alone = isinstance(own, slice) and all(_is_all(i) for k, i in enumerate(entries) if k != x.axis)
        if alone and own.step in (None, 1) and not any(_is_negative(e) for e in (own.start, own.stop)):
            return _between(x, own.start, own.stop)
    moved = batch_axis(name, x.made(1).shape, x.axis, args[1:], kwargs)
    if moved is None:
        raise uncovered(f"the operation {name} of a part")
    results = func(x.made(1), *args[1:], **kwargs)
    if isinstance(results, torch.Tensor):
        return x.mapped(lambda v: func(v, *args[1:], **kwargs), moved)
    each = (x.mapped(lambda v, k=k: func(v, *args[1:], **kwargs)[k], moved) for k in range(len(results)))  # type: ignore[misc]
    return tuple(each)


def _is_negative(end: Any) -> bool:
    return isinstance(end, int) and end < 0


def _is_all(index: Any) -> bool:
    return isinstance(index, slice) and index.start is None and index.stop is None and index.step is None


def _between(x: Ragged, start: Any, stop: Any) -> Ragged:
    """Return elements of a part between two places, as many of them as there are."""
    first = 0 if start is None else torch.clamp(start, min=0) if isinstance(start, torch.Tensor) else start
    length = x.length if stop is None else torch.minimum(x.length, torch.as_tensor(stop))
    length = torch.clamp(length - first, min=0)
    most = x.most
    if isinstance(stop, int):
        most = stop - start if isinstance(start, int) else stop
        most = most if x.most is None else min(most, x.most)
    if isinstance(first, int) and first == 0:
        return Ragged(x.axis, length, x.made, most)
    last = None if x.most is None else x.most - 1
    return Ragged(x.axis, length, lambda n: x.made(torch.clamp(places(n) + first, max=last)), most)


def _pointwise(func: Any, args: Any, kwargs: Any) -> Ragged:
    parts = [a for a in args if isinstance(a, Ragged)]
    rank = max(a.ndim for a in args if isinstance(a, (Ragged, torch.Tensor)))
    places = {p.axis - p.ndim for p in parts}
    if len(places) > 1:
        raise uncovered("a part beside one along another axis")
    known = [p.most for p in parts if p.most is not None]

    def made(n: Which) -> torch.Tensor:
        result: torch.Tensor = func(*(a.made(n) if isinstance(a, Ragged) else a for a in args), **kwargs)
        return result

    return Ragged(rank + places.pop(), parts[0].length, made, min(known, default=None))


def _product(a: Any, b: Any) -> Any:
    inner = [
        isinstance(a, Ragged) and a.axis == a.ndim - 1,
        isinstance(b, Ragged) and b.axis == max(0, b.ndim - 2) and b.ndim > 0,
    ]
    if any(inner):
        for v, summed in zip((a, b), inner, strict=True):
            if isinstance(v, Ragged) and not summed:
                raise uncovered("a product along both axes of a part")
        most = min(v.most for v in (a, b) if isinstance(v, Ragged) and v.most is not None)
        sides = []
        for v, axis in ((a, -1), (b, -2 if b.ndim > 1 else -1)):
            whole = v.masked(0) if isinstance(v, Ragged) else v
            sides.append(whole.narrow(axis, 0, most))
        return torch.matmul(*sides)
    if isinstance(a, Ragged) and isinstance(b, Ragged):
        raise uncovered("a product of two parts")
    if isinstance(a, Ragged):
        return Ragged(
            max(a.ndim, b.ndim) + a.axis - a.ndim, a.length, lambda n: torch.matmul(a.made(n), b), a.most
        )
    return Ragged(
        max(a.ndim, b.ndim) + b.axis - b.ndim, b.length, lambda n: torch.matmul(a, b.made(n)), b.most
    )


def _reduced(name: str, func: Any, x: Ragged, args: Any, kwargs: Any) -> Any:
    dims = kwargs.get("dim", args[0] if args and not isinstance(args[0], torch.dtype) else None)
    axes = (
        tuple(range(x.ndim))
        if dims is None
        else tuple(d % x.ndim for d in (dims if isinstance(dims, (tuple, list)) else (dims,)))
    )
    if x.axis not in axes:
        keep = kwargs.get("keepdim", args[1] if len(args) > 1 else False)
        axis = x.axis if keep else x.axis - sum(a < x.axis for a in axes)
        return x.mapped(lambda v: func(v, *args, **kwargs), axis)
    if name == "mean":
        total = torch.sum(x.masked(0), *args, **kwargs)
        others = reduce(operator.mul, (x.made(1).shape[a] for a in axes), 1)
        return total / (x.length * others)
    return func(x.masked(NEUTRAL[name]), *args, **kwargs)


def _reshaped(x: Ragged, args: Any, kwargs: Any, *, flat: bool) -> Any:
    if x.axis != 0:
        raise uncovered("another shape of a part that is not the first axis,")
    inner = tuple(x.made(1).shape[1:])
    sizes = [-1] if flat else list(args[0] if len(args) == 1 and isinstance(args[0], (tuple, list)) else args)
    if flat and (args or kwargs):
        raise uncovered("another shape of a part")
    if len(sizes) == 1:
        width = _count(inner)
        most = None if x.most is None else x.most * width

        def in_line(n: Which) -> torch.Tensor:
            if isinstance(n, torch.Tensor):
                lines = x.made(n // width).reshape(n.shape[0], width)
                return lines.gather(1, (n % width).unsqueeze(1)).squeeze(1)
            return x.made(-(-n // width)).reshape(-1).narrow(0, 0, n)

        result = Ragged(0, x.length * width, in_line, most)
        result.tail = (x, inner)
        return result
    tail = sizes[1:]
    if any(not isinstance(d, int) or d < 0 for d in tail):
        raise uncovered("another shape of a part")
    width = _count(tail)
    rows = x.rows
    if not inner and rows is not None:
        source, start, stop = rows
        first = 0 if start is None else _over(start, width)
        if first is not None and source.shape[0] % width == 0:
            rows_of = source.reshape(-1, *tail)
            most = rows_of.shape[0]
            length = sizes[0] if isinstance(sizes[0], torch.Tensor) else _over(stop - (start or 0), width)
            if length is not None:
                return Ragged(
                    0, torch.clamp(length, 0, most), from_place(rows_of, 0, within(first, most)), most
                )
    if not inner:
        length = sizes[0] if isinstance(sizes[0], torch.Tensor) else x.length // width
        most = None if x.most is None else x.most // width

        def lines(n: Which) -> torch.Tensor:
            if isinstance(n, torch.Tensor):
                each = n.unsqueeze(1) * width + torch.arange(width)
                return x.made(each.reshape(-1)).reshape(n.shape[0], *tail)
            return x.made(n * width).reshape(n, *tail)

        return Ragged(0, length, lines, most)
    if _count(inner) == width:
        return x.mapped(lambda v: v.reshape(v.shape[0], *tail))
    each = _count(inner) // width
    if _count(inner) == each * width and sizes[0] == -1:

        def shorter(n: Which) -> torch.Tensor:
            if isinstance(n, torch.Tensor):
                rows_of = x.made(n // each).reshape(-1, *tail)
                return rows_of.index_select(0, torch.arange(n.shape[0]) * each + n % each)
            return x.made(-(-n // each)).reshape(-1, *tail).narrow(0, 0, n)

        return Ragged(0, x.length * each, shorter, None if x.most is None else x.most * each)
    raise uncovered("another shape of a part")


def _count(sizes: Sequence[int]) -> int:
    return reduce(operator.mul, sizes, 1)


def _over(number: Any, width: int) -> Any:
    """Return a number that is known to be a multiple of the width, divided by it; None if it is not known to be."""
    if isinstance(number, int):
        return number // width if number % width == 0 else None
    return getattr(number, "multiple_of", {}).get(width)


def _joined(parts: Sequence[Any], axis: int) -> Ragged:
    tails = {(p.tail[1] if isinstance(p, Ragged) and p.tail is not None else None) for p in parts}
    if len(tails) == 1 and tails != {None}:  # joined row by row
        lines = _joined([p.tail[0] for p in parts], 0)
        flat: Ragged = _reshaped(lines, (-1,), {}, flat=False)
        return flat
    rank = parts[0].ndim
    axis %= rank
    if any(isinstance(p, Ragged) and p.axis != axis for p in parts):
        raise uncovered("a part joined along another axis")
    starts: list[Any] = [0]
    for p in parts:
        starts.append(starts[-1] + (p.length if isinstance(p, Ragged) else p.shape[axis]))
    known = [p.most if isinstance(p, Ragged) else p.shape[axis] for p in parts]

    def one_by_one(n: Which) -> torch.Tensor:
        wanted = places(n)
        result: torch.Tensor | None = None
        for p, start, count in zip(parts, starts, known, strict=False):
            if isinstance(start, int) and not start and isinstance(n, int) and (count is None or n <= count):
                mine = p.made(n) if isinstance(p, Ragged) else part(p, axis, n)
            else:
                mine = _picked(p, axis, wanted - start, count)
            result = mine if result is None else torch.where(along(wanted >= start, axis, rank), mine, result)
        assert result is not None
        return result

    def together(n: Which) -> torch.Tensor:
        """Return the same where there are many parts: each element asks once in which of them it lies."""
        wanted = places(n)
        begins = torch.stack([torch.as_tensor(s).reshape(()) for s in starts[:-1]])
        mine = (wanted.reshape(-1, 1) >= begins[1:].reshape(1, -1)).sum(1)
        at = wanted - begins[mine]
        result = _picked(parts[0], axis, at, known[0])
        for k, p in enumerate(parts[1:], 1):
            result = torch.where(along(mine == k, axis, rank), _picked(p, axis, at, known[k]), result)
        return result

    most = None if any(k is None for k in known) else sum(k for k in known if k is not None)
    return Ragged(axis, starts[-1], together if len(parts) >= _MANY_PARTS else one_by_one, most)


def _picked(p: Any, axis: int, at: torch.Tensor, count: int | None) -> torch.Tensor:
    """Return elements of a part, or of a tensor, by their places; any for places outside."""
    at = torch.clamp(at, 0, None if count is None else count - 1)
    return p.made(at) if isinstance(p, Ragged) else part(p, axis, at)


def select(condition: torch.Tensor, a: Any, b: Any) -> Any:
    """Return what is `a` where the condition holds, else `b`."""
    a, b = settled((a, b))
    if isinstance(a, (list, tuple)) and type(a) is type(b):
        if len(a) == len(b):
            return type(a)(v if v is w else select(condition, v, w) for v, w in zip(a, b, strict=True))
        longer, rest = (a, b) if len(a) > len(b) else (b, a)
        if all(v is w for v, w in zip(longer, rest, strict=False)):
            holds = condition if longer is a else condition == 0
            return type(a)([*rest, *(_perhaps(holds, v) for v in longer[len(rest) :])])
    if isinstance(a, Ragged) and isinstance(b, Ragged) and a.axis == b.axis:
        most = None if a.most is None or b.most is None else max(a.most, b.most)
        return Ragged(
            a.axis, torch.where(condition, a.length, b.length),
            lambda n: torch.where(condition, a.made(n), b.made(n)), most,
        )  # fmt: skip
    if isinstance(a, Ragged) != isinstance(b, Ragged):
        fixed, other = (b, a) if isinstance(a, Ragged) else (a, b)
        if (
            isinstance(fixed, torch.Tensor) and fixed.dim() == other.ndim
        ):  # the length is right where the part is taken
            made = other.made(fixed.shape[other.axis])
            return (
                torch.where(condition, made, fixed)
                if isinstance(a, Ragged)
                else torch.where(condition, fixed, made)
            )
    kinds = (torch.Tensor, int, float)
    if isinstance(a, kinds) and isinstance(b, kinds):
        shapes = {tuple(v.shape) for v in (a, b) if isinstance(v, torch.Tensor)}
        if len(shapes) <= 1:
            holds = condition.reshape(())
            holds = holds if holds.dtype == torch.bool else holds != 0
            result = torch.where(holds, a, b)
            widths = {k for v in (a, b) for k in getattr(v, "multiple_of", ())}
            parts = {k: (_over(a, k), _over(b, k)) for k in widths}
            result.multiple_of = {k: torch.where(holds, *p) for k, p in parts.items() if None not in p}
            return result
    if not isinstance(a, kinds) and not isinstance(b, kinds) and type(a) is type(b) and a == b:
        return a
    why = "the sides of a branch on the values of a tensor leave values of different shapes"
    raise Unrecordable("a branch depends on elements", None, why)


def _perhaps(holds: torch.Tensor, value: Any) -> Ragged:
    """Return a member of a list that is there if a condition holds: as a part without any elements else."""
    if isinstance(value, Ragged) and value.axis == 0:
        found = Ragged(0, torch.where(holds, value.length, 0), value.made, value.most)
        if value.tail is not None:
            lines, inner = value.tail
            found.tail = (_perhaps(holds, lines), inner)
        return found
    if isinstance(value, torch.Tensor) and value.dim():
        return Ragged(0, torch.where(holds, value.shape[0], 0), lambda n: part(value, 0, n), value.shape[0])
    raise uncovered("a list")
