"""Tell apart what equal elements leave open: inputs on which a result depends on their order are moved a little.

PyTorch leaves open in which order `topk`, an unstable `sort` and such name equal elements. Where an output holds these
places, a candidate's own are followed (`choices`). Where they only carry other values along, as a mask that a sampler
scatters back, nothing shows which order a candidate took: `hangs_on_ties` runs the reference with equal elements named
the other way round, and `apart` makes equal elements of a row neighbours of each other, so that there is one order.

Not covered: keys that are equal whatever the inputs are (whole numbers, more numbers than the type has near them), and
places that `cummax` and `cummin` give; there PyTorch's own order is asked for.

`choose` gives what a reference expects of a candidate that chose other places than it, among those that are as good.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import torch
from torch.utils._python_dispatch import _disable_current_modes
from torch.utils._pytree import tree_leaves

from akgen.tools.reference.choices.orders import Order
from akgen.tools.reference.choices.places import FollowedPlaces, Orders, TakenPlaces
from akgen.tools.reference.golden import Outputs, call, clone, golden
from akgen.tools.reference.nested import each


@dataclass(frozen=True)
class Chosen:
    """What is expected then; see `Sample`."""

    expected: Outputs
    returned: Outputs
    bounds: Outputs | None


def without_places(bound: Any, places: torch.Tensor | None) -> Any:
    """Return an output's bound without what its places may be off: of these, `chosen` says which are good."""
    if places is None or bound is None:
        return bound
    bound = torch.where(places >= 0, 0.0, bound)
    return bound if bool(bound.any()) else None


def chosen(
    model: Any, args: Sequence[Any], got: Sequence[Any], precision: torch.dtype | None
) -> Chosen | None:
    """Run the reference with the places that stand in the outputs `got`; None if they cannot be told.

    Where a choice is not as good as the reference's (an element that is smaller, or one chosen twice), its own stays.
    What the reference makes of its places is made of the candidate's.
    """
    places = FollowedPlaces()
    outputs, _ = golden(model, args, orders=places)
    wide = outputs is not None
    if outputs is None:
        outputs = call(model, clone(list(args)), places)
    given = places.given(outputs, got)
    if not given:
        return None
    marks = [places.of(o) for o in outputs]
    taken = TakenPlaces(given)
    expected, bounds = golden(model, args, precision, orders=taken) if wide else (None, None)
    if expected is None:
        expected = call(model, clone(list(args)), taken)
        return Chosen(expected, expected, None)
    returned = call(model, clone(list(args)), taken.again())
    if [e.shape for e in expected] != [r.shape for r in returned]:
        return None
    left = bounds and [without_places(b, m) for b, m in zip(bounds, marks, strict=True)]
    return Chosen(expected, returned, left)


_BITS = {torch.bfloat16: torch.int16, torch.float16: torch.int16, torch.float32: torch.int32}
_MOVED = 0.5  # of its size, that a number may be moved by
_FEW = 256  # different numbers, of a tensor in which each comes four times on the average or more


def hangs_on_ties(model: Any, args: Sequence[Any]) -> bool:
    """Say whether outputs are others when equal elements are named the other way round, and hold no such places."""
    places = FollowedPlaces()
    outputs = call(model, clone(list(args)), places)
    turned = _Turned(frozenset(n for o in tree_leaves(outputs) for n in places.orders_in(o)))
    others = call(model, clone(list(args)), turned)
    pairs = zip(tree_leaves(outputs), tree_leaves(others), strict=False)
    return turned.any and not all(_alike(one, other) for one, other in pairs)


def _alike(one: torch.Tensor, other: torch.Tensor) -> bool:
    """Say whether outputs are equal but for what sums in another order differ by."""
    if one.shape != other.shape or not one.is_floating_point():
        return bool(torch.equal(one, other))
    room = 8 * torch.finfo(one.dtype).eps
    return bool(torch.allclose(one.double(), other.double(), rtol=room, atol=room, equal_nan=True))


