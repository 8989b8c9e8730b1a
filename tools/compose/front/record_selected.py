"""Elements that a mask selects, `x[mask]`: all of x with the mask beside it, as long as nobody asks for their order.

Elementwise operations of selected elements, layers and norms of selected rows, sums, means and extremes over them, and
`y[mask] = …` of what the same mask selected are the same of all elements under the mask. So are rows that `where(mask)`
or `nonzero` names (record_coordinates.py). What asks for their order is in record_ordered.py; functions that combine
them in record_combined.py.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import torch

from akgen.tools.compose.front.record_outside import Unrecordable
from akgen.tools.compose.front.record_ragged import POINTWISE

Array: TypeAlias = np.ndarray[Any, Any]
ELEMENTWISE = POINTWISE | frozenset(
    ["clamp", "clamp_min", "clamp_max", "clip", "square", "reciprocal", "sign", "log1p", "expm1", "relu", "round",
     "floor", "ceil", "trunc", "sin", "cos", "erf", "isnan", "isfinite", "isinf", "leaky_relu", "gelu", "silu", "elu",
     "softplus", "logsigmoid", "nan_to_num", "logical_not", "subtract", "multiply", "divide", "to", "type_as", "int",
     "bool", "negative", "minimum", "maximum", "where", "masked_fill", "clone", "detach", "contiguous", "remainder",
     "fmod", "lerp", "addcmul", "addcdiv", "atan2", "bitwise_and", "bitwise_or", "bitwise_xor", "logical_xor",
     "greater", "less", "greater_equal", "less_equal", "not_equal", "xor", "rfloordiv", "rmod", "rxor", "lshift",
     "rshift", "bitwise_not", "exp2", "log2", "log10", "tan", "atan", "asin", "acos", "sinh", "cosh", "hypot",
     "floor_divide", "copysign", "isclose", "float_power", "sigmoid", "hardtanh", "mish", "relu6",
     "ones_like", "zeros_like", "full_like"]
)  # fmt: skip
IN_PLACE = ("iadd", "isub", "imul", "itruediv", "ifloordiv", "ipow", "imod", "iand", "ior", "ixor")


@dataclass(frozen=True)
class SelectingMask:
    """A mask, and what made it: masks of one origin are the same. `values` gives a mask's elements for all draws."""

    holds: torch.Tensor
    origin: Any
    origin_of: Callable[[Any], Any]
    values: Callable[[torch.Tensor], list[Array]]
    kept: Any = None  # alive as long as the mask is: an origin may name it

    @property
    def rank(self) -> int:
        return int(self.holds.dim())

    def count(self) -> torch.Tensor:
        """Return how many elements there are, as a number that says of which mask."""
        found = self.holds.sum()
        found.counts = self.origin
        return found

    def flat(self) -> torch.Tensor:
        return self.holds.reshape(-1)

    def usual_count(self) -> int | None:
        """Return how many elements there are if that is the same for all draws of the arguments."""
        counts = {int(v.sum()) for v in self.values(self.holds)}
        return counts.pop() if len(counts) == 1 else None

    def places(self) -> torch.Tensor:
        """Return at each element how many are selected before it: its place where it is selected."""
        return self.flat().to(torch.int64).cumsum(0) - 1


