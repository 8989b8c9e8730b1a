"""Where a mask holds: `where(mask)`, `nonzero`, and what they index, as all of it with the mask beside it.

Of a tensor indexed by the places of a mask, each row lies where the mask's own axis is: nothing is picked.
"""

import math
from typing import Any

import torch

from akgen.tools.compose.front import record_ordered as ordered
from akgen.tools.compose.front.record_ragged import Ragged, expanded
from akgen.tools.compose.front.record_selected import Selected, uncovered


def coordinates(like: Selected) -> tuple[Selected, ...]:
    """Return the places where a mask holds, of each of its axes; `like` is something that it selects."""
    found = []
    for axis, count in enumerate(like.mask.holds.shape):
        places = torch.arange(count).reshape([-1 if a == axis else 1 for a in range(like.mask.rank)])
        places_of = like.with_elements(places)
        places_of.coordinate = axis
        found.append(places_of)
    return tuple(found)


class NamedPlaces:
    """The result of `nonzero`: one row for each place, one column for each axis of the mask."""

    def __init__(self, columns: tuple[Selected, ...]) -> None:
        self.columns = columns
        self.ndim, self.dtype, self.device = 2, torch.int64, columns[0].device
        self.unknown_length = columns[0].mask.count()

    @property
    def shape(self) -> tuple[Any, ...]:
        return (self.unknown_length, len(self.columns))

    def size(self, axis: int | None = None) -> Any:
        return self.shape if axis is None else self.shape[axis]

    def numel(self) -> torch.Tensor:
        return self.unknown_length * len(self.columns)

    def in_order(self) -> Ragged:
        """Return the places alone, as a part of unknown length."""
        columns = [ordered.in_order(c) for c in self.columns]
        most = self.columns[0].mask.holds.numel()
        return Ragged(0, self.unknown_length, lambda n: torch.stack([c.made(n) for c in columns], -1), most)

    def t(self) -> tuple[Selected, ...]:
        return self.columns

    T = property(t)

    def unbind(self, dim: int = 0) -> tuple[Selected, ...]:
        if dim not in (1, -1):
            raise uncovered("a Python loop over the places")
        return self.columns

    def squeeze(self, *dims: int) -> "Selected | NamedPlaces":
        return self._alone() if len(self.columns) == 1 and dims in ((), (1,), (-1,)) else self

    def _alone(self) -> Selected:
        if len(self.columns) != 1:
            raise uncovered("another shape of the places")
        return self.columns[0]

    def flatten(self) -> Selected:
        return self._alone()

    def view(self, *sizes: Any) -> Selected:
        if sizes not in ((-1,), ([-1],), ((-1,),)):
            raise uncovered("another shape of the places")
        return self._alone()

    reshape = view

    def __iter__(self) -> Any:
        raise uncovered("a Python loop over the places")

    def __getitem__(self, index: Any) -> Any:
        match index:
            case (slice(start=None, stop=None, step=None), int(column)):
                return self.columns[column]
            case int() | torch.Tensor(dtype=torch.int64):  # rows of them, by their places
                return torch.stack([ordered.item(c, index) for c in self.columns], -1)
        raise uncovered("an index of the places")

    def __getattr__(self, name: str) -> Any:
        raise uncovered(f"the operation {name} of the places")

    @classmethod
    def __torch_function__(cls, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        own = getattr(cls, getattr(func, "__name__", ""), None)
        if own is None or not isinstance(args[0], cls):
            raise uncovered(f"the operation {getattr(func, '__name__', func)} of the places")
        return own(*args, **(kwargs or {}))


def holds_places(index: Any) -> bool:
    """Return whether an index is, or holds, what a mask selects."""
    return any(isinstance(i, Selected) for i in (index if isinstance(index, (tuple, list)) else (index,)))


class _Indexed:
    """A tensor seen by an index some of whose entries are places: the others applied, the places' axes in front.

    `seen` is a view of the tensor. `lead` says how many axes of the result come before those of the places.
    """

    def __init__(self, x: torch.Tensor, index: Any) -> None:
        axis, axes = 0, []
        self.places: list[Any] = []
        for i in expanded(tuple(index) if isinstance(index, list) else index, x.dim()):
            if i is None:
                x = x.unsqueeze(axis)
            elif isinstance(i, Selected) or (
                isinstance(i, torch.Tensor) and i.dim() and i.dtype != torch.bool
            ):
                axes.append(axis)
                self.places.append(i)
            elif isinstance(i, torch.Tensor) and i.dim() == 0 and i.dtype != torch.bool:
                self.places.append(i)
                axes.append(axis)
            elif isinstance(i, (int, slice)):
                x = x[(slice(None),) * axis + (i,)]
                axis -= isinstance(i, int)
            else:
                raise uncovered("an index beside others")
            axis += 1
        self.first = next(i for i in self.places if isinstance(i, Selected))
        if any(isinstance(p, Selected) and p.dtype == torch.bool for p in self.places):
            raise uncovered("an index by a condition")
        if any(isinstance(p, Selected) and (p.origin != self.first.origin or p.lead) for p in self.places):
            raise uncovered("an index of two masks")
        self.places = [p.under(self.first.mask) if isinstance(p, Selected) else p for p in self.places]
        adjoin = axes == list(range(axes[0], axes[0] + len(axes)))
        self.lead = axes[0] if adjoin else 0
        self.seen = x.movedim(axes, list(range(len(axes))))
        self.longest = max((p for p in self.places if isinstance(p, Selected)), key=lambda p: p.trailing)
        self.own: list[Any] = [getattr(p, "coordinate", None) for p in self.places]
        mask = self.first.mask.holds
        self.fits = len({*self.own} - {None}) == len(self.own) and all(
            self.seen.shape[k] >= mask.shape[a] for k, a in enumerate(self.own) if a is not None
        )

    @property
    def names_each_once(self) -> bool:
        """Return whether no two elements of the mask are the same place."""
        return self.fits and len(self.own) == self.first.mask.rank

    def laid(self) -> Selected:
        """Return what the index picks: as it lies, where its places are those of the mask along different axes."""
        if self.fits:
            whole = self._turned(self._within())
        else:
            limits = [self.seen.shape[k] for k in range(len(self.places))]
            safe = [torch.clamp(p, -n, n - 1) for p, n in zip(self.numbers(), limits, strict=True)]
            whole = self.seen[tuple(torch.broadcast_tensors(*safe)) if len(safe) > 1 else safe[0]]
        rank = self.first.mask.rank + self.longest.trailing
        whole = whole.movedim(list(range(rank)), list(range(self.lead, self.lead + rank)))
        return self.first.with_elements(whole, self.lead)

    def numbers(self) -> list[torch.Tensor]:
        """Return the places along each axis, with the mask's axes and those that follow."""
        like = self.longest
        found = []
        for p in self.places:
            if isinstance(p, Selected):
                ones = [1] * (like.trailing - p.trailing)
                rank = p.mask.rank
                p = p.whole.reshape(*p.whole.shape[:rank], *ones, *p.whole.shape[rank:])
            elif p.dim() > like.trailing:
                p = like.laid(p, p.dim() - like.trailing - 1)
            found.append(p)
        return found

    def _within(self) -> torch.Tensor:
        x, mask = self.seen, self.first.mask.holds
        for k, a in enumerate(self.own):
            x = x.narrow(k, 0, mask.shape[a])
        return x

    def _turned(self, x: torch.Tensor) -> torch.Tensor:
        mask = self.first.mask.holds
        order = sorted(range(len(self.own)), key=lambda k: self.own[k])
        turned = x.permute(*order, *range(len(self.own), x.dim()))
        lengths = [mask.shape[a] if a in self.own else 1 for a in range(mask.dim())]
        return turned.reshape(*lengths, *x.shape[len(self.own) :])

    def aligned(self, value: Any, like: Selected) -> Any:
        """Return a value with the axes of what is picked, those of the places in front."""
        if not isinstance(value, (Selected, torch.Tensor)):
            return value
        if isinstance(value, Selected):
            if value.origin != like.origin:
                raise uncovered("writing where another mask holds")
            if value.trailing != like.trailing or value.lead > like.lead:
                raise uncovered("writing another shape")
            whole, rank = value.under(like.mask).whole, like.mask.rank
        else:
            whole, rank = like.part(value), like.mask.rank
        whole = whole.expand(torch.broadcast_shapes(whole.shape, like.whole.shape))
        rank += self.longest.trailing
        return whole.movedim(list(range(self.lead, self.lead + rank)), list(range(rank)))

    def put(self, new: torch.Tensor) -> None:
        """Write elements back that lie as the mask does."""
        order = sorted(range(len(self.own)), key=lambda k: self.own[k])
        back = [order.index(k) for k in range(len(order))]
        self._within().copy_(new.permute(*back, *range(len(back), new.dim())))


def picked(x: torch.Tensor, index: Any) -> Selected:
    """Return x[index], where entries of the index are places or other numbers that one mask selects."""
    found = _Indexed(x, index).laid()
    return found.with_elements(found.whole.clone())  # later writes to x are not seen


def put(x: torch.Tensor, index: Any, value: Any, *, accumulate: bool = False) -> None:
    """Write x[index] = value, or add it: of elements that go to one place the last one stays."""
    at = _Indexed(x, index)
    like = at.laid()
    if at.names_each_once and not at.longest.trailing:
        old = like.whole.movedim(list(range(at.lead, at.lead + like.mask.rank)), list(range(like.mask.rank)))
        given = at.aligned(value, like)
        new = old + given if accumulate else given
        held = like.mask.holds.reshape(*like.mask.holds.shape, *[1] * (old.dim() - like.mask.rank))
        at.put(torch.where(held, new, old).to(x.dtype))
        return
    _scattered(at, like, value, accumulate)


def _scattered(at: _Indexed, like: Selected, value: Any, accumulate: bool) -> None:
    """Write to places that may be the same, one after the other."""
    mask, trailing = like.mask.holds, at.longest.trailing
    numbers = at.numbers()
    shape = torch.broadcast_shapes(*(n.shape for n in numbers), mask.shape + (1,) * trailing)
    sizes = at.seen.shape[: len(numbers)]
    place: Any = 0
    for k, (n, size) in enumerate(zip(numbers, sizes, strict=True)):
        place = place + torch.where(n < 0, n + size, n) * math.prod(sizes[k + 1 :])
    place = place.expand(shape).reshape(-1)
    held = mask.reshape(*mask.shape, *[1] * trailing).expand(shape).reshape(-1)
    rest = at.seen.shape[len(numbers) :]
    base = at.seen.reshape(-1, *rest)
    wide = held.reshape(-1, *[1] * len(rest))
    alone = not isinstance(value, Selected) and (not isinstance(value, torch.Tensor) or value.numel() == 1)
    if alone and not accumulate:
        count = torch.zeros(base.shape[0], dtype=torch.int32).index_add(
            0, torch.where(held, place, 0), held.to(torch.int32)
        )
        number = value.reshape(()) if isinstance(value, torch.Tensor) else value
        new = torch.where((count > 0).reshape(-1, *[1] * len(rest)), number, base)
    else:
        given = at.aligned(value, like)
        if not isinstance(given, torch.Tensor):
            given = torch.scalar_tensor(given, dtype=base.dtype)
        given = given.to(base.dtype).expand(*shape, *rest).reshape(-1, *rest)
        if accumulate:
            new = base.index_add(0, torch.where(held, place, 0), torch.where(wide, given, 0))
        else:  # what is not selected repeats the last that is: in front of the first, what is there already
            count = held.shape[0]
            last = torch.cummax(torch.where(held, torch.arange(count), -1), 0).values
            none, last = last < 0, last.clamp(min=0)
            source = torch.where(none.reshape(wide.shape), base[:1], given.index_select(0, last))
            new = base.index_put((torch.where(none, 0, place.index_select(0, last)),), source)
    at.seen.copy_(new.reshape(at.seen.shape).to(at.seen.dtype))
