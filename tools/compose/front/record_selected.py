"""Elements that a mask selects, `x[mask]`: all of x with the mask beside it, as long as nobody asks for their order.

Elementwise operations of selected elements, layers and norms of selected rows, sums, means and extremes over them, and
`y[mask] = …` of what the same mask selected are the same of all elements under the mask. So are rows that `where(mask)`
or `nonzero` names (record_coordinates.py). Not covered: selected elements as a result, or in another shape.
"""

from collections.abc import Callable
from typing import Any

import torch

from akgen.tools.compose.front.record_batched import batch_axis
from akgen.tools.compose.front.record_outside import Unrecordable, bincount
from akgen.tools.compose.front.record_ragged import NEUTRAL, POINTWISE, settled

_ELEMENTWISE = POINTWISE | frozenset(
    ["clamp", "clamp_min", "clamp_max", "clip", "square", "reciprocal", "sign", "log1p", "expm1", "relu", "round",
     "floor", "ceil", "trunc", "sin", "cos", "erf", "isnan", "isfinite", "isinf", "leaky_relu", "gelu", "silu", "elu",
     "softplus", "nan_to_num", "logical_not", "subtract", "multiply", "divide", "to", "type_as", "int", "bool",
     "negative", "minimum", "maximum", "where", "masked_fill", "clone", "detach", "contiguous",
     "ones_like", "zeros_like", "full_like"]
)  # fmt: skip
_IN_PLACE = ("iadd", "isub", "imul", "itruediv", "ifloordiv", "ipow", "imod", "iand", "ior")
_EXTREMES = {"max": "amax", "min": "amin"}


class Selected:
    """The elements of `whole` where `mask` holds, along one axis.

    `whole` has the mask's axes first, with length 1 where it does not vary along one, then others.
    """

    coordinate: int | None = None  # of places where the mask holds: the mask's axis that they lie along
    before = 0  # axes of length 1 in front of the selected one, until it is seen in another shape

    def __init__(
        self, whole: torch.Tensor, mask: torch.Tensor, origin: Any, origin_of: Callable[[Any], Any]
    ) -> None:
        """`origin_of` tells what made a mask, `origin` what made this one: masks of one origin are the same."""
        self.whole, self.mask = whole, mask
        self.origin, self._origin_of = origin, origin_of
        self.dtype, self.device = whole.dtype, whole.device
        self.is_quantized, self.requires_grad = False, False

    @property
    def ndim(self) -> int:
        return int(self.before + self.whole.dim() - self.mask.dim() + 1)

    @property
    def shape(self) -> tuple[Any, ...]:
        return (*[1] * self.before, self.unknown_length, *self.whole.shape[self.mask.dim() :])

    def size(self, axis: int | None = None) -> Any:
        return self.shape if axis is None else self.shape[axis]

    def dim(self) -> int:
        return self.ndim

    @property
    def unknown_length(self) -> torch.Tensor:
        """Return how many elements there are, as a number that says of which mask."""
        count = self.mask.sum()
        count.counts = self.origin
        return count

    def numel(self) -> torch.Tensor:
        each = self.whole.shape[self.mask.dim() :].numel()
        return self.unknown_length * each if each != 1 else self.unknown_length

    def written_to(self, x: torch.Tensor, mask: torch.Tensor) -> None:
        """Write these elements where a mask holds in x, which has to be their own."""
        if self.before or self._origin_of(mask) != self.origin:
            raise uncovered("writing where another mask holds")
        x.copy_(torch.where(self.spread(mask), self.whole, x))

    def with_elements(self, whole: torch.Tensor) -> "Selected":
        made = Selected(whole, self.mask, self.origin, self._origin_of)
        made.before = self.before
        return made

    def rows(self) -> torch.Tensor:
        """Return all elements, along one axis in place of the mask's."""
        rest = self.whole.shape[self.mask.dim() :]
        return self.whole.reshape(-1, *rest)

    def with_rows(self, rows: torch.Tensor) -> "Selected":
        """Return the same selection of what was computed of `rows`."""
        return self.with_elements(rows.reshape(*self.whole.shape[: self.mask.dim()], *rows.shape[1:]))

    def spread(self, mask: torch.Tensor) -> torch.Tensor:
        """Return the mask with as many axes as the elements have."""
        return mask.reshape(*mask.shape, *[1] * (self.whole.dim() - mask.dim()))

    def others(self, fill: float | bool) -> torch.Tensor:
        """Return all elements, flat along the mask's axes, with `fill` where it does not hold."""
        kept = torch.where(self.spread(self.mask), self.whole, fill)
        return kept.reshape(-1, *kept.shape[self.mask.dim() :])

    def part(self, value: Any) -> Any:
        """Return another operand as it meets all elements."""
        if not isinstance(value, Selected):
            if isinstance(value, torch.Tensor) and value.dim() >= self.ndim:
                raise uncovered("an operation with another tensor")
            return value
        if value.origin != self.origin:
            raise uncovered("an operation of two masks")
        return value.whole

    def __len__(self) -> int:
        raise uncovered("a Python loop")

    def __getitem__(self, index: Any) -> Any:
        return call("getitem", torch.Tensor.__getitem__, (self, index), {})

    def __getattr__(self, name: str) -> Any:
        function = getattr(torch.Tensor, name, None)
        if name.startswith("__") or not callable(function):
            raise AttributeError(name)
        return lambda *args, **kwargs: call(name, function, (self, *args), kwargs)

    @classmethod
    def __torch_function__(cls, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        return call(getattr(func, "__name__", str(func)), func, args, kwargs or {})


def _operator(name: str, function: Any) -> None:
    setattr(Selected, f"__{name}__", lambda self, *args: call(name, function, (self, *args), {}))


for _name in ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "and", "or", "matmul"):
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


