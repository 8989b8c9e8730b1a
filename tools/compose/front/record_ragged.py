"""Parts of tensors whose length depends on elements: as many elements as anybody asks for, and how many count.

`x[start:stop]`, `arange(count)`, `repeat_interleave(x, counts)` and what is computed of them. What combines elements
along such an axis takes neutral ones from the length on. Not covered: several such axes in one tensor.
"""

import operator
from collections.abc import Callable, Sequence
from functools import reduce
from typing import Any, TypeAlias

import torch
from torch.overrides import handle_torch_function
from torch.utils import _pytree as pytree

from akgen.tools.compose.front.record_batched import batch_axis
from akgen.tools.compose.front.record_outside import Unrecordable

_MANY_PARTS = 4  # that are joined
Which: TypeAlias = int | torch.Tensor  # elements along an axis: the first so many, or those at these places


class Ragged:
    """A tensor of unknown length along `axis`; `made(n)` gives its first n elements there, of which `length` count.

    `made` takes a vector of places, too. `most` is the largest length that is possible, if that is known; `start` and
    `step` those of a range of integers. `settled` is the whole tensor, once a call has shown how long it must be.
    """

    settled: torch.Tensor | None = None

    def __init__(
        self,
        axis: int,
        length: torch.Tensor,
        made: Callable[[Which], torch.Tensor],
        most: int | None = None,
        steps: tuple[Any, int] | None = None,
    ) -> None:
        self.axis, self.length, self.made, self.most, self.steps = axis, length, made, most, steps
        self._probe = made(1)
        self.dtype, self.device, self.ndim = self._probe.dtype, self._probe.device, self._probe.dim()
        self.is_quantized, self.requires_grad = False, False
        self.rows: tuple[torch.Tensor, Any, Any] | None = (
            None  # of a slice of a vector: of what, and its ends
        )
        self.tail: tuple[Ragged, tuple[int, ...]] | None = (
            None  # of a flattened part: the part, its other lengths
        )

    @property
    def shape(self) -> tuple[Any, ...]:
        if self.settled is not None:
            return tuple(self.settled.shape)
        return tuple(self.length if a == self.axis else d for a, d in enumerate(self._probe.shape))

    @property
    def unknown_length(self) -> Any:
        return self.shape[0]

    def size(self, axis: int | None = None) -> Any:
        return self.shape if axis is None else self.shape[axis]

    def dim(self) -> int:
        return int(self.ndim)

    def numel(self) -> Any:
        return self.length * self._probe.numel() if self.settled is None else self.settled.numel()

    def whole(self) -> torch.Tensor:
        """Return all elements that there may be."""
        if self.most is None:
            raise uncovered("a length that nothing bounds")
        return self.made(self.most)

    def masked(self, fill: float | bool) -> torch.Tensor:
        """Return all elements that there may be, with `fill` from the length on."""
        x = self.whole()
        return torch.where(along(torch.arange(x.shape[self.axis]), self.axis, x.dim()) < self.length, x, fill)

    def mapped(self, function: Callable[[torch.Tensor], torch.Tensor], axis: int | None = None) -> "Ragged":
        """Return what a function of the elements that keeps the axis apart makes of them."""
        made = self.made
        return Ragged(
            self.axis if axis is None else axis, self.length, lambda n: function(made(n)), self.most
        )

    def __len__(self) -> int:
        raise uncovered("a Python loop over a part")

    def __getitem__(self, index: Any) -> Any:
        return call("__getitem__", torch.Tensor.__getitem__, (self, index), {})

    def __setitem__(self, index: Any, value: Any) -> None:
        handle_torch_function(torch.Tensor.__setitem__, (self,), self, index, value)

    def put(self, index: Any, value: Any) -> None:
        """Write self[index] = value, which is as long as this is: so the index tells how many elements there are."""
        if not isinstance(index, torch.Tensor) or index.dim() != 1 or index.dtype == torch.bool or self.axis:
            raise uncovered("writing to a part")
        if not isinstance(value, Ragged) or value.axis or value.length is not self.length:
            raise uncovered("writing a tensor to a part")
        count = index.shape[0]
        self.settled = self.made(count).index_put((index,), value.made(count).to(self.dtype))

    @property
    def T(self) -> Any:
        return self.transpose(0, 1) if self.ndim == 2 else self

    @property
    def mT(self) -> Any:
        return self.transpose(-1, -2)

    def __getattr__(self, name: str) -> Any:
        function = getattr(torch.Tensor, name, None)
        if name.startswith("__") or not callable(function):
            raise AttributeError(name)
        return lambda *args, **kwargs: call(name, function, (self, *args), kwargs)

    @classmethod
    def __torch_function__(cls, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        return call(getattr(func, "__name__", str(func)), func, args, kwargs or {})


def _operator(name: str) -> None:
    function = getattr(torch.Tensor, name)
    setattr(Ragged, name, lambda self, *args: call(name, function, (self, *args), {}))


for _name in ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "and", "or", "matmul"):
    _operator(f"__{_name}__")
    _operator(f"__r{_name}__")
