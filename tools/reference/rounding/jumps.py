"""Functions with jumps: an argument within its own error of a jump may come out on either side of it.

Rounding, remainders, comparisons, conversions to integers and the logic on what they give are run again at both ends of
each operand's interval; what the result moves by is its error. So nothing is added where no jump lies inside, and
exact arguments stay exact. Errors of integers and booleans are common ones: a sum of them may be off by all.

Not covered: integers made of an inexact number's bytes, and products of matrices of integers; they count as exact.

A kernel has the numbers that a reference writes down, or is given, in float32.
"""

import itertools
import struct
from typing import Any

import torch

from akgen.tools.reference.rounding.errors import SPREAD, Errors, Run, Step, joined, rule, single


def in_single(value: Any) -> Any:
    """Return what float32 makes of a number; anything else, and what float32 cannot hold, stays as it is."""
    if not isinstance(value, float):
        return value
    try:
        return struct.unpack("f", struct.pack("f", value))[0]
    except OverflowError:
        return value


def beside_single(value: Any) -> float:
    """Return how far a number is from float32's, 0 for anything else."""
    off = abs(in_single(value) - value) if isinstance(value, float) else 0.0
    return off if off == off else 0.0


_QUOTIENTS = frozenset({"floor_divide", "remainder", "fmod", "div"})
_LEFT_OVER = frozenset({"frac", "remainder", "fmod"})  # as steep as a line, apart from the jumps
_LARGEST_HEIGHT = 1e30  # beyond what a float32 holds in units of the roundoff


def size(run: Run, tensor: Any) -> torch.Tensor | None:
    """Return how far each element may be off, in float64 and absolute; None: exact."""
    errors = run.errors(tensor) if isinstance(tensor, torch.Tensor) else None
    if errors is None:
        return None
    off = SPREAD * errors.square.double().sqrt()
    return (off if errors.common is None else off + errors.common) * run.roundoff


def _interval(run: Run, value: Any) -> torch.Tensor | None:
    if isinstance(value, torch.Tensor):
        return size(run, value)
    off = beside_single(value)
    return torch.tensor(off, dtype=torch.float64) if off else None


def heights(run: Run, off: torch.Tensor) -> Errors | None:
    """Return common errors of these absolute sizes; None where all are zero."""
    off = off.double().nan_to_num(nan=0.0, posinf=0.0)
    if not bool(off.any()):
        return None
    common = single((off / run.roundoff).clamp(max=_LARGEST_HEIGHT))
    return Errors(torch.zeros_like(common), common)


def moved(value: Any, by: torch.Tensor, sign: int) -> Any:
    """Return the end of an interval around a value: of a boolean that is not sure, the other value."""
    if not isinstance(value, torch.Tensor):
        return value + sign * float(by)
    if value.dtype == torch.bool:
        return value ^ (by > 0)
    if not value.is_floating_point():
        limits = torch.iinfo(value.dtype)
        return (value.double() + sign * by.round()).clamp(limits.min, limits.max).to(value.dtype)
    return (value.double() + sign * by).to(value.dtype)


def at_ends(run: Run, step: Step, own: torch.Tensor | None = None) -> torch.Tensor | None:
    """Return how far the result moves at the ends of its operands' intervals; None where all operands are exact.

    `own` is what the first operand may be off besides.
    """
    sizes = {i: s for i, a in enumerate(step.args) if (s := _interval(run, a)) is not None}
    if own is not None:
        sizes[0] = own if 0 not in sizes else sizes[0] + own
    if not sizes:
        return None
    out, most = step.out.double(), torch.zeros(step.out.shape, dtype=torch.float64)
    for signs in itertools.product((-1, 1), repeat=len(sizes)):
        args = list(step.args)
        for (i, by), sign in zip(sizes.items(), signs, strict=True):
            args[i] = moved(step.args[i], by, sign)
        if step.func._schema.is_mutable:  # it writes to its first operand
            args[0] = args[0].clone()
        most = torch.maximum(most, (step.func(*args, **step.kwargs).double() - out).abs().nan_to_num(nan=0.0))
    return most


