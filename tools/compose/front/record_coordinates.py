"""Where a mask holds: `where(mask)`, `nonzero`, and what they index, as all of it with the mask beside it.

Of a tensor indexed by the places of a mask, each row lies where the mask's own axis is: nothing is picked.
"""

from typing import Any

import torch

from akgen.tools.compose.front.record_selected import Selected, uncovered


def coordinates(like: Selected) -> tuple[Selected, ...]:
    """Return the places where a mask holds, of each of its axes; `like` is something that it selects."""
    found = []
    for axis, count in enumerate(like.mask.shape):
        places = torch.arange(count).reshape([-1 if a == axis else 1 for a in range(like.mask.dim())])
        places_of = like.with_elements(places)
        places_of.coordinate = axis
        found.append(places_of)
    return tuple(found)


class NamedPlaces:
    """The result of `nonzero`: one row for each place, one column for each axis of the mask."""

    def __init__(self, columns: tuple[Selected, ...]) -> None:
        self.columns = columns
        self.ndim, self.dtype, self.device = 2, torch.int64, columns[0].device
        self.unknown_length = columns[0].unknown_length

    @property
    def shape(self) -> tuple[Any, ...]:
        return (self.columns[0].unknown_length, len(self.columns))

    def size(self, axis: int | None = None) -> Any:
        return self.shape if axis is None else self.shape[axis]

    def numel(self) -> torch.Tensor:
        return self.columns[0].unknown_length * len(self.columns)

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

    def __getitem__(self, index: Any) -> Selected:
        match index:
            case (slice(start=None, stop=None, step=None), int(column)):
                return self.columns[column]
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
    return any(isinstance(i, Selected) for i in (index if isinstance(index, tuple) else (index,)))


def picked(x: torch.Tensor, index: Any) -> Selected:
    """Return x[index], where leading entries of the index are places or other numbers that one mask selects."""
    given = list(index) if isinstance(index, tuple) else [index]
    places = [i for i in given if isinstance(i, Selected)]
    before = next(k for k, i in enumerate(given) if isinstance(i, Selected))
    rest = given[before + len(places) :]
    if any(i is not None for i in given[:before]) or given[before : before + len(places)] != places:
        raise uncovered("an index beside others")
    if any(not (i is None or isinstance(i, (int, slice)) or i is Ellipsis) for i in rest):
        raise uncovered("an index beside others")
    first = places[0]
    if any(p.origin != first.origin or p.ndim != 1 for p in places):
        raise uncovered("an index of two masks")
    whole = _laid(x, places)
    if rest:
        whole = whole[(*[slice(None)] * first.mask.dim(), *rest)]
    made = first.with_elements(whole)
    made.before = before
    return made


def _laid(x: torch.Tensor, places: list[Selected]) -> torch.Tensor:
    """Return x with the mask's axes in front: as it lies, where the indices are places along different axes."""
    mask = places[0].mask
    axes = [p.coordinate for p in places]
    fits = all(a is not None and x.shape[k] == mask.shape[a] for k, a in enumerate(axes))
    if fits and len(set(axes)) == len(axes):
        order = sorted(range(len(axes)), key=lambda k: axes[k])  # type: ignore[arg-type, return-value]
        turned = x.permute(*order, *range(len(axes), x.dim()))
        lengths = [mask.shape[a] if a in axes else 1 for a in range(mask.dim())]
        return turned.reshape(*lengths, *x.shape[len(axes) :])
    limits = [x.shape[k] for k in range(len(places))]
    safe = [torch.clamp(p.whole, -n, n - 1) for p, n in zip(places, limits, strict=True)]
    return x[tuple(torch.broadcast_tensors(*safe)) if len(safe) > 1 else safe[0]]


def put(x: torch.Tensor, index: Any, value: Any) -> None:
    """Write x[index] = value, where the index names each place of a mask once."""
    places = index if isinstance(index, tuple) else (index,)
    first = places[0]
    if not isinstance(first, Selected):
        raise uncovered("writing to an index beside others")
    own = [p.coordinate for p in places if isinstance(p, Selected)]
    if own != list(range(first.mask.dim())) or len(places) != len(own):
        raise uncovered("writing to places that may be the same")
    if isinstance(value, Selected):
        if value.before or any(p.origin != value.origin for p in places):
            raise uncovered("writing where another mask holds")
        value = value.whole
    elif isinstance(value, torch.Tensor) and value.dim() > x.dim() - first.mask.dim():
        raise uncovered("writing a tensor")
    held = first.mask.reshape(*first.mask.shape, *[1] * (x.dim() - first.mask.dim()))
    x.copy_(torch.where(held, value, x))
