"""Walk over the nested tensors that references take and return."""

from collections.abc import Sequence
from typing import Any

import torch


def flat(value: Any) -> list[Any]:
    """Return the tensors of a possibly nested value, in order."""
    if isinstance(value, list | tuple):
        return [t for item in value for t in flat(item)]
    return [value] if isinstance(value, torch.Tensor) else []


def copied(values: Sequence[Any]) -> tuple[Any, ...]:
    """Return the values with every tensor cloned."""
    return tuple(_copy(v) for v in values)


def detached(value: Any) -> Any:
    """Return the value with lists for tuples and without gradients, as the benchmark's checks take it."""
    if isinstance(value, list | tuple):
        return [detached(v) for v in value]
    return value.detach() if isinstance(value, torch.Tensor) and value.requires_grad else value


def constant(value: Any) -> Any:
    """Return the value with every floating-point tensor filled with its first element."""
    if isinstance(value, list | tuple):
        return type(value)(constant(v) for v in value)
    if isinstance(value, torch.Tensor) and value.is_floating_point() and value.numel():
        return torch.full_like(value, value.reshape(-1)[0].item())
    return value


def without_shared_nonfinite(a: Any, b: Any) -> tuple[Any, Any]:
    """Return both values with zeros where they hold the same infinity, or both a NaN; nesting as it is in `a`."""
    if isinstance(a, list | tuple):
        if not isinstance(b, list | tuple) or len(a) != len(b):
            return a, b
        pairs = [without_shared_nonfinite(x, y) for x, y in zip(a, b, strict=True)]
        return [x for x, _ in pairs], [y for _, y in pairs]
    tensors = isinstance(a, torch.Tensor) and isinstance(b, torch.Tensor)
    if not tensors or a.shape != b.shape or not (a.is_floating_point() and b.is_floating_point()):
        return a, b
    shared = (a.isnan() & b.isnan()) | (a.isinf() & (a == b))
    return a.masked_fill(shared, 0), b.masked_fill(shared, 0)


def same(a: torch.Tensor, b: torch.Tensor) -> bool:
    """Tell whether two tensors are one: the same object, or the same memory seen whole."""
    if a is b:
        return True
    return bool(a.numel() and a.dtype == b.dtype and a.numel() == b.numel() and a.data_ptr() == b.data_ptr())


def _copy(value: Any) -> Any:
    if isinstance(value, torch.Tensor):
        return value.clone()
    if isinstance(value, list | tuple):
        return type(value)(_copy(v) for v in value)
    return value
