"""Run a reference twice: as it is, and in float64 for values to compare with.

In float64 runs also what the reference computes in float32 by name: `x.float()`, `dtype=torch.float32`. Without this
the run for values to compare with would lose what the reference itself loses there. Casts to half precision stay: there
a reference asks for their rounding. Where a chain of such roundings leaves bounds that say nothing (steps of
Newton-Schulz in bfloat16), the bounds reach as far as a few times what the casts change. Random numbers keep their
dtype, which decides their values. What is narrower beside a float64 (a weight that was cast, a constant) is widened.
Tensors that the reference fills by itself (`torch.zeros(n)`) hold the same numbers in float64, so that what needs one
dtype runs.

As it is, products of float16 matrices are made with float32 sums, rounded once: PyTorch takes a hundred times as long.
"""

import contextlib
import copy
from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch.utils._pytree import tree_leaves, tree_map_only

from akgen.tools.reference.choices.places import Orders
from akgen.tools.reference.dispatch import DispatchMode
from akgen.tools.reference.nested import each, flat_outputs, leaves
from akgen.tools.reference.reached import most_of, tells_nothing
from akgen.tools.reference.rounding.errors import wide_enough
from akgen.tools.reference.rounding.jumps import beside_single, in_single
from akgen.tools.reference.rounding.running import RunningErrors

Outputs = list[Any]  # of torch.Tensor
_PRODUCTS = frozenset({"aten::mm", "aten::bmm", "aten::addmm", "aten::baddbmm"})
_RANDOM = frozenset(
    {"rand", "randn", "rand_like", "randn_like", "normal", "uniform", "bernoulli", "randperm"}
)
_NEAR = 1e-4  # of a float32's size and of a tenth of its output's root mean square: what the judge allows
_HALVES = frozenset({torch.float16, torch.bfloat16})
_NARROW = _HALVES | {torch.float32}
_ONE_WIDTH = _PRODUCTS | {"aten::convolution", "aten::dot", "aten::mv", "aten::addmv"}  # take one dtype alone
_MOST_OF_HALVES = 16.0  # times what casts to half precision change, root mean square
# What makes a tensor of nothing but numbers; without a dtype it has PyTorch's default, float32.
_FILLED = frozenset(
    {"zeros", "ones", "full", "empty", "eye", "arange", "linspace", "logspace", "scalar_tensor"}
)


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
    widened = Widened(None if run is None else run.widen)
    if widen:
        followers.append(widened)
    if orders is not None:
        orders.inside(run)
        followers.append(orders)
    fused = torch.backends.mha.get_fastpath_enabled()
    torch.backends.mha.set_fastpath_enabled(False)  # no rule follows an encoder layer that is one operation
    moved = None
    try:
        with wide_enough(tree_leaves(list(args))):
            outputs = call(copy.deepcopy(model).double(), upcast(list(args)), *followers)
            bounds = None if run is None else [_bounds(run, o) for o in outputs]
            if bounds is not None and widened.met_halves and tells_nothing(outputs, bounds):
                same = None if orders is None else orders.again()
                with contextlib.nullcontext() if same is None else same:
                    without = call(
                        copy.deepcopy(model).double(), upcast(list(args)), Widened(keep_halves=False)
                    )
                bounds = [_explained(*each) for each in zip(bounds, outputs, without, strict=True)]
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
    return outputs, bounds if bounds is None or moved is None else [
        _wider(*each) for each in zip(bounds, outputs, moved, strict=True)
    ]


def _explained(bound: Any, exact: Any, without: Any) -> Any:
    """Return bounds that reach no further than what casts to half precision change, and than counts as a bound."""
    if not isinstance(exact, torch.Tensor):
        return [_explained(*triple) for triple in zip(bound, exact, without, strict=True)]
    if bound is None or not exact.is_floating_point() or not tells_nothing([exact], [bound]):
        return bound
    moved = (without.double() - exact.double()).nan_to_num(nan=0.0, posinf=0.0, neginf=0.0)
    most = _MOST_OF_HALVES * float(moved.square().mean().sqrt())
    return bound.clamp(max=min(most, most_of(exact))) if most > 0 else bound


def _wider(bound: Any, exact: Any, moved: Any) -> Any:
    """Return a bound with what the attributes' rounding changes; where it changes the shape, as it is."""
    if not isinstance(exact, torch.Tensor):
        return [_wider(*triple) for triple in zip(bound, exact, moved, strict=True)]
    if bound is None or exact.shape != moved.shape:
        return bound
    return bound + (moved - exact).abs().nan_to_num(nan=0.0, posinf=0.0).to(bound.dtype)