def call(name: str, func: Any, args: Any, kwargs: Any) -> Any:
    """Call a function some of whose arguments are selected elements."""
    args, kwargs = settled((args, kwargs))
    name = name.strip("_") if name.startswith("__") else name
    first = next((a for a in (*args, *kwargs.values()) if isinstance(a, Selected)), None)
    if first is None:
        raise uncovered(f"the operation {name} with a list")
    if name.removesuffix("_") in _ELEMENTWISE or name in _IN_PLACE:
        plain = getattr(torch.Tensor, name.removesuffix("_")) if name.endswith("_") else func
        parts = [first.part(a) for a in args]
        whole = plain(*parts, **{k: first.part(v) for k, v in kwargs.items()})
        result = first.with_elements(whole)
        if name.endswith("_"):
            first.whole = whole
        return result
    if name in _EXTREMES and len(args) == 1 and not kwargs:
        name = _EXTREMES[name]
    if name in ("var", "std") and len(args) == 1 and not kwargs:
        off = call("square", torch.square, (first - first.mean(),), {})
        spread = off.sum() / (first.numel() - 1)
        return spread.sqrt() if name == "std" else spread
    if name.removesuffix("_") in ("scatter_add", "index_add", "bincount"):
        return _added(name, func, args, kwargs)
    if name in ("matmul", "mm") and args[0] is first and not isinstance(args[1], Selected):
        return first.with_elements(torch.matmul(first.whole, args[1]))
    if args[0] is not first:
        raise uncovered(f"the operation {name}")
    if first.before:
        return _without_ones(name, func, first, args[1:], kwargs)
    if name == "getitem":
        return _item(first, args[1])
    if batch_axis(name, first.whole.shape[first.mask.dim() - 1 :], 0, args[1:], kwargs) == 0:
        return _of_rows(func, first, args[1:], kwargs)
    if name in NEUTRAL:
        return _reduced(name, first, args[1:], kwargs)
    raise uncovered(f"the operation {name}")


def _without_ones(name: str, func: Any, x: Selected, args: Any, kwargs: Any) -> Any:
    """Call with what has axes of length 1 in front: a layer of it, or another shape without them."""
    plain = x.with_elements(x.whole)
    plain.before = 0
    if name == "linear":
        result = call(name, func, (plain, *args), kwargs)
        result.before = x.before
        return result
    gone = name == "squeeze" and args in ((), (0,)) and not kwargs
    gone = gone or (name == "flatten" and args in ((0, 1), (0, -2)) and not kwargs)
    if x.before == 1 and gone:
        return plain
    if x.before == 1 and name in ("view", "reshape"):
        return call(name, func, (plain, *args), kwargs)
    raise uncovered(f"the operation {name}")


