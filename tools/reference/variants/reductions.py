"""What an author gets wrong in reductions and running sums: divisors, axes, what takes part, how they begin."""

import math
from collections.abc import Callable
from typing import Any

import torch

from akgen.tools.reference.variants.alteration import UNITS, Alteration, Alterations, maker
from akgen.tools.reference.variants.recording import Recorded, Recording

SHORT = 33  # divisors below this are tried: rows of a tile, a number of tiles or cores
_REDUCE: dict[str, Callable[..., torch.Tensor]] = {
    "sum": torch.sum,
    "mean": torch.mean,
    "amax": torch.amax,
    "amin": torch.amin,
}


def reduced(recording: Recording, call: Recorded, args: list[Any], kwargs: dict[str, Any]) -> Alterations:
    x, axes, keep = _reduction(args, kwargs)
    name = call.name
    n = math.prod(x.shape[a] for a in axes)
    if name not in ("amax", "amin"):
        yield from _summed(recording, call, x, axes, keep)
    else:
        yield Alteration(
            "fill",
            "a 0 takes part",
            lambda: call.value.clamp(min=0) if name == "amax" else call.value.clamp(max=0),
        )
        other = "amin" if name == "amax" else "amax"
        yield Alteration(
            "operation",
            f"{'the smallest' if name == 'amax' else 'the largest'} is taken",
            lambda: _REDUCE[other](x, axes, keepdim=keep),
        )
    if name == "mean":
        yield from _of_part(x, axes, lambda part: torch.sum(part, axes, keepdim=keep) / n)
    yield from _of_part(x, axes, lambda part: _REDUCE[name](part, axes, keepdim=keep))
    yield from _other_axes(call, x, axes, lambda instead: _REDUCE[name](x, instead, keepdim=keep))


def _summed(
    recording: Recording, call: Recorded, x: torch.Tensor, axes: list[int], keep: bool
) -> Alterations:
    n = math.prod(x.shape[a] for a in axes)
    total = torch.sum(x, axes, keepdim=keep)
    if call.name == "mean":
        yield Alteration("sum_for_mean", f"it is not divided by {n}, the number of elements", lambda: total)
    else:
        yield Alteration("mean_for_sum", f"it is divided by {n}, the number of elements", lambda: total / n)
    if call.name != "mean":
        return
    squared = maker(recording, call.args[0])
    distance = maker(recording, squared.args[0]) if squared is not None and squared.name == "pow" else None
    if distance is not None and distance.name == "sub":
        values = recording.operand(distance.args[0])
        yield Alteration(
            "uncentred",
            "the squares are those of the values and not of their distance from the mean",
            lambda: torch.mean(values * values, axes, keepdim=keep),
        )
    others = {d: f"{d}, another length," for d in x.shape if d > 1}
    others |= {-(-n // unit) * unit: f"{-(-n // unit) * unit}, the padded length," for unit in UNITS}
    others |= {n - 1: f"{n - 1}, one less,", n + 1: f"{n + 1}, one more,"}
    others |= {d: f"{d}" for d in range(1, SHORT) if d not in others}
    for d, words in others.items():
        if d not in (0, n):
            yield Alteration("divisor", f"it is divided by {words} instead of {n}", lambda d=d: total / d)


def varied(recording: Recording, call: Recorded, args: list[Any], kwargs: dict[str, Any]) -> Alterations:
    del recording
    x, axes, keep = _reduction(args, kwargs)
    n = math.prod(x.shape[a] for a in axes)
    correction = kwargs.get("correction")
    correction = 1 if correction is None else correction
    whole = call.value * (n - correction)
    other = 1 - correction
    if n - other > 0:
        yield Alteration(
            "divisor",
            f"it is divided by {n - other} instead of {n - correction}",
            lambda: whole / (n - other),
        )
    square = torch.sum(x * x, axes, keepdim=keep)
    yield Alteration(
        "uncentred",
        "the squares are those of the values and not of their distance from the mean",
        lambda: square / (n - correction),
    )
    yield Alteration("sum_for_mean", f"it is not divided by {n - correction}", lambda: whole)
    for unit in UNITS:
        p = -(-n // unit) * unit
        if p != n:
            yield Alteration(
                "divisor", f"it is divided by {p}, the padded length, instead of {n}", lambda p=p: whole / p
            )
    yield Alteration("function", "the deviation is taken for the variance", lambda: torch.sqrt(call.value))
    yield from _other_axes(
        call, x, axes, lambda instead: torch.var(x, instead, correction=correction, keepdim=keep)
    )


def _of_part(x: torch.Tensor, axes: list[int], reduce: Callable[[torch.Tensor], torch.Tensor]) -> Alterations:
    """Not all elements take part: the first or the last is left out, or what is behind whole blocks."""
    for axis in axes if len(axes) == 1 else ():
        n = x.shape[axis]
        parts = {(1, n - 1): "the first element", (0, n - 1): "the last element"}
        parts |= {
            (0, n // unit * unit): f"what is behind the first {n // unit * unit} elements" for unit in UNITS
        }
        for (start, length), words in parts.items():
            if 0 < length < n:
                yield Alteration(
                    "partial_sum",
                    f"{words} of {n} along axis {axis} is left out",
                    lambda axis=axis, start=start, length=length: reduce(x.narrow(axis, start, length)),
                )


def _other_axes(
    call: Recorded, x: torch.Tensor, axes: list[int], reduce: Callable[[list[int]], torch.Tensor]
) -> Alterations:
    """Another axis is reduced, where the result has a form that can go on."""
    for axis in range(x.dim()):
        if [axis] == axes or len(axes) != 1:
            continue

        def other(axis: int = axis) -> torch.Tensor:
            found = reduce([axis])
            if found.shape == call.value.shape:
                return found
            if torch.broadcast_shapes(found.shape, x.shape) == x.shape:
                return found  # what follows broadcasts it
            raise ValueError("of another form")

        yield Alteration("axis", f"axis {axis} is reduced and not axis {axes[0]}", other)


def _reduction(args: list[Any], kwargs: dict[str, Any]) -> tuple[torch.Tensor, list[int], bool]:
    x = args[0]
    axes = args[1] if len(args) > 1 else kwargs.get("dim")
    axes = [axes] if isinstance(axes, int) else list(axes) if axes else list(range(x.dim()))
    keep = args[2] if len(args) > 2 else kwargs.get("keepdim", False)
    return x, [a % x.dim() for a in axes], bool(keep)


def ran(recording: Recording, call: Recorded, args: list[Any], kwargs: dict[str, Any]) -> Alterations:
    del recording, kwargs
    x, axis = args[0], args[1] % max(args[0].dim(), 1)
    if x.dim() == 0:
        return
    yield Alteration("shifted", "its own element is not in the running sum", lambda: call.value - x)
    yield Alteration(
        "reversed",
        "it runs from the end",
        lambda: torch.flip(torch.cumsum(torch.flip(x, [axis]), axis), [axis]),
    )
    for other in range(x.dim()):
        if other != axis:
            yield Alteration(
                "axis",
                f"it runs along axis {other} and not axis {axis}",
                lambda other=other: torch.cumsum(x, other),
            )