@rule("round", "floor", "ceil", "trunc", "sign", "sgn", "heaviside", "bucketize", "searchsorted")
def _steps(run: Run, step: Step) -> list[Errors | None]:
    off = at_ends(run, step)
    return [None if off is None else heights(run, off)]


def integers(run: Run, step: Step) -> list[Errors | None]:
    """Follow what gives integers or booleans: nothing is rounded, what is unsure stays so."""
    off = at_ends(run, step)
    if off is None:
        return [None]
    if (
        step.name == "_to_copy" and step.out.dtype != torch.bool
    ):  # no more than the number itself, where ends wrap
        given = size(run, step.args[0])
        assert given is not None
        off = torch.minimum(off, given.ceil())
    return [heights(run, off)]


@rule("frac", "floor_divide", "remainder", "fmod")
def quotients(run: Run, step: Step) -> list[Errors | None]:
    """Follow what has a whole quotient inside: its own rounding may cross a jump as well, unless it is exact."""
    own, left, whole = None, step.name in _LEFT_OVER, torch.zeros((), dtype=torch.float64)
    if step.name in _QUOTIENTS and step.out.is_floating_point():
        x, y = (v if isinstance(v, torch.Tensor) else torch.as_tensor(v) for v in step.args[:2])
        quotient = x.double() / y.double()
        whole = quotient.abs().ceil().nan_to_num(nan=0.0, posinf=0.0)
        x = x.double().expand(quotient.shape)
        own = torch.where(quotient == quotient.round(), 0.0, 2 * run.roundoff * x.abs())
        if not isinstance(step.args[0], torch.Tensor) or own.shape != step.args[0].shape:
            own = None  # of an operand that is repeated
    off = at_ends(run, step, own)
    if off is None:
        return [None]
    if not left:
        return [heights(run, off)]
    # As a line, what is left over moves by what the dividend does, and by the quotient times what the divisor does.
    smooth = own if own is not None else torch.zeros_like(off)
    for arg, steep in zip(step.args[:2], (1.0, whole), strict=False):
        by = _interval(run, arg)
        smooth = smooth if by is None else smooth + steep * by
    smooth = smooth.expand(off.shape)
    jumps = heights(run, torch.where(off > 1.01 * smooth, off, 0.0))
    spread = smooth / (SPREAD * run.roundoff)
    return [joined(Errors(single(spread.square()), None), jumps)]


@rule("any", "all")
def _logic(run: Run, step: Step) -> list[Errors | None]:
    value = step.args[0]
    unsure = size(run, value)
    if unsure is None:
        return [None]
    set_, rest = value.bool(), step.args[1:]
    found = step.func(set_ | (unsure > 0), *rest, **step.kwargs) != step.func(
        set_ & (unsure <= 0), *rest, **step.kwargs
    )
    return [heights(run, found)]


@rule("count_nonzero")
def _counted(run: Run, step: Step) -> list[Errors | None]:
    value = step.args[0]
    off = size(run, value)
    if off is None:
        return [None]
    dims, _ = step.reduced()
    return [heights(run, ((off > 0) & (value.abs() <= off)).double().sum(dims))]


@rule("histc")
def _histogram(run: Run, step: Step) -> list[Errors | None]:
    """Count, for each bin, the elements that may fall into it or out of it: a bin's place is rounded as well."""
    how, value = step.named, step.args[0].double()
    low, high = float(how["min"]), float(how["max"])
    if low == high:
        low, high = float(value.min()), float(value.max())
    place = (value - low) / (high - low) * how["bins"]
    off = 4 * run.roundoff * place.abs()
    given = size(run, step.args[0])
    if given is not None:
        off = off + given / (high - low) * how["bins"]
    exact = (place == place.round()) & (given is None)
    first, last = (torch.where(exact, place, place + s * off).floor() for s in (-1, 1))
    unsure = (first != last) & (last >= 0) & (first < how["bins"])
    found = torch.zeros(how["bins"], dtype=torch.float64)
    for ends in (first, last):
        found += torch.bincount(
            ends[unsure].clamp(0, how["bins"] - 1).long(), minlength=how["bins"]
        )  # the last bin is closed
    return [heights(run, found)]
