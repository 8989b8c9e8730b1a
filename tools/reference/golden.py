"""Run a reference twice: as it is, and in float64 for values to compare with."""

import contextlib
import copy
from collections.abc import Sequence
from typing import Any

import torch

from akgen.tools.reference.choices.places import Orders
from akgen.tools.reference.half_products import HalfProducts
from akgen.tools.reference.nested import each, flat_outputs, leaves
from akgen.tools.reference.rounding.numbers import beside_single, in_single
from akgen.tools.reference.rounding.running import RunningErrors
from akgen.tools.reference.widened import Widened

Outputs = list[Any]  # of torch.Tensor


def upcast(value: Any) -> Any:
    """Return a copy with every floating tensor in float64, complex in complex128; the rest as it is."""
    return each(value, _wide)


def _wide(value: Any) -> Any:
    if not isinstance(value, torch.Tensor):
        return value
    if value.is_floating_point():
        return value.detach().to(torch.float64)
    return value.detach().to(torch.complex128) if value.is_complex() else value.detach().clone()


def clone(value: Any) -> Any:
    """Return a copy that the reference may write to."""
    return each(value, lambda v: v.detach().clone() if isinstance(v, torch.Tensor) else v)


def call(model: Any, args: Sequence[Any], *following: contextlib.AbstractContextManager[Any]) -> Outputs:
    """Call the model and return its outputs side by side; a Python number becomes a 0-d tensor.

    Those `following` see the operations as the model asks for them, the last one first.
    """
    with torch.no_grad(), HalfProducts(), contextlib.ExitStack() as stack:
        for mode in following:
            stack.enter_context(mode)
        result = model(*args)
    return [o if isinstance(o, torch.Tensor) else torch.as_tensor(o) for o in flat_outputs(result)]


def golden(
    model: Any,
    args: Sequence[Any],
    precision: torch.dtype | None = None,
    *,
    widen: bool = True,
    orders: Orders | None = None,
) -> tuple[Outputs | None, Outputs | None]:
    """Run a deep copy of the model in float64, and bound what computing it in `precision` may be off.

    Returns its outputs, None if it cannot run there, and their bounds (`rounding`), None without `precision`; an
    output that has no bound has None among them. `widen`: in float64 even where the model names float32. `orders` sees
    what the model orders. Shapes must not depend on the precision; integer and boolean results come back exactly as
    they are.

    Numbers among the arguments reach a kernel as attributes in float32: what that changes, as 1 - 0.999 by a hundred
    thousandth, is added to the bounds.
    """
    run = None if precision is None else RunningErrors(precision)
    followers: list[contextlib.AbstractContextManager[Any]] = [] if run is None else [run]
    if widen:
        followers.append(Widened(None if run is None else run.widen))
    if orders is not None:
        orders.inside(run)
        followers.append(orders)
    fused = torch.backends.mha.get_fastpath_enabled()
    torch.backends.mha.set_fastpath_enabled(False)  # no rule follows an encoder layer that is one operation
    moved = None
    try:
        outputs = call(copy.deepcopy(model).double(), upcast(list(args)), *followers)
        if run is not None and any(beside_single(value) for _, value in leaves(list(args))):
            attributes = upcast(each(clone(list(args)), in_single))
            same = None if orders is None else orders.again()
            with contextlib.nullcontext() if same is None else same:
                moved = call(copy.deepcopy(model).double(), attributes, *([Widened()] if widen else []))
    except (RuntimeError, TypeError, ValueError, NotImplementedError):
        # What follows the operations is no part of the reference: without it, the reference may run.
        if widen:
            return golden(model, args, precision, widen=False, orders=orders)
        return (None, None) if run is None else golden(model, args, widen=False, orders=orders)
    finally:
        torch.backends.mha.set_fastpath_enabled(fused)
    if run is None:
        return outputs, None
    bounds = [_bounds(run, o) for o in outputs]
    return outputs, bounds if moved is None else [
        _wider(*each) for each in zip(bounds, outputs, moved, strict=True)
    ]


def _wider(bound: Any, exact: Any, moved: Any) -> Any:
    """Return a bound with what the attributes' rounding changes; where it changes the shape, as it is."""
    if not isinstance(exact, torch.Tensor):
        return [_wider(*triple) for triple in zip(bound, exact, moved, strict=True)]
    if bound is None or exact.shape != moved.shape:
        return bound
    return bound + (moved - exact).abs().nan_to_num(nan=0.0, posinf=0.0).to(bound.dtype)


def _bounds(run: RunningErrors, output: Any) -> Any:
    return run.bound(output) if isinstance(output, torch.Tensor) else [_bounds(run, o) for o in output]


def has_nan(values: Sequence[Any]) -> bool:
    for value in values:
        if isinstance(value, torch.Tensor):
            if (value.is_floating_point() or value.is_complex()) and bool(torch.isnan(value).any()):
                return True
        elif isinstance(value, list | tuple) and has_nan(value):
            return True
    return False