def _bounds(run: RunningErrors, output: Any) -> Any:
    return run.bound(output) if isinstance(output, torch.Tensor) else [_bounds(run, o) for o in output]


def misses_itself(returned: Sequence[Any], exact: Sequence[Any], bounds: Sequence[Any] | None) -> bool:
    """Say whether float32 as it is misses the run in float64 by more than bounds explain and a kernel is allowed.

    Nothing tells a right kernel from a wrong one there: a filter that is not stable, a quotient of what cancels.
    """
    for one, run, bound in zip(returned, exact, bounds or [None] * len(exact), strict=True):
        found, wanted, limits = tree_leaves(one), tree_leaves(run), tree_leaves(bound)
        limits = limits if len(limits) == len(found) else [None] * len(found)
        for got, want, most in zip(found, wanted, limits, strict=True):
            if got.dtype != torch.float32 or got.shape != want.shape:
                continue
            finite = torch.isfinite(got) & torch.isfinite(want)
            size = want.double().abs()[finite]
            off = (got.double() - want.double()).abs()[finite]
            room = _NEAR * (size + 0.1 * size.square().mean().sqrt().clamp(max=1.0))
            if bool((off > (room if most is None else torch.maximum(room, most.double()[finite]))).any()):
                return True
    return False


def has_nan(values: Sequence[Any]) -> bool:
    for value in values:
        if isinstance(value, torch.Tensor):
            if (value.is_floating_point() or value.is_complex()) and bool(torch.isnan(value).any()):
                return True
        elif isinstance(value, list | tuple) and has_nan(value):
            return True
    return False


class HalfProducts(DispatchMode):
    """While entered, products of float16 matrices are made through float32, in which they are exact."""

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        if func._schema.name not in _PRODUCTS or func._schema.is_mutable:
            return func(*args, **kwargs)
        tensors = [a for a in tree_leaves((args, kwargs)) if isinstance(a, torch.Tensor)]
        if any(t.dtype != torch.float16 or t.device.type != "cpu" for t in tensors):
            return func(*args, **kwargs)
        wide_args, wide_kwargs = tree_map_only(torch.Tensor, torch.Tensor.float, (args, kwargs))
        return func(*wide_args, **wide_kwargs).half()


def _one_width(func: Any, args: Any, kwargs: Any) -> tuple[Any, Any]:
    """Return arguments with halves beside float64 in float64: `linear(x, w.half())`; for products float32, too."""
    narrow = _NARROW if func._schema.name in _ONE_WIDTH else _HALVES
    widths = {a.dtype for a in tree_leaves((args, kwargs)) if isinstance(a, torch.Tensor)}
    if func._schema.is_mutable or torch.float64 not in widths or not widths & narrow:
        return args, kwargs
    widened: tuple[Any, Any] = tree_map_only(
        torch.Tensor, lambda t: t.double() if t.dtype in narrow else t, (args, kwargs)
    )
    return widened


class Widened(DispatchMode):
    """While entered, make float64 where an operation on float64 (or on nothing) asks for float32.

    `on_single` is told each tensor that would have been in float32. Casts to half precision stay, and are seen in
    `met_halves`; without `keep_halves` these are in float64, too.
    """

    def __init__(
        self, on_single: Callable[[torch.Tensor], None] | None = None, *, keep_halves: bool = True
    ) -> None:
        super().__init__()
        self._on_single = on_single
        self._lifted = (torch.float32,) if keep_halves else (torch.float32, *_HALVES)
        self.met_halves = False  # whether something was cast to half precision

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        args, kwargs = _one_width(func, args, kwargs or {})
        name = str(func._schema.name).removeprefix("aten::")
        asked = kwargs.get("dtype") in self._lifted and name not in _RANDOM
        self.met_halves |= kwargs.get("dtype") in _HALVES
        if asked:
            read = [a for a in tree_leaves(args) if isinstance(a, torch.Tensor)]
            asked = not any(a.dtype in (torch.float16, torch.bfloat16, torch.float32) for a in read)
        if not asked:
            out = func(*args, **kwargs)
            if name not in _FILLED or kwargs.get("dtype") is not None or out.dtype != torch.float32:
                return out
            return self._told(torch.ops.aten._to_copy.default(out, dtype=torch.float64))
        return self._told(func(*args, **{**kwargs, "dtype": torch.float64}))

    def _told(self, out: Any) -> Any:
        if self._on_single is not None and isinstance(out, torch.Tensor):
            self._on_single(out)
        return out
