"""Arithmetic of tile operations in NumPy, rounded to the tile's dtype after every operation.

Elementary functions are evaluated in double precision and rounded: the interpreter is what the lowered kernel is
compared with, so it must be the more precise of the two. bfloat16 values are float32 arrays that hold bfloat16 numbers.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
import scipy  # whose parts are read when a function of theirs is called first
from numpy.typing import NDArray

from akgen.tools.core.dtypes import DType

Array = NDArray[Any]
_STORAGE: dict[DType, type] = {
    DType.FLOAT32: np.float32, DType.FLOAT16: np.float16, DType.BFLOAT16: np.float32, DType.FLOAT64: np.float64,
    DType.INT8: np.int8, DType.INT16: np.int16, DType.INT32: np.int32, DType.INT64: np.int64, DType.UINT8: np.uint8,
    DType.UINT16: np.uint16, DType.UINT32: np.uint32, DType.UINT64: np.uint64, DType.BOOL: np.bool_,
    DType.COMPLEX64: np.complex64,
}  # fmt: skip


def storage(dtype: DType) -> type:
    """Return the NumPy type that holds values of the dtype (bfloat16: float32)."""
    return _STORAGE[dtype]


def to_bfloat16(x: Array) -> Array:
    """Round float32 values to the nearest bfloat16 (ties to even); the result is float32."""
    bits = x.astype(np.float32).view(np.uint32).astype(np.uint64)
    rounded = ((bits + 0x7FFF + ((bits >> 16) & 1)) & 0xFFFF0000).astype(np.uint32).view(np.float32)
    return np.where(np.isnan(x), np.float32(np.nan), rounded).astype(np.float32)


def convert(x: Array, dtype: DType) -> Array:
    """Convert values: to a float rounding to nearest even, from float to integer truncating."""
    with np.errstate(all="ignore"):
        if dtype == DType.BFLOAT16:
            return to_bfloat16(x)
        if not dtype.is_float and dtype != DType.BOOL and np.issubdtype(x.dtype, np.floating):
            x = np.trunc(x)
        return x.astype(storage(dtype))


def _exact(f: Callable[[Array], Array]) -> Callable[[Array], Array]:
    return lambda x: f(x.astype(np.float64))


UNARY: dict[str, Callable[[Array], Array]] = {
    "exp": _exact(np.exp),
    "ln": _exact(np.log),
    "sqrt": np.sqrt,
    "rsqrt": _exact(lambda x: 1.0 / np.sqrt(x)),
    "reciprocal": lambda x: np.float32(1.0) / x,
    "abs": np.abs,
    "neg": np.negative,
    "square": np.square,
    "relu": lambda x: np.maximum(x, x.dtype.type(0)),
    "sign": np.sign,
    "floor": np.floor,
    "ceil": np.ceil,
    "round": np.rint,
    "trunc": np.trunc,
    "tanh": _exact(np.tanh),
    "erf": _exact(lambda x: scipy.special.erf(x)),
    "sigmoid": _exact(lambda x: scipy.special.expit(x)),
    "silu": _exact(lambda x: x * scipy.special.expit(x)),
    "gelu": _exact(lambda x: x * scipy.special.ndtr(x)),
    "gelu_tanh": _exact(lambda x: x * scipy.special.expit(np.sqrt(8 / np.pi) * (x + 0.044715 * x**3))),
    "softplus": _exact(lambda x: np.maximum(x, 0) + np.log1p(np.exp(-np.abs(x)))),
    "erfc": _exact(lambda x: scipy.special.erfc(x)),
    "sin": _exact(np.sin),
    "cos": _exact(np.cos),
    "tan": _exact(np.tan),
    "asin": _exact(np.arcsin),
    "acos": _exact(np.arccos),
    "atan": _exact(np.arctan),
    "sinh": _exact(np.sinh),
    "cosh": _exact(np.cosh),
    "expm1": _exact(np.expm1),
    "log1p": _exact(np.log1p),
    "bit_not": np.invert,
    "copy": lambda x: x,
}
BINARY: dict[str, Callable[[Array, Array], Array]] = {
    "add": np.add,
    "sub": np.subtract,
    "mul": np.multiply,
    "div": np.divide,
    "maximum": np.maximum,
    "minimum": np.minimum,
    "power": lambda a, b: np.power(a.astype(np.float64), b),
    "bit_and": np.bitwise_and,
    "bit_or": np.bitwise_or,
    "shift_left": np.left_shift,
    "shift_right": np.right_shift,
    "leaky_relu": lambda a, b: np.where(a >= 0, a, a * b),
}
COMPARE: dict[str, Callable[[Array, Array], Array]] = {
    "eq": np.equal, "ne": np.not_equal, "lt": np.less, "le": np.less_equal, "gt": np.greater, "ge": np.greater_equal,
}  # fmt: skip
MASK: dict[str, Callable[..., Array]] = {
    "mask_and": np.logical_and,
    "mask_or": np.logical_or,
    "mask_not": np.logical_not,
}
REDUCE: dict[str, Callable[..., Array]] = {
    "reduce_sum": np.sum, "reduce_prod": np.prod, "reduce_max": np.max, "reduce_min": np.min,
    "reduce_first": lambda x, axis: np.take(x, 0, axis), "reduce_last": lambda x, axis: np.take(x, -1, axis),
}  # fmt: skip
_RUNNING = {"scan_sum": np.add, "scan_prod": np.multiply, "scan_max": np.maximum, "scan_min": np.minimum}


def scanned(name: str, x: Array, axis: int, *, reverse: bool) -> Array:
    """Return the running result along an axis; floats accumulate in double precision."""
    turned = np.flip(x, axis) if reverse else x
    wide = turned.astype(np.float64) if np.issubdtype(x.dtype, np.floating) else turned
    found = _RUNNING[name].accumulate(wide, axis=axis)
    return np.flip(found, axis) if reverse else found


def sorted_records(keys: Array, start: int, width: int) -> Array:
    """Return rows of (key, place) pairs of 32-bit words, largest first, padded with minus infinity to `width` words."""
    padded = np.full((*keys.shape[:-1], width // 2), -np.inf, np.float32)
    padded[..., : keys.shape[-1]] = keys
    order = np.argsort(-padded, axis=-1, kind="stable")
    words = np.empty((*keys.shape[:-1], width), np.float32)
    words[..., 0::2] = np.take_along_axis(padded, order, -1)
    words[..., 1::2] = (order + start).astype(np.int32).view(np.float32)
    return words


def kept_records(best: Array, more: Array, *, fresh: bool) -> Array:
    """Return the best of two sorted lists of records, as many as `best` has; it wins ties, unless it holds nothing."""
    more = more[: best.size]
    if fresh:
        return np.concatenate([more, best[more.size :]])
    both = np.concatenate([best, more]).reshape(-1, 2)
    return both[np.argsort(-both[:, 0], kind="stable")].reshape(-1)[: best.size]


ROUND: dict[str, Callable[[Array], Array]] = {
    "rint": np.rint,
    "floor": np.floor,
    "ceil": np.ceil,
    "round": lambda x: np.trunc(x + np.copysign(0.5, x)),
    "trunc": np.trunc,
}
