"""Places and choices that inexact values decide: near ties of an order, and what is picked by an unsure mask or index.

Elements in order whose intervals touch their neighbour's may change places; so a place may be any of its group's.
What an unsure index picks lies within the range of the values that it picks from, what an unsure mask picks is one
of both sides.
"""

from typing import Any

import torch

from akgen.tools.reference.rounding.errors import Errors, Run, Step, joined, rule
from akgen.tools.reference.rounding.jumps import heights, moved, size

_SELECTORS = frozenset({"index", "indices", "mask", "condition"})


def selectors(step: Step) -> list[Any]:
    """Return the operands that say what is picked, and are no values themselves."""
    return [v for k, v in step.named.items() if k in _SELECTORS]


def near_ties(run: Run, value: torch.Tensor, places: torch.Tensor, dim: int) -> Errors | None:
    """Return how far places along `dim` may be off."""
    off = size(run, value)
    if off is None or not value.dim() or not places.numel() or value.shape[dim] < 2:
        return None
    order = torch.sort(value, dim=dim, stable=True).indices
    ordered, room = value.double().gather(dim, order), off.expand(value.shape).gather(dim, order)
    touching = room.narrow(dim, 1, room.shape[dim] - 1) + room.narrow(dim, 0, room.shape[dim] - 1)
    apart = ordered.diff(dim=dim) > touching
    apart |= touching == 0  # equal numbers without errors are equal in every computation
    group = torch.cat([torch.zeros_like(apart.narrow(dim, 0, 1)), apart], dim).cumsum(dim)
    ends = [
        torch.zeros_like(order).scatter_reduce(dim, group, order, how, include_self=False).gather(dim, group)
        for how in ("amin", "amax")
    ]
    widest = torch.maximum(order - ends[0], ends[1] - order)
    return heights(run, torch.zeros_like(order).scatter(dim, order, widest).gather(dim, places))


@rule("argmax", "argmin")
def _place(run: Run, step: Step) -> list[Errors | None]:
    how, value = step.named, step.args[0]
    dim, keep = how.get("dim"), how.get("keepdim", False)
    if run.errors(value) is None or value.dim() == 0:
        return [None]
    if dim is None:
        flat = run.replay(torch.flatten, value)
        found = near_ties(run, flat, step.out.reshape(1), 0)
        return [None if found is None else found.map(lambda e: e.reshape(step.out.shape))]
    places = step.out if keep else step.out.unsqueeze(dim)
    found = near_ties(run, value, places, dim)
    return [found if found is None or keep else found.map(lambda e: e.squeeze(dim))]


@rule("argsort")
def _order(run: Run, step: Step) -> list[Errors | None]:
    how = step.named
    return [near_ties(run, step.args[0], step.out, how.get("dim", -1))]


def chosen(run: Run, step: Step, found: Errors | None) -> Errors | None:
    """Add to what was moved or picked what an unsure mask or index makes of it."""
    how = step.named
    if step.name in ("where", "masked_fill"):
        unsure = size(run, how.get("condition", how.get("mask")))
        if unsure is None:
            return found
        sides = (how["self"], how["other"] if step.name == "where" else how["value"])
        first, second = (s.double() if isinstance(s, torch.Tensor) else float(s) for s in sides)
        apart = torch.as_tensor(first - second).abs().nan_to_num(nan=0.0, posinf=0.0)
        return joined(found, heights(run, torch.where(unsure > 0, apart, 0.0)))
    if step.name in ("gather", "index_select", "embedding", "take", "index"):
        return joined(found, _range(run, step, how))
    if step.name == "scatter" and isinstance(how.get("value"), int | float):
        return joined(found, _elsewhere(run, how))
    return found


def _range(run: Run, step: Step, how: dict[str, Any]) -> Errors | None:
    """Return the errors of what an unsure index picks: all that there is to pick."""
    source = how["self"] if "self" in how else how["weight"]
    index = how.get("index", how.get("indices"))
    if isinstance(index, list | tuple):
        given = [i for i in index if i is not None]
        if len(given) != 1 or index[0] is None or given[0].dtype == torch.bool:
            return None
        index = given[0]
    unsure = size(run, index)
    if unsure is None or not source.numel():
        return None
    values = source.double()
    if step.name == "gather":
        dim = how["dim"]
        spread = values.amax(dim, keepdim=True) - values.amin(dim, keepdim=True)
        return heights(run, torch.where(unsure > 0, spread.expand(unsure.shape), 0.0))
    dim = how["dim"] % source.dim() if step.name == "index_select" else 0
    spread = values.amax(dim) - values.amin(dim) if step.name != "take" else values.max() - values.min()
    if step.name == "index_select":
        shape = [-1 if d == dim else 1 for d in range(source.dim())]
        return heights(run, torch.where(unsure.reshape(shape) > 0, spread.unsqueeze(dim), 0.0))
    inner = spread.reshape([1] * unsure.dim() + list(spread.shape))
    return heights(run, torch.where(unsure.reshape([*unsure.shape, *[1] * spread.dim()]) > 0, inner, 0.0))


def _elsewhere(run: Run, how: dict[str, Any]) -> Errors | None:
    """Return the errors of one value that is written at unsure places, as a one-hot code is made."""
    index = how["index"]
    unsure = size(run, index)
    if unsure is None:
        return None
    base, dim = how["self"], how["dim"]
    length = base.shape[dim]
    touched = torch.zeros(base.shape, dtype=torch.float64)
    for end in (index, *(moved(index, unsure, s).clamp(0, length - 1) for s in (-1, 1))):
        touched.scatter_reduce_(dim, end, (unsure > 0).double(), "amax")
    return heights(run, touched * (base.double() - how["value"]).abs())