def _of_rows(func: Any, x: Selected, args: Any, kwargs: Any) -> Any:
    """Return what a call makes of each element along the selected axis, which it treats as a batch."""
    given = args
    if getattr(func, "__name__", "") in ("view", "reshape"):
        sizes = args[0] if len(args) == 1 and isinstance(args[0], (tuple, list)) else args
        given = (-1, *sizes[1:])
    results = func(x.rows(), *given, **kwargs)
    if isinstance(results, torch.Tensor):
        return x.with_rows(results)
    return tuple(x.with_rows(r) for r in results)


def _item(x: Selected, index: Any) -> Selected:
    """Return x[index], all of the selected axis."""
    given = index if isinstance(index, tuple) else (index,)
    first = given[0] if given else None
    plain = all(i is None or isinstance(i, (int, slice)) or i is Ellipsis for i in given)
    if not plain or not (first == slice(None) or first is Ellipsis):
        raise uncovered("an index")
    rows: torch.Tensor = x.rows()[given]
    if rows.dim() == 0 or (first is Ellipsis and isinstance(given[-1], int) and x.ndim == 1):
        raise uncovered("an index")
    return x.with_rows(rows)


def _reduced(name: str, x: Selected, args: Any, kwargs: Any) -> torch.Tensor:
    """Combine the selected elements, along their axis or all."""
    dim = kwargs.get("dim", args[0] if args and not isinstance(args[0], torch.dtype) else None)
    along_them = dim == 0 or (dim is not None and x.ndim == 1)
    if args[1:] or set(kwargs) - {"dim", "dtype"} or (dim is not None and not along_them):
        raise uncovered(f"{name} along another axis than that")
    fill: Any = NEUTRAL[name]
    if not x.dtype.is_floating_point and name in ("amax", "amin"):
        limits = torch.iinfo(x.dtype)
        fill = limits.min if name == "amax" else limits.max
    elif not x.dtype.is_floating_point:
        fill = int(fill)  # a float would make floats of the elements
    values = x.others(fill)
    if name == "mean":
        count = x.mask.sum() * (values[0].numel() if dim is None else 1)
        return (values.sum(0) if along_them else values.sum()) / count
    function = getattr(torch.Tensor, name)
    given = {k: v for k, v in kwargs.items() if k == "dtype"}
    found: torch.Tensor = function(values, 0, **given) if along_them else function(values, **given)
    return found


def _added(name: str, func: Any, args: Any, kwargs: Any) -> Any:
    """Add selected elements where selected indices say; what is not selected adds nothing to the first place."""
    counts = name == "bincount"
    index = args[0] if counts else args[2]
    values = kwargs.get("weights", args[1] if counts and len(args) > 1 else None)
    if not counts:
        values = args[3]
    alpha = kwargs.get("alpha", 1)
    if (
        not isinstance(index, Selected)
        or index.ndim != 1
        or not (counts or (args[1] == 0 and not set(kwargs) - {"alpha"}))
    ):
        raise uncovered(f"the operation {name}")
    if values is None:
        values = index.with_elements(torch.ones_like(index.whole))
    if not isinstance(values, Selected) or values.before:
        raise uncovered(f"the operation {name}")
    values = index.with_elements(index.part(values) * alpha if alpha != 1 else index.part(values))
    if not counts and index.coordinate is not None:  # no index is needed: each element adds to its own place
        kept = torch.where(values.spread(values.mask), values.whole, 0)
        others = [a for a in range(index.mask.dim()) if a != index.coordinate]
        total = kept.sum(others) if others else kept
        return args[0].add_(total) if name.endswith("_") else args[0] + total
    added = values.others(0)
    if counts:
        return bincount(index.others(0), added, kwargs.get("minlength", 0))
    return func(args[0], 0, index.others(0), added)
