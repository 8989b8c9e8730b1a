"""Calls that a reference makes outside of ATen, or that need elements, said in ATen calls while it is recorded.

NumPy and SciPy functions of a tensor's memory, quantised tensors, and indices that are tensors of one number.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import torch
from torch.overrides import TorchFunctionMode

from akgen.tools.compose.front.record_linalg import logdet
from akgen.tools.compose.front.user_lines import UserLines


class Unrecordable(Exception):
    """The reference does something that needs elements, or that writes to what it was given.

    `line` is the line of the user's code that does so; `why` names what torch.export cannot do either, if it is that.
    """

    def __init__(self, text: str, line: str | None = None, why: str | None = None) -> None:
        super().__init__(text)
        self.line, self.why = line, why


class OutsideCalls(TorchFunctionMode):  # type: ignore[misc]
    """Refuses functions that read a tensor's memory themselves, for there is none; NumPy's see an array of our own."""

    _READ = frozenset(
        getattr(torch.Tensor, name)
        for name in (
            "__array__", "__deepcopy__", "__dlpack__", "__reduce_ex__", "data_ptr", "storage", "tolist",
            "untyped_storage",
        )
    )  # fmt: skip

    def __init__(self, lines: UserLines) -> None:
        super().__init__()
        self._lines = lines

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        if func in self._READ:
            what = f"the reference reads a tensor's memory with {func.__name__}"
            raise Unrecordable(what, self._lines.now(), what)
        if func is torch.Tensor.numpy:
            return TracedArray(args[0])
        rule = _QUANTISED.get(func) or _COUNTED.get(func) or _COMPOSED.get(func)
        if rule is not None:
            return rule(*args, **kwargs)
        if func is torch.Tensor.__getitem__:
            return _item(*args)
        return func(*args, **kwargs)


def _item(x: torch.Tensor, index: Any) -> torch.Tensor:
    """Index a tensor; a tensor of one number in place of an integer picks along its axis."""
    given = index if isinstance(index, tuple) else (index,)
    if not any(_is_number(i) for i in given) or any(isinstance(i, list) or _is_many(i) for i in given):
        return x[index]
    axes = sum(i is not None and i is not Ellipsis for i in given)
    axis = 0
    rest: list[Any] = []
    for i in given:
        if i is Ellipsis:
            axis += x.dim() - axes
            rest.append(i)
        elif _is_number(i):
            x = x.index_select(axis, i.reshape(1))
            rest.append(0)
            axis += 1
        else:
            rest.append(i)
            axis += i is not None
    return x[tuple(rest)]


def _is_number(index: Any) -> bool:
    whole = isinstance(index, torch.Tensor) and not index.dtype.is_floating_point
    return whole and index.dim() == 0 and index.dtype != torch.bool


def _is_many(index: Any) -> bool:
    return isinstance(index, torch.Tensor) and not _is_number(index)


# functions that look at elements to know their result's shape, where the caller says what it is


def one_hot(x: torch.Tensor, num_classes: int = -1) -> torch.Tensor:
    if num_classes <= 0:
        return torch.nn.functional.one_hot(x)
    return (x.unsqueeze(-1) == torch.arange(num_classes)).long()


def bincount(x: torch.Tensor, weights: torch.Tensor | None = None, minlength: int = 0) -> torch.Tensor:
    """Count into `minlength` bins, which the largest number is taken to be below."""
    if minlength <= 0:
        return torch.bincount(x, weights)
    each = x.new_ones(x.shape, dtype=torch.int64) if weights is None else weights
    return each.new_zeros(minlength).scatter_add(0, x.long(), each)


_COUNTED: dict[Any, Callable[..., Any]] = {
    torch.nn.functional.one_hot: one_hot, torch.bincount: bincount, torch.Tensor.bincount: bincount,
}  # fmt: skip


# functions that PyTorch takes apart before a recording sees them, into what is not covered


_COMPOSED: dict[Any, Callable[..., Any]] = {torch.logdet: logdet, torch.Tensor.logdet: logdet}


# quantised tensors


class _Quantised:
    """A quantised tensor: its integers, and how they are read."""

    def __init__(self, integers: torch.Tensor, scale: Any, zero: Any, dtype: torch.dtype) -> None:
        self._integers, self._scale, self._zero, self.dtype = integers, scale, zero, dtype
        self.shape, self.is_quantized = integers.shape, True

    def int_repr(self) -> torch.Tensor:
        return self._integers

    def dequantize(self) -> torch.Tensor:
        return (self._integers.to(torch.float32) - self._zero) * self._scale

    def __getattr__(self, name: str) -> Any:
        raise Unrecordable(
            "a quantised tensor", None, f"the operation {name} of quantised tensors is not covered"
        )


_INTEGERS = {torch.qint8: torch.int8, torch.quint8: torch.uint8, torch.qint32: torch.int32}


def _quantised(x: torch.Tensor, scale: Any, zero: Any, dtype: torch.dtype) -> _Quantised:
    whole = _INTEGERS.get(dtype)
    if whole is None:
        raise Unrecordable("a quantised tensor", None, f"quantised tensors of dtype {dtype} are not covered")
    among = torch.iinfo(whole)
    if isinstance(zero, torch.Tensor) and zero.dtype.is_floating_point:
        places = torch.round(x / scale + zero)
    else:
        places = torch.round(x / scale) + zero
    return _Quantised(torch.clamp(places, among.min, among.max).to(whole), scale, zero, dtype)


def _per_channel(x: torch.Tensor, scales: Any, zero_points: Any, axis: int, dtype: torch.dtype) -> _Quantised:
    wide = [-1 if a == axis % x.dim() else 1 for a in range(x.dim())]
    return _quantised(x, scales.reshape(wide), zero_points.reshape(wide), dtype)


def _per_tensor(x: torch.Tensor, scale: Any, zero_point: Any, dtype: torch.dtype) -> _Quantised:
    return _quantised(x, scale, zero_point, dtype)


_QUANTISED: dict[Any, Callable[..., Any]] = {
    torch.quantize_per_channel: _per_channel,
    torch.quantize_per_tensor: _per_tensor,
}


# NumPy


class TracedArray(np.lib.mixins.NDArrayOperatorsMixin):
    """An array whose elements are a traced tensor's: NumPy's functions of it are the functions of the same meaning."""

    __array_priority__ = 1000

    def __init__(self, tensor: torch.Tensor) -> None:
        self.tensor = tensor

    @property
    def shape(self) -> tuple[int, ...]:
        return tuple(self.tensor.shape)

    @property
    def ndim(self) -> int:
        return int(self.tensor.dim())

    @property
    def size(self) -> int:
        return int(self.tensor.numel())

    @property
    def dtype(self) -> Any:
        return np.dtype(str(self.tensor.dtype).removeprefix("torch."))

    @property
    def T(self) -> "TracedArray":
        return TracedArray(self.tensor.permute(*reversed(range(self.tensor.dim()))))

    def __array_ufunc__(self, ufunc: Any, method: str, *args: Any, **kwargs: Any) -> Any:
        if method != "__call__" or set(kwargs) - {"dtype"}:
            raise _uncovered(f"{ufunc.__name__}.{method}")
        if not any(t.startswith("e") for t in ufunc.types):  # which knows no half precision
            args = tuple(a.astype(np.float32) if _is_half(a) else a for a in args)
        return _called(ufunc.__name__, args, kwargs)

    def __array_function__(self, func: Any, types: Any, args: Any, kwargs: Any) -> Any:
        return _called(func.__name__, args, kwargs)

    def __getitem__(self, index: Any) -> "TracedArray":
        return TracedArray(self.tensor[_tensors(index)])

    def __len__(self) -> int:
        return len(self.tensor)

    def astype(self, dtype: Any, copy: bool = True) -> "TracedArray":
        del copy
        return TracedArray(self.tensor.to(_dtype(dtype)))

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        return lambda *args, **kwargs: _called(name, (self, *args), kwargs)


# NumPy's name of a function that PyTorch calls otherwise
_NAMES = {
    "concatenate": "cat", "power": "pow", "absolute": "abs", "fabs": "abs", "true_divide": "true_divide",
    "conjugate": "conj", "invert": "bitwise_not", "transpose": "permute", "expand_dims": "unsqueeze",
    "left_shift": "bitwise_left_shift", "right_shift": "bitwise_right_shift", "max": "amax", "min": "amin",
    "equal": "eq", "not_equal": "ne", "less": "lt", "less_equal": "le", "greater": "gt", "greater_equal": "ge",
    "rint": "round", "arcsin": "asin", "arccos": "acos", "arctan": "atan", "arcsinh": "asinh", "arccosh": "acosh",
    "arctanh": "atanh", "negative": "neg", "remainder": "remainder", "mod": "remainder", "copy": "clone",
}  # fmt: skip
_REDUCED = frozenset(["sum", "mean", "prod", "amax", "amin", "var", "std", "any", "all", "argmax", "argmin"])


def _called(name: str, args: Any, kwargs: Any) -> Any:
    """Call PyTorch's function for one of NumPy's or SciPy's."""
    name = _NAMES.get(name, name)
    given = [_tensors(a) for a in args]
    named = {k: _tensors(v) for k, v in kwargs.items() if v is not None}
    dtype = named.pop("dtype", None)
    if dtype is not None:
        dtype = _dtype(dtype)
        given[0] = given[0].to(dtype)
    if "axis" in named:
        named["dim"] = named.pop("axis")
    if "keepdims" in named:
        named["keepdim"] = named.pop("keepdims")
    if name in ("var", "std"):
        named["correction"] = named.pop("ddof", 0)
    if name in ("cumsum", "cumprod") and "dim" not in named and len(given) == 1:
        given, named = [given[0].reshape(-1)], {"dim": 0}
    if name == "permute" and len(given) == 1:
        given.append(tuple(reversed(range(given[0].dim()))))
    if name == "clip":
        named = {{"a_min": "min", "a_max": "max"}.get(k, k): v for k, v in named.items()}
    if name == "expand_dims" and "dim" in named:
        given.append(named.pop("dim"))
    function = _SPECIAL.get(name) or getattr(torch, name, None) or getattr(torch.special, name, None)
    if function is None:
        raise _uncovered(name)
    if name in _REDUCED and not named.get("dim") and "dim" not in named and named.get("keepdim"):
        named["dim"] = tuple(range(given[0].dim()))
    result = function(*given, **named)
    return pack(result.to(dtype) if dtype is not None else result)