class Selected:
    """The elements of `whole` where a mask holds, along one axis.

    `whole` has `lead` axes, then the mask's, with length 1 where it does not vary along one, then others.
    """

    coordinate: int | None = None  # of places where the mask holds: the mask's axis that they lie along

    def __init__(self, whole: torch.Tensor, mask: SelectingMask, lead: int = 0) -> None:
        self.whole, self.mask, self.lead = whole, mask, lead
        self.dtype, self.device = whole.dtype, whole.device
        self.is_quantized, self.requires_grad = False, False

    @property
    def origin(self) -> Any:
        return self.mask.origin

    @property
    def ndim(self) -> int:
        return int(self.whole.dim() - self.mask.rank + 1)

    @property
    def trailing(self) -> int:
        """Return how many axes follow the selected one."""
        return self.ndim - 1 - self.lead

    @property
    def others_shape(self) -> tuple[int, ...]:
        return (*self.whole.shape[: self.lead], *self.whole.shape[self.lead + self.mask.rank :])

    @property
    def shape(self) -> tuple[Any, ...]:
        return (*self.others_shape[: self.lead], self.mask.count(), *self.others_shape[self.lead :])

    def size(self, dim: int | None = None) -> Any:
        return self.shape if dim is None else self.shape[dim]

    def dim(self) -> int:
        return self.ndim

    @property
    def unknown_length(self) -> Any:
        return self.shape[0]

    @property
    def T(self) -> Any:
        return self.t() if self.ndim == 2 else self

    @property
    def mT(self) -> Any:
        return self.transpose(-1, -2)

    def numel(self) -> torch.Tensor:
        each = math.prod(self.others_shape)
        return self.mask.count() * each if each != 1 else self.mask.count()

    def with_elements(self, whole: torch.Tensor, lead: int | None = None) -> "Selected":
        return Selected(whole, self.mask, self.lead if lead is None else lead)

    def rows(self, *, full: bool = False) -> torch.Tensor:
        """Return all elements, along one axis in place of the mask's; as many as it has if `full`."""
        shape, at = self.whole.shape, self.lead
        whole = self.whole
        if full:
            whole = whole.expand(*shape[:at], *self.mask.holds.shape, *shape[at + self.mask.rank :])
        return whole.reshape(*shape[:at], -1, *shape[at + self.mask.rank :])

    def with_rows(self, rows: torch.Tensor, lead: int | None = None) -> "Selected":
        """Return the same selection of what was computed of `rows`, along an axis of it."""
        at = self.lead if lead is None else lead
        inner = tuple(self.mask.holds.shape)
        if rows.shape[at] != self.mask.holds.numel():
            inner = tuple(self.whole.shape[self.lead : self.lead + self.mask.rank])
        return self.with_elements(rows.reshape(*rows.shape[:at], *inner, *rows.shape[at + 1 :]), at)

    def spread(self) -> torch.Tensor:
        """Return the mask with as many axes as the elements have from its own on."""
        return self.mask.holds.reshape(*self.mask.holds.shape, *[1] * self.trailing)

    def others(self, fill: float | bool) -> torch.Tensor:
        """Return all elements, flat along the mask's axes, with `fill` where it does not hold."""
        return self.with_elements(torch.where(self.spread(), self.whole, fill)).rows()

    def under(self, mask: SelectingMask) -> "Selected":
        """Return the same elements under the same mask in another shape."""
        if mask.holds.shape == self.mask.holds.shape:
            return self
        rows = self.rows(full=True)
        whole = rows.reshape(*rows.shape[: self.lead], *mask.holds.shape, *rows.shape[self.lead + 1 :])
        return Selected(whole, mask, self.lead)

    def part(self, value: Any) -> Any:
        """Return another operand as it meets all elements."""
        if isinstance(value, Selected):
            if value.origin != self.origin:
                raise uncovered("an operation of two masks")
            value = value.under(self.mask)
            if value.trailing != self.trailing:
                raise uncovered("an operation of two shapes")
            return value.whole
        if not isinstance(value, torch.Tensor) or value.dim() <= self.trailing:
            return value
        return self.laid(value, value.dim() - self.trailing - 1)

    def laid(self, value: torch.Tensor, at: int) -> torch.Tensor:
        """Return a tensor with the mask's axes in place of the one that is as long as there are elements, or 1."""
        if value.shape[at] == 1:
            return value.reshape(*value.shape[:at], *[1] * self.mask.rank, *value.shape[at + 1 :])
        last = value.shape[at] - 1
        return self.with_rows(value.index_select(at, self.mask.places().clamp(0, last)), at).whole

    def __len__(self) -> int:
        raise uncovered("a Python loop")

    def __iter__(self) -> Any:
        raise uncovered("a Python loop")

    def __getitem__(self, index: Any) -> Any:
        return _call("getitem", torch.Tensor.__getitem__, (self, index), {})

    def __getattr__(self, name: str) -> Any:
        function = getattr(torch.Tensor, name, None)
        if name.startswith("__") or not callable(function):
            raise AttributeError(name)
        return lambda *args, **kwargs: _call(name, function, (self, *args), kwargs)

    @classmethod
    def __torch_function__(cls, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        return _call(getattr(func, "__name__", str(func)), func, args, kwargs or {})


def _call(name: str, func: Any, args: Any, kwargs: Any) -> Any:
    from akgen.tools.compose.front.record_combined import call

    return call(name, func, args, kwargs)


def _operator(name: str, function: Any) -> None:
    setattr(Selected, f"__{name}__", lambda self, *args: _call(name, function, (self, *args), {}))


for _name in ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "and", "or", "xor", "matmul"):
    _operator(_name, getattr(torch.Tensor, f"__{_name}__"))
    _operator(f"r{_name}", getattr(torch.Tensor, f"__r{_name}__"))
    _operator(f"i{_name}", getattr(torch.Tensor, f"__{_name}__"))
for _name in ("neg", "abs", "invert", "eq", "ne", "lt", "le", "gt", "ge"):
    _operator(_name, getattr(torch.Tensor, f"__{_name}__"))


def uncovered(what: str) -> Unrecordable:
    why = (
        f"{what} of elements that a mask selects is not covered: how many there are depends on tensor values"
    )
    return Unrecordable("a mask selects elements", None, why)
