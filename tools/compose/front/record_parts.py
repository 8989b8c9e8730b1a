"""Where parts come from, and how they are written: slices with unknown ends, ranges, repeats, indices."""

from collections.abc import Callable
from typing import Any

import torch

from akgen.tools.compose.front.record_ragged import (
    Ragged,
    Which,
    along,
    expanded,
    from_place,
    part,
    places,
    uncovered,
    within,
)


def window(x: torch.Tensor, axis: int, start: Any, stop: Any) -> Ragged:
    """Return x[…, start:stop, …]."""
    count = x.shape[axis]
    first = within(0 if start is None else start, count)
    last = within(count if stop is None else stop, count)
    made = from_place(x, axis, first)
    found = Ragged(axis, torch.clamp(last - first, min=0), made, count)
    found.rows = (x, start, stop) if x.dim() == 1 else None
    return found


def arange(*ends: Any, step: int = 1) -> Ragged:
    start, stop = (0, ends[0]) if len(ends) == 1 else ends[:2]
    step = ends[2] if len(ends) > 2 else step
    if not isinstance(step, int) or step not in (1, -1):
        raise uncovered("a range with a step")
    length = torch.clamp((stop - start) * step, min=0)
    return Ragged(0, length, lambda n: places(n) * step + start, None, (start, step))


def repeat_interleave(x: torch.Tensor, counts: torch.Tensor, axis: int) -> Ragged:
    ends = torch.cumsum(counts, 0)

    def made(n: Which) -> torch.Tensor:
        before = ends.reshape(1, -1) <= places(n).reshape(-1, 1)
        return x.index_select(axis, torch.clamp(before.sum(1), max=x.shape[axis] - 1))

    return Ragged(axis, ends[-1], made, None)


def picked(x: torch.Tensor, axis: int, index: Ragged) -> Ragged:
    count = x.shape[axis]
    return Ragged(
        axis,
        index.length,
        lambda n: x.index_select(axis, torch.clamp(index.made(n), 0, count - 1)),
        index.most or count,
    )


def item(x: torch.Tensor, index: Any, unknown: Callable[[Any], bool]) -> Any:
    """Return x[index] where an entry is a number or a length that is unknown."""
    axis = 0
    found: Ragged | None = None
    whole: torch.Tensor | None = None
    for i in expanded(index, x.dim()):
        if i is None:
            x = x.unsqueeze(axis)
        elif isinstance(i, slice):
            if unknown(i.start) or unknown(i.stop):
                if i.step not in (None, 1) or found is not None:
                    raise uncovered("a slice with a step, or one of several,")
                fixed = getattr(i.stop, "sum_of", (None, 0))
                if i.start is not None and fixed[0] is i.start and fixed[1] >= 0:  # x[at : at + 4]
                    x = x.index_select(
                        axis, torch.clamp(torch.arange(fixed[1]) + i.start, max=x.shape[axis] - 1)
                    )
                else:
                    found = window(x, axis, i.start, i.stop)
                    x = whole = found.whole()
            elif i != slice(None):
                x = x[(slice(None),) * axis + (i,)]
        elif isinstance(i, Ragged):
            if found is not None:
                raise uncovered("one of several indices")
            found = picked(x, axis, i)
            x = whole = found.whole()
        elif isinstance(i, torch.Tensor) and i.dim() == 0 and i.dtype != torch.bool:
            x = x.index_select(axis, i.reshape(1)).squeeze(axis)
            axis -= 1
        elif isinstance(i, int):
            x = x.select(axis, i)
            axis -= 1
        else:
            raise uncovered("an index beside a slice")
        axis += 1
    if found is None or x is whole:
        return x if found is None else found
    return Ragged(found.axis, found.length, lambda n: part(x, found.axis, n), found.most)


def put(x: torch.Tensor, index: Any, value: Any, unknown: Callable[[Any], bool]) -> None:
    """Write x[index] = value where an entry is a number or a length that is unknown."""
    view, axis, spans = x, 0, []
    for i in expanded(index, x.dim()):
        count = view.shape[axis] if i is not None and axis < view.dim() else 0
        if i is None:
            view = view.unsqueeze(axis)
        elif isinstance(i, slice) and (unknown(i.start) or unknown(i.stop)) and i.step in (None, 1):
            start = within(0 if i.start is None else i.start, count)
            stop = within(count if i.stop is None else i.stop, count)
            spans.append((axis, start, 1, stop - start, True))
        elif isinstance(i, Ragged) and i.steps is not None:
            spans.append((axis, i.steps[0], i.steps[1], i.length, True))
        elif isinstance(i, torch.Tensor) and i.dim() == 0 and i.dtype != torch.bool:
            spans.append((axis, torch.where(i < 0, i + count, i), 1, 1, False))
        elif isinstance(i, (slice, int)):
            view = view[(slice(None),) * axis + (i,)]
            axis -= isinstance(i, int)
        else:
            raise uncovered("an index beside a slice")
        axis += 1
    held: torch.Tensor | None = None
    for axis, start, step, length, kept in spans:
        count = view.shape[axis]
        place = (torch.arange(count) - start) * step
        inside = along((place >= 0) & (place < length), axis, view.dim())
        held = inside if held is None else held & inside
        value = _laid(value, view, axis, place, start, step, count, kept)
    assert held is not None
    source = value.to(view.dtype) if isinstance(value, torch.Tensor) else value
    view.copy_(torch.where(held, source, view))


def _laid(
    value: Any,
    view: torch.Tensor,
    axis: int,
    place: torch.Tensor,
    start: Any,
    step: int,
    count: int,
    kept: bool,
) -> Any:
    """Return a value with its elements where they go along an axis."""
    if not isinstance(value, (torch.Tensor, Ragged)) or not kept:
        return (
            value.unsqueeze(axis)
            if isinstance(value, torch.Tensor) and value.dim() >= view.dim() - 1 > 0
            else value
        )
    own = axis - (view.dim() - (value.ndim if isinstance(value, Ragged) else value.dim()))
    if own < 0:
        return value
    if isinstance(value, Ragged):
        if value.axis != own:
            raise uncovered("a part along another axis")
        if isinstance(start, int) and start == 0 and step == 1:
            return value.made(count)
        value = value.made(min(count, value.most or count))
    if value.shape[own] == 1:
        return value
    return value.index_select(own, torch.clamp(place, 0, value.shape[own] - 1))
