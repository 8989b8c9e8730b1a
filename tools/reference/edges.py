"""Values at which formulas part that agree elsewhere: equal numbers, halves, thresholds, small rows, rows of zeros.

What is drawn from a continuous range meets none of them, and a kernel that has > in the place of >=, rounds halves
the other way, or leaves out what is added to a norm against division by zero would be right.
"""

from collections.abc import Sequence

import torch

from akgen.tools.reference.inputs import Domain, usual

_TIED = 1 / 16  # of the elements equal a neighbour, and as many another tensor's
_BINARY = 1 / 8  # of the elements are short binary fractions
_ZERO_ROWS = 1 / 16  # of the rows, where there are several
# of the indices along each axis, and so of whole rows and channels; fewer where there are many axes
_SMALL = 1 / 4
_SMALLEST = -26  # the power of two that they are smaller by at most
_SMALLEST_HALVES = -8
_MOST_PLACES = 6  # behind the point of a short binary fraction


def with_edges(
    values: Sequence[torch.Tensor],
    domains: Sequence[Domain | None],
    generator: torch.Generator,
    *,
    small_rows: bool = True,
) -> list[torch.Tensor]:
    """Put such values at random places. Those that lie far above the others stay as they are.

    Some elements equal their neighbour, and some those of an earlier tensor in the same place.
    """
    found: list[torch.Tensor] = []
    for value, domain in zip(values, domains, strict=True):
        made = value
        if value.is_floating_point() and value.dim() and value.shape[-1] > 1:
            share = torch.rand(value.shape, generator=generator)
            earlier = next((f for f in found if f.shape == value.shape and f.dtype == value.dtype), value)
            short = _short_fractions(value, generator)
            for other, places in (
                (short, (share > 0.5) & (share < 0.5 + _BINARY) & _inside(short, domain)),
                (value.roll(1, -1), share < _TIED),
                (earlier, (share > 1 - _TIED) & _inside(earlier, domain)),
            ):
                near = torch.maximum(other.abs(), made.abs()) <= usual(value.dtype)
                made = torch.where(places & near, other, made)
            if small_rows:
                smaller = made * _factors(value, generator).to(made.dtype)
                near = made.abs() <= usual(value.dtype)
                made = torch.where(_inside(smaller, domain) & near, smaller, made)
        found.append(made)
    return found


def _short_fractions(like: torch.Tensor, generator: torch.Generator) -> torch.Tensor:
    """Return odd multiples of powers of two, up to 15 of them: halves, and halves of short steps; small thresholds."""
    odd = 2 * torch.randint(-8, 8, like.shape, generator=generator) + 1
    places = torch.randint(-1, _MOST_PLACES + 1, like.shape, generator=generator)
    return torch.ldexp(odd.to(torch.float32), -places).to(like.dtype)


def _factors(like: torch.Tensor, generator: torch.Generator) -> torch.Tensor:
    """Return powers of two by which whole rows and channels are smaller than the others, and zero for a few rows."""
    product = torch.ones(like.shape)
    smallest = _SMALLEST if like.dtype in (torch.float32, torch.float64) else _SMALLEST_HALVES
    share = min(_SMALL, 1 - 0.5 ** (1 / max(1, like.dim())))  # half of the elements stay as they are
    for axis, size in enumerate(like.shape):
        power = torch.randint(smallest, 0, (size,), generator=generator)
        chosen = torch.rand(size, generator=generator) < share
        if size > 1:
            along = torch.where(chosen, torch.ldexp(torch.ones(size), power), 1.0)
            product *= along.reshape([-1 if d == axis else 1 for d in range(like.dim())])
    if like.dim() > 1:
        product *= torch.rand((*like.shape[:-1], 1), generator=generator) >= _ZERO_ROWS
    return product


def _inside(tensor: torch.Tensor, domain: Domain | None) -> torch.Tensor:
    if domain is None:
        return torch.ones_like(tensor, dtype=torch.bool)
    return (tensor >= domain[0]) & (tensor <= domain[1])