class _Turned(Orders):
    """Name equal elements of a row from its end on, in all orders but those `kept`."""

    def __init__(self, kept: frozenset[int]) -> None:
        super().__init__()
        self._kept = kept
        self.any = False

    def _ordered(self, number: int, order: Order, out: Any) -> Any:
        if number in self._kept or not order.open or order.running:
            return out
        with _disable_current_modes():
            keys, mine = (t.movedim(order.dim, -1).contiguous() for t in (order.keys, order.places))
            if keys.is_floating_point() and bool(torch.isnan(keys).any()):
                return out
            found = _from_the_end(keys, mine)
        self.any = self.any or not torch.equal(found, mine)
        got = found.movedim(-1, order.dim)
        places = order.shaped(got)
        if not order.gives_values:
            return places
        return order.shaped(torch.gather(order.keys, order.dim, got)), places


def _from_the_end(keys: torch.Tensor, places: torch.Tensor) -> torch.Tensor:
    """Return the places of the same keys: of equal ones the last first, the one before it second."""
    rising = keys.shape[-1] - 1 - keys.flip(-1).sort(dim=-1, stable=True).indices
    named, order = keys.gather(-1, places).sort(dim=-1, stable=True)
    turn = torch.arange(named.shape[-1]) - torch.searchsorted(named, named)  # which of its equals each is
    start = torch.searchsorted(keys.gather(-1, rising), named)
    return torch.empty_like(places).scatter_(-1, order, rising.gather(-1, start + turn))


def apart(args: Sequence[Any]) -> Iterator[list[Any]]:
    """Yield arguments whose floating tensors hold no number twice, zero aside: as a whole, then along each axis.

    Numbers keep their order, their sign and the range of all. A tensor stays as it is where some would have to move
    far, and where its numbers are whole or few.
    """
    tensors = [t for t in tree_leaves(list(args)) if isinstance(t, torch.Tensor) and t.dtype in _BITS]
    for way in (None, *range(-1, -1 - max((t.dim() for t in tensors), default=0), -1)):
        moved = [each(arg, partial(_apart, along=way)) for arg in args]
        if any(
            one is not other for one, other in zip(tree_leaves(moved), tree_leaves(list(args)), strict=True)
        ):
            yield moved


def _apart(value: Any, along: int | None) -> Any:
    bits = _BITS.get(value.dtype) if isinstance(value, torch.Tensor) else None
    if bits is None or not value.numel() or value.dim() < -(along or -1) or not value.isfinite().all():
        return value
    if _discrete(value):
        return value
    if along is None:
        moved = _unequal(value.reshape(-1), bits)
        return value if moved is None else moved.reshape(value.shape)
    moved = _unequal(value.movedim(along, -1).contiguous(), bits)
    return value if moved is None else moved.movedim(-1, along).contiguous()


def _discrete(value: torch.Tensor) -> bool:
    """Say whether numbers are whole, or few that come often: then they mean what they are."""
    if bool((value == value.round()).all()):
        return True
    held = int(value.unique().numel())
    return held < _FEW and 4 * held <= value.numel()


def _unequal(rows: torch.Tensor, bits: torch.dtype) -> torch.Tensor | None:
    """Return rows without equal numbers; None if there are none, or one would have to move far."""
    codes = torch.where(rows < 0, -1, 1) * rows.abs().view(bits).long()  # in the order of the numbers
    ranks, order = codes.sort(-1)
    if bool((ranks.diff(dim=-1) != 0).all()):
        return None
    lower = torch.where(ranks > 0, _downwards(ranks), -_downwards(-ranks.flip(-1)).flip(-1))
    lower = torch.where(ranks == 0, 0, lower)
    if bool((lower.sign() != ranks.sign()).any()):
        return None
    found = lower.abs().to(bits).view(rows.dtype) * lower.sign().to(rows.dtype)
    was = rows.gather(-1, order)
    far = (found.double() - was.double()).abs() > _MOVED * was.double().abs()
    if bool(far.any()) or found.min() < was.min() or found.max() > was.max():
        return None
    return torch.empty_like(rows).scatter_(-1, order, found)


def _downwards(rising: torch.Tensor) -> torch.Tensor:
    """Return the nearest smaller numbers that rise by at least one each."""
    steps = torch.arange(rising.shape[-1])
    return steps + (rising - steps).flip(-1).cummin(-1).values.flip(-1)
