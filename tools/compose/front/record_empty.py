"""Calls that take tensors without elements and give some all the same: a sum over nothing, a tensor beside nothing."""

import math
from collections.abc import Callable
from typing import Any

import torch
from torch.utils import _pytree as pytree

aten = torch.ops.aten


def takes_nothing(args: Any, result: Any) -> bool:
    """Return whether a call's arguments, as they were given, hold an empty tensor, and its result is none."""
    tensors = (a for a in pytree.tree_leaves(args) if isinstance(a, torch.Tensor))
    return isinstance(result, torch.Tensor) and result.numel() > 0 and any(t.numel() == 0 for t in tensors)


def of_nothing(func: Any, args: Any, kwargs: Any, result: torch.Tensor) -> Any:
    """Write such a call without what is empty; NotImplemented if it is none of those known."""
    rule = _RULES.get(func.overloadpacket)
    return NotImplemented if rule is None or "beta" in kwargs else rule(args, result)


def _always(number: float | bool) -> Callable[[Any, torch.Tensor], torch.Tensor]:
    return lambda _, result: torch.full(result.shape, number, dtype=result.dtype)


def _joined(args: Any, result: torch.Tensor) -> torch.Tensor:
    left = [t for t in args[0] if t.numel()]
    whole = [t.to(result.dtype) for t in left]
    return torch.cat(whole, *args[1:]) if len(whole) > 1 else whole[0].clone()


def _unchanged(args: Any, _: torch.Tensor) -> Any:
    return args[0].clone() if args[0].numel() else NotImplemented


def _padding(args: Any, result: torch.Tensor) -> torch.Tensor:
    number = args[2] if len(args) > 2 else 0
    return torch.full(result.shape, number, dtype=result.dtype)


def _addend(args: Any, result: torch.Tensor) -> torch.Tensor:
    return args[0].expand(result.shape).clone()


_RULES: dict[Any, Callable[[Any, torch.Tensor], Any]] = {
    **dict.fromkeys((aten.sum, aten.mm, aten.bmm), _always(0)),
    aten.prod: _always(1),
    aten.mean: _always(math.nan),
    aten.any: _always(False),
    aten.all: _always(True),
    aten.cat: _joined,
    aten.addmm: _addend,
    aten.constant_pad_nd: _padding,
    **dict.fromkeys(
        (
            aten.slice_scatter, aten.select_scatter, aten.index_put, aten.index_add, aten.index_copy, aten.index_fill,
            aten.scatter, aten.scatter_add, aten.scatter_reduce,
        ),
        _unchanged,
    ),
}  # fmt: skip