for _name in ("neg", "abs", "invert", "eq", "ne", "lt", "le", "gt", "ge"):
    _operator(f"__{_name}__")


def uncovered(what: str) -> Unrecordable:
    why = f"{what} whose length depends on the values of a tensor is not covered"
    return Unrecordable("a length depends on elements", None, why)


def along(x: torch.Tensor, axis: int, rank: int) -> torch.Tensor:
    return x.reshape([-1 if a == axis else 1 for a in range(rank)])


# places of elements


def within(bound: Any, count: int) -> Any:
    """Return an end of a slice as Python reads it: negative ones count from the end, all are cut off."""
    if isinstance(bound, torch.Tensor):
        return torch.clamp(torch.where(bound < 0, bound + count, bound), 0, count)
    return max(0, min(count, bound + count if bound < 0 else bound))


def places(which: Which) -> torch.Tensor:
    return which if isinstance(which, torch.Tensor) else torch.arange(which)


def part(x: torch.Tensor, axis: int, which: Which) -> torch.Tensor:
    """Return elements of x along an axis."""
    if isinstance(which, torch.Tensor):
        return x.index_select(axis, which)
    return x.narrow(axis, 0, which)


def from_place(x: torch.Tensor, axis: int, first: Any) -> Callable[[Which], torch.Tensor]:
    count = x.shape[axis]

    def made(n: Which) -> torch.Tensor:
        if isinstance(first, int) and first == 0 and isinstance(n, int) and n <= count:
            return x.narrow(axis, 0, n)
        return x.index_select(axis, torch.clamp(places(n) + first, max=count - 1))

    return made


def expanded(index: Any, rank: int) -> list[Any]:
    """Return an index as one entry per axis or new axis."""
    given = list(index) if isinstance(index, tuple) else [index]
    taken = sum(i is not None and i is not Ellipsis for i in given)
    out: list[Any] = []
    for i in given:
        out += [slice(None)] * (rank - taken) if i is Ellipsis else [i]
    if not any(i is Ellipsis for i in given):
        out += [slice(None)] * (rank - taken)
    return out


# functions of parts

POINTWISE = frozenset(
    ["add", "sub", "mul", "div", "truediv", "floordiv", "mod", "pow", "and", "or", "neg", "abs", "invert", "eq",
     "ne", "lt", "le", "gt", "ge", "radd", "rsub", "rmul", "rtruediv", "rpow", "rand", "ror", "true_divide",
     "subtract", "multiply", "divide", "maximum", "minimum", "to", "float", "half", "bfloat16", "double", "int",
     "long", "bool", "type", "round", "floor", "ceil", "trunc", "clamp", "clip", "exp", "log", "sqrt", "rsqrt",
     "square", "reciprocal", "relu", "silu", "gelu", "sigmoid", "tanh", "where", "isnan", "isinf", "isfinite",
     "contiguous", "clone", "detach", "type_as", "masked_fill", "logical_and", "logical_or", "logical_not", "sign",
     "erf", "sin", "cos", "negative", "absolute", "cpu"]
)  # fmt: skip
NEUTRAL: dict[str, float] = {
    "sum": 0.0, "prod": 1.0, "amax": -torch.inf, "amin": torch.inf, "any": False, "all": True, "mean": 0.0,
}  # fmt: skip


_LIKE = frozenset(["empty_like", "zeros_like", "ones_like", "full_like"])


def settled(values: Any) -> Any:
    """Return arguments in which parts whose length is known are plain tensors."""

    def of(value: Any) -> Any:
        return value.settled if isinstance(value, Ragged) and value.settled is not None else value

    return pytree.tree_map(of, values)


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
        plain = all(i == slice(None) for i in entries[: x.axis + 1])
        if plain and all(isinstance(i, (slice, int)) or i is None for i in entries):
            return x.mapped(lambda v: v[tuple(entries)])
    moved = batch_axis(name, x.made(1).shape, x.axis, args[1:], kwargs)
    if moved is None:
        raise uncovered(f"the operation {name} of a part")
    results = func(x.made(1), *args[1:], **kwargs)
    if isinstance(results, torch.Tensor):
        return x.mapped(lambda v: func(v, *args[1:], **kwargs), moved)
    each = (x.mapped(lambda v, k=k: func(v, *args[1:], **kwargs)[k], moved) for k in range(len(results)))  # type: ignore[misc]
    return tuple(each)


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
