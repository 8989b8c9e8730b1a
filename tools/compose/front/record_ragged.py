"""Parts of tensors whose length depends on elements: as many elements as anybody asks for, and how many count.

`x[start:stop]`, `arange(count)`, `repeat_interleave(x, counts)` and what is computed of them. What combines elements
along such an axis takes neutral ones from the length on. Not covered: several such axes in one tensor.
"""

from collections.abc import Callable
from typing import Any, TypeAlias

import torch
from torch.overrides import handle_torch_function
from torch.utils import _pytree as pytree

from akgen.tools.compose.front.record_outside import Unrecordable

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
        return _call("__getitem__", torch.Tensor.__getitem__, (self, index), {})

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
        return lambda *args, **kwargs: _call(name, function, (self, *args), kwargs)

    @classmethod
    def __torch_function__(cls, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        return _call(getattr(func, "__name__", str(func)), func, args, kwargs or {})


def _call(name: str, func: Any, args: Any, kwargs: Any) -> Any:
    from akgen.tools.compose.front.record_part_calls import call

    return call(name, func, args, kwargs)


def _operator(name: str) -> None:
    function = getattr(torch.Tensor, name)
    setattr(Ragged, name, lambda self, *args: _call(name, function, (self, *args), {}))


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


def settled(values: Any) -> Any:
    """Return arguments in which parts whose length is known are plain tensors."""

    def of(value: Any) -> Any:
        return value.settled if isinstance(value, Ragged) and value.settled is not None else value

    return pytree.tree_map(of, values)