def pack(value: Any) -> Any:
    """Return tensors as arrays."""
    if isinstance(value, torch.Tensor):
        return TracedArray(value)
    return type(value)(pack(v) for v in value) if isinstance(value, (list, tuple)) else value


def _is_half(value: Any) -> bool:
    return isinstance(value, TracedArray) and value.tensor.dtype == torch.float16


def _tensors(value: Any) -> Any:
    """Return arrays as tensors."""
    if isinstance(value, TracedArray):
        return value.tensor
    if isinstance(value, np.ndarray):
        return torch.from_numpy(value)
    if isinstance(value, np.generic):
        return value.item()
    return type(value)(_tensors(v) for v in value) if type(value) in (list, tuple) else value


def _dtype(dtype: Any) -> torch.dtype:
    found = getattr(torch, np.dtype(dtype).name, None)
    if not isinstance(found, torch.dtype):
        raise _uncovered(f"dtype {dtype}")
    return found


def _uncovered(name: str) -> Unrecordable:
    return Unrecordable("a function of NumPy", None, f"NumPy's {name} of a tensor is not covered")


def _spence(x: torch.Tensor) -> torch.Tensor:
    """Return the dilogarithm of 1 - x: Cephes' rational functions on [1/2, 3/2], and its two reflections."""
    t = torch.where(x > 2.0, 1.0 / torch.clamp(x, min=1.0), x)
    low, high = t < 0.5, t > 1.5
    w = torch.where(high, 1.0 / torch.clamp(t, min=1.0) - 1.0, torch.where(low, -t, t - 1.0))
    y = -w * _polynomial(w, _ABOVE) / _polynomial(w, _BELOW)
    log = torch.log(t)
    product = torch.where(t != 0, log * torch.log1p(-torch.clamp(t, max=0.5)), 0.0)
    y = torch.where(low, torch.pi**2 / 6 - product - y, y)
    return torch.where(x > 1.5, -0.5 * log * log - y, y)


