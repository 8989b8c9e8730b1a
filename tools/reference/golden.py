"""Run a reference twice: as it is, and in float64 for values to compare with."""

import copy
from collections.abc import Sequence
from typing import Any

import torch

Outputs = list[Any]  # of torch.Tensor, or of lists of them


def upcast(value: Any) -> Any:
    """Return a copy with every floating tensor in float64, complex in complex128; the rest as it is."""
    if isinstance(value, torch.Tensor):
        if value.is_floating_point():
            return value.detach().to(torch.float64)
        return value.detach().to(torch.complex128) if value.is_complex() else value.detach().clone()
    if isinstance(value, list | tuple):
        return type(value)(upcast(v) for v in value)
    return value


def clone(value: Any) -> Any:
    """Return a copy that the reference may write to."""
    if isinstance(value, torch.Tensor):
        return value.detach().clone()
    if isinstance(value, list | tuple):
        return type(value)(clone(v) for v in value)
    return value


def call(model: Any, args: Sequence[Any]) -> Outputs:
    """Call the model and return its outputs as a list; a Python number becomes a 0-d tensor."""
    with torch.no_grad():
        result = model(*args)
    outputs = list(result) if isinstance(result, list | tuple) else [result]
    return [o if isinstance(o, torch.Tensor | list | tuple) else torch.as_tensor(o) for o in outputs]


def golden(model: Any, args: Sequence[Any]) -> Outputs | None:
    """Run a deep copy of the model in float64; None if it cannot run there.

    Shapes must not depend on the precision; integer and boolean results come back exactly as they are.
    """
    try:
        return call(copy.deepcopy(model).double(), upcast(list(args)))
    except (RuntimeError, TypeError, ValueError, NotImplementedError):
        return None


def has_nan(values: Sequence[Any]) -> bool:
    for value in values:
        if isinstance(value, torch.Tensor):
            if (value.is_floating_point() or value.is_complex()) and bool(torch.isnan(value).any()):
                return True
        elif isinstance(value, list | tuple) and has_nan(value):
            return True
    return False
