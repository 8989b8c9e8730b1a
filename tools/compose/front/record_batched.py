"""Calls that treat an axis as a batch: layers, norms, softmax, views and reductions along other axes.

Each element along such an axis comes out on its own, however many there are; so parts whose length depends on elements
go through them as whole tensors do.
"""

import math
from collections.abc import Sequence
from typing import Any

# functions along one axis, the rank kept: where that stands among the arguments behind the tensor, and what is meant
_ALONG: dict[str, tuple[int, int | None]] = {
    "softmax": (0, None), "log_softmax": (0, None), "softmin": (0, None), "normalize": (1, 1), "glu": (0, -1),
    "cumsum": (0, None), "cumprod": (0, None), "logcumsumexp": (0, None), "sort": (0, -1), "argsort": (0, -1),
    "topk": (1, -1), "flip": (0, None), "roll": (1, None), "chunk": (1, 0), "split": (1, 0),
    "tensor_split": (1, 0),
}  # fmt: skip
_REDUCED = {
    "sum": 0, "mean": 0, "prod": 0, "amax": 0, "amin": 0, "max": 0, "min": 0, "argmax": 0, "argmin": 0, "any": 0,
    "all": 0, "var": 0, "std": 0, "logsumexp": 0, "norm": 1, "vector_norm": 1, "count_nonzero": 0,
}  # fmt: skip
_WHOLE = frozenset(
    ["dropout", "alpha_dropout", "identity", "nan_to_num", "leaky_relu", "elu", "selu", "hardtanh"]
)


def batch_axis(name: str, shape: Sequence[Any], axis: int, args: Any, kwargs: Any) -> int | None:
    """Return where an axis lies in the result of a call, None where the call combines elements along it.

    `shape` is that of the call's tensor, `args` are the arguments behind it.
    """
    rank = len(shape)
    if name in _WHOLE:
        return axis
    if name in ("linear", "matmul", "mm"):
        return axis if axis < rank - 1 else None
    if name in ("layer_norm", "rms_norm"):
        normal = kwargs.get("normalized_shape", args[0] if args else ())
        return axis if axis < rank - len(normal) else None
    if name in _ALONG:
        place, usual = _ALONG[name]
        dims = _dims(kwargs, args, place, usual, rank)
        return axis if dims is not None and axis not in dims else None
    if name in _REDUCED:
        dims = _dims(kwargs, args, _REDUCED[name], None, rank)
        if dims is None or axis in dims:
            return None
        kept = kwargs.get("keepdim", args[_REDUCED[name] + 1] if len(args) > _REDUCED[name] + 1 else False)
        return axis if kept else axis - sum(d < axis for d in dims)
    if name == "repeat_interleave":
        dims = _dims(kwargs, args, 1, None, rank)
        return axis if args and isinstance(args[0], int) and dims and axis not in dims else None
    return _seen(name, shape, axis, args, kwargs)


def _dims(kwargs: Any, args: Any, place: int, usual: int | None, rank: int) -> tuple[int, ...] | None:
    """Return the axes that a call names, None where it names none."""
    given = kwargs.get("dim", kwargs.get("dims", args[place] if len(args) > place else usual))
    if isinstance(given, bool) or given is None:
        return None
    listed = given if isinstance(given, (tuple, list)) else (given,)
    return tuple(d % rank for d in listed) if all(isinstance(d, int) for d in listed) else None


def _seen(name: str, shape: Sequence[Any], axis: int, args: Any, kwargs: Any) -> int | None:
    """Return where a view puts an axis."""
    rank = len(shape)
    if name == "unsqueeze":
        at = int(kwargs.get("dim", args[0] if args else 0)) % (rank + 1)
        return axis + (at <= axis)
    if name == "squeeze":
        if not args and not kwargs:
            return axis - sum(1 for d in shape[:axis] if d == 1)
        dims = _dims(kwargs, args, 0, None, rank) or ()
        return None if axis in dims else axis - sum(1 for d in dims if d < axis and shape[d] == 1)
    if name == "permute":
        order = args[0] if len(args) == 1 and not isinstance(args[0], int) else args
        return int([d % rank for d in order].index(axis))
    if name in ("t", "transpose", "swapaxes"):
        a, b = (0, 1) if name == "t" else (d % rank for d in args[:2])
        return b if axis == a else a if axis == b else axis
    if name == "flatten":
        first = kwargs.get("start_dim", args[0] if args else 0) % rank
        return axis if axis < first else None
    if name == "unflatten":
        return axis if axis < kwargs.get("dim", args[0] if args else 0) % rank else None
    if name in ("view", "reshape") and axis == 0:
        sizes = args[0] if len(args) == 1 and isinstance(args[0], (tuple, list)) else args
        rest, inner = sizes[1:], shape[1:]
        whole = all(isinstance(d, int) and d > 0 for d in rest)
        return 0 if whole and math.prod(rest) == math.prod(inner) else None
    return None