_ABOVE = (
    4.65128586073990045278e-5, 7.31589045238094711071e-3, 1.33847639578309018650e-1, 8.79691311754530315341e-1,
    2.71149851196553469920, 4.25697156008121755724, 3.29771340985225106936, 1.00000000000000000126,
)  # fmt: skip
_BELOW = (
    6.90990488912553276999e-4, 2.54043763932544379113e-2, 2.82974860602568089943e-1, 1.41172597751831069617,
    3.63800533345137075418, 5.03278880143316990390, 3.54771340985225096217, 9.99999999999999998740e-1,
)  # fmt: skip


def _polynomial(x: torch.Tensor, coefficients: tuple[float, ...]) -> torch.Tensor:
    value = x * coefficients[0] + coefficients[1]
    for c in coefficients[2:]:
        value = value * x + c
    return value


_SPECIAL: dict[str, Callable[..., Any]] = {"spence": _spence}


@contextmanager
def arrays_become_tensors() -> Iterator[None]:
    """Let PyTorch's constructors take traced arrays."""
    names = ("from_numpy", "as_tensor", "tensor", "asarray")
    before = {name: getattr(torch, name) for name in names}

    def taking(function: Callable[..., Any]) -> Callable[..., Any]:
        def made(data: Any, *args: Any, **kwargs: Any) -> Any:
            if not isinstance(data, TracedArray):
                return function(data, *args, **kwargs)
            dtype = kwargs.get("dtype")
            return data.tensor if dtype is None else data.tensor.to(dtype)

        return made

    for name, function in before.items():
        setattr(torch, name, taking(function))
    try:
        yield
    finally:
        for name, function in before.items():
            setattr(torch, name, function)
