"""Operations that give places in an order, and which places are as good as the reference's own.

Open are places among equal elements in `topk`, a `sort` that is not stable, `kthvalue`, `median`, `mode`, `cummax` and
`cummin`, and the order of `topk(sorted=False)`. `argmax`, `argmin`, `max` and `min` give the first of equal elements, a
stable sort keeps their order: there only what is inexact leaves a choice, among elements that lie within their errors.

Not covered: places that pooling gives, and a `mode` among values that come equally often.
"""

from dataclasses import dataclass
from typing import Any

import torch

_RANKED = frozenset({"topk", "sort"})  # each element has one place
_RUNNING = frozenset({"cummax", "cummin"})
_FIRST = frozenset({"argmax", "argmin", "max", "min"})
_PICKED = frozenset({"kthvalue", "median", "nanmedian", "mode"})


@dataclass(frozen=True)
class Order:
    """One operation: `places` along `dim` of `keys`, the dimension kept; `source` is what it was given."""

    source: torch.Tensor
    keys: torch.Tensor
    dim: int
    places: torch.Tensor
    open: bool  # equal elements may change places
    ranked: bool
    running: bool
    unsorted: bool
    drops_dim: bool
    gives_values: bool

    def shaped(self, places: torch.Tensor) -> torch.Tensor:
        """Return places, or the values at them, in the form in which the operation gives them."""
        return places.squeeze(self.dim) if self.drops_dim else places


def order_of(func: Any, args: Any, kwargs: Any, out: Any) -> Order | None:
    """Return what an operation orders; None if it gives no places."""
    name = str(func._schema.name).removeprefix("aten::")
    if name not in _RANKED | _RUNNING | _FIRST | _PICKED or not args or not isinstance(args[0], torch.Tensor):
        return None
    given = {a.name: a.default_value for a in func._schema.arguments if a.has_default_value()}
    given |= dict(zip((a.name for a in func._schema.arguments), args, strict=False)) | kwargs
    alone = name in ("argmax", "argmin")
    if not alone and not isinstance(out, tuple | list):
        return None
    keys, dim, places = args[0], given.get("dim"), out if alone else out[1]
    if keys.dim() == 0 or keys.is_complex() or not places.numel():
        return None
    if dim is None:
        if given.get("keepdim"):
            return None
        keys, dim, places = keys.reshape(-1), 0, places.reshape(1)
        drops = True
    else:
        dim, drops = dim % keys.dim(), places.dim() < keys.dim()
        places = places.unsqueeze(dim) if drops else places
    fixed = name in _FIRST or bool(given.get("stable"))
    return Order(
        source=args[0],
        keys=keys,
        dim=dim,
        places=places,
        open=not fixed,
        ranked=name in _RANKED,
        running=name in _RUNNING,
        unsorted=name == "topk" and given.get("sorted") is False,
        drops_dim=drops,
        gives_values=not alone,
    )


def completed(order: Order, got: torch.Tensor) -> torch.Tensor:
    """Return places with the reference's own where none are known (-1), each of a row's at most once where it ranks."""
    known = got >= 0
    places = torch.where(known, got, order.places)
    if not order.ranked or bool(known.all()):
        return places
    rows, mine, said = (
        t.movedim(order.dim, -1).reshape(-1, t.shape[order.dim]).clone()
        for t in (order.places, places, known)
    )
    twice = (mine.sort(-1).values.diff(dim=-1) == 0).any(-1)
    for r in twice.nonzero().flatten().tolist():
        taken = set(mine[r][said[r]].tolist())
        free = [p for p in rows[r].tolist() if p not in taken]
        hidden = (~said[r]).nonzero().flatten().tolist()
        left = [h for h in hidden if int(rows[r, h]) in taken]
        kept = {int(rows[r, h]) for h in hidden} - taken
        for h, p in zip(left, (p for p in free if p not in kept), strict=False):
            mine[r, h] = p
    moved = places.movedim(order.dim, -1)
    return mine.reshape(moved.shape).movedim(-1, order.dim)


def acceptable(order: Order, got: torch.Tensor, off: torch.Tensor | None) -> torch.Tensor:
    """Say which places are as good as the reference's; where elements are ranked, of a row all or none.

    `off` is what each key may be off; None: they are exact.
    """
    keys, mine, want = (t.movedim(order.dim, -1) for t in (order.keys, got, order.places))
    length = keys.shape[-1]
    good = (mine >= 0) & (mine < length)
    mine = mine.clamp(0, length - 1)
    here, there = keys.gather(-1, mine), keys.gather(-1, want)
    sure = torch.ones_like(good)
    room = None
    if off is not None:
        off = off.expand(order.source.shape).reshape(order.keys.shape).movedim(order.dim, -1)
        at = off.gather(-1, mine)
        room = at + off.gather(-1, want)
        sure = room == 0
        room = at + off.amax(-1, keepdim=True)
    if order.unsorted:
        here, there = here.sort(-1).values, there.sort(-1).values
    near = (here == there) | ((here != here) & (there != there))
    if not order.open:
        near &= ~sure | (mine == want)
    if room is not None:
        near |= ~sure & ((here.double() - there.double()).abs() <= room)
    good &= near
    if order.running:
        good &= mine <= torch.arange(length)
    if order.ranked:
        good &= (mine.sort(-1).values.diff(dim=-1) != 0).all(-1, keepdim=True)
        good = good.all(-1, keepdim=True).expand(good.shape)
    return good.movedim(-1, order.dim)
