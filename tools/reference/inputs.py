"""Values for hidden inputs: several distributions, inside the domain where an operator is defined."""

import math
from collections.abc import Mapping
from typing import Any

import torch

from akgen.tools.core.outcome import InputError
from akgen.tools.core.task import Distribution

Domain = tuple[float, float]  # closed; infinite ends allowed

_NAMED: Mapping[str, Domain] = {
    "any": (-math.inf, math.inf),
    "positive": (1e-6, math.inf),
    "nonnegative": (0.0, math.inf),
    "unit": (0.0, 1.0),
    "open_unit": (1e-3, 1.0 - 1e-3),
}


def domain_of(hint: Any, name: str) -> Domain | None:
    """Read a module's DOMAIN for one argument: a name, a (low, high) pair, or a dict from argument names to those."""
    if isinstance(hint, dict):
        hint = hint.get(name)
    if hint is None:
        return None
    if isinstance(hint, str) and hint in _NAMED:
        return _NAMED[hint]
    if isinstance(hint, tuple | list) and len(hint) == 2 and float(hint[0]) <= float(hint[1]):
        return float(hint[0]), float(hint[1])
    raise InputError(
        f"DOMAIN holds {hint!r}, which is no domain.",
        "Use a (low, high) pair, one of " + ", ".join(_NAMED) + ", or a dict from argument names to those.",
    )


def observed(tensor: torch.Tensor) -> Domain | None:
    """Return the range of a tensor's finite values, for staying inside a domain that nobody wrote down."""
    finite = tensor[torch.isfinite(tensor)] if tensor.is_floating_point() else tensor
    if finite.numel() == 0:
        return None
    return float(finite.min()), float(finite.max())


def draw(
    like: torch.Tensor,
    distribution: Distribution,
    domain: Domain | None,
    generator: torch.Generator,
    *,
    reach: float = 0.0,
) -> torch.Tensor:
    """Return values of this distribution in the shape and dtype of `like`, a floating tensor, inside `domain`.

    "task" and anything that is not floating point is returned as it is. `reach` is how far up a few of the extreme
    values lie, as a share of the decades between the others and what the dtype holds.
    """
    if distribution == "task" or not like.is_floating_point() or like.numel() == 0:
        return like
    values = _FREE[distribution](like, generator)
    if distribution == "extreme" and reach > 0 and (domain is None or math.inf in (-domain[0], domain[1])):
        values = _with_far(values, like.dtype, reach, generator)
    if domain is not None:
        values = _confine(values, domain)
    return values.to(like.dtype)


def spoil(tensor: torch.Tensor, generator: torch.Generator) -> torch.Tensor:
    """Put a NaN and both infinities at random places; for operators that define them."""
    if not tensor.is_floating_point() or tensor.numel() < 4:
        return tensor
    flat = tensor.clone().reshape(-1)
    places = torch.randint(0, flat.numel(), (3,), generator=generator)
    flat[places] = torch.tensor([math.inf, -math.inf, math.nan], dtype=flat.dtype)
    return flat.reshape(tensor.shape)


def perturb(tensor: torch.Tensor, generator: torch.Generator, *, keep_sign: bool) -> torch.Tensor:
    """Move a parameter or buffer away from its initial value, which is often one or zero and so proves nothing.

    `keep_sign` scales instead of shifting: a running variance stays positive. Rows of a buffer that are in order, such
    as the bounds of bins, stay in order.
    """
    if not tensor.is_floating_point() or tensor.numel() == 0:
        return tensor
    base = tensor.detach().to(torch.float64)
    size = float(base.square().mean().sqrt())
    if keep_sign and size > 0:
        factor = 0.75 + 0.5 * torch.rand(base.shape, generator=generator, dtype=torch.float64)
        moved = base * factor
        for falling, ordered in ((False, base.sort(-1)[0]), (True, base.sort(-1, descending=True)[0])):
            if not torch.equal(base, base.flatten()[0].expand(base.shape)) and torch.equal(base, ordered):
                moved = moved.sort(-1, descending=falling)[0]
                break
        return moved.to(tensor.dtype)
    noise = torch.randn(base.shape, generator=generator, dtype=torch.float64)
    return (base + 0.25 * (size if size > 0 else 1.0) * noise).to(tensor.dtype)


def _normal(like: torch.Tensor, generator: torch.Generator) -> torch.Tensor:
    return 2 * torch.randn(like.shape, generator=generator) * _weights(like.shape, (0.4, 0.8), generator)


def _weights(
    shape: torch.Size, lightest: tuple[float, float], generator: torch.Generator
) -> torch.Tensor | float:
    """Return factors of at most one that give no half of any axis the weight of the other: a multiplicative cascade.

    For each bit of an index, one of its two values weighs less, by a factor from the range `lightest`. So a mean over
    every second element, over one half or over some tiles is another than the mean over all, however many there are.
    """
    low, high = lightest
    product: torch.Tensor | float = 1.0
    for axis, size in enumerate(shape):
        places, along = torch.arange(size), torch.ones(size)
        for bit in range((size - 1).bit_length()):
            factor = low + (high - low) * float(torch.rand((), generator=generator))
            light = int(torch.randint(0, 2, (), generator=generator))
            along *= torch.where((places >> bit) % 2 == light, factor, 1.0)
        product = product * (along / along.amax()).reshape(
            [-1 if d == axis else 1 for d in range(len(shape))]
        )
    return product


def _uniform(like: torch.Tensor, generator: torch.Generator) -> torch.Tensor:
    return torch.rand(like.shape, generator=generator) * 4 - 2


def _constant(like: torch.Tensor, generator: torch.Generator) -> torch.Tensor:
    # A quarter's multiple, so that sums of it are exact and a variance of zero is zero.
    step = int(torch.randint(1, 9, (1,), generator=generator))
    sign = -1 if int(torch.randint(0, 2, (1,), generator=generator)) else 1
    return torch.full(like.shape, sign * step / 4)


def _sparse(like: torch.Tensor, generator: torch.Generator) -> torch.Tensor:
    kept = torch.rand(like.shape, generator=generator) < 0.1
    return torch.where(kept, torch.randn(like.shape, generator=generator), 0.0)


def _extreme(like: torch.Tensor, generator: torch.Generator) -> torch.Tensor:
    """Magnitudes over several decades, both signs, one per cent denormal numbers and one per cent zeros.

    The largest stay below the square root of what the dtype holds, so that squares do not overflow by themselves; a few
    may lie above (`_with_far`).
    In half precision, whose tolerance is wide, some parts of each axis are larger than others, as in `_normal`.
    """
    half = like.dtype not in (torch.float32, torch.float64)
    low, high = _decades(like.dtype)
    size = 10 ** (low + (high - low) * torch.rand(like.shape, generator=generator))
    if half:
        size = size * _weights(like.shape, (0.6, 0.9), generator)
    sign = 1 - 2 * torch.randint(0, 2, like.shape, generator=generator)
    kind = torch.rand(like.shape, generator=generator)
    denormal = torch.finfo(like.dtype).tiny / 4
    size = torch.where(kind < 0.01, torch.full_like(size, denormal), size)
    return sign * torch.where(kind > 0.99, torch.zeros_like(size), size)


def usual(dtype: torch.dtype) -> float:
    """Return the largest of extreme values, but for the few that lie far above."""
    return float(10 ** _decades(dtype)[1])


def _decades(dtype: torch.dtype) -> tuple[float, float]:
    """Return the decades that extreme values span, but for the few that lie far above."""
    return (-6.0, 3.0) if dtype in (torch.float32, torch.float64) else (-4.0, 1.5)


def _with_far(
    values: torch.Tensor, dtype: torch.dtype, reach: float, generator: torch.Generator
) -> torch.Tensor:
    """Let up to eight elements lie far above the others: few, since one decides over a sum that it is a term of.

    Single precision up to 1e6, one time in four up to 1e18, whose square is a number still; bfloat16 from what half
    precision holds on as well. Of halves one element reaches 6e4 and the others stay so small that their sum does not
    overflow in any order.
    """
    flat = values.clone().reshape(-1)
    if flat.numel() < 4:
        return values
    far = torch.randperm(flat.numel(), generator=generator)[: min(8, max(2, flat.numel() // 64))]
    single = dtype in (torch.float32, torch.float64)
    low, high = (3.0, 6.0) if single else (1.5, math.log10(6e4))
    if dtype != torch.float16 and float(torch.rand((), generator=generator)) < 0.25:
        high = 18.0
    power = low + reach * (high - low) * torch.rand(far.shape, generator=generator)
    if dtype == torch.float16:
        power[1:] = low + reach * torch.rand(len(far) - 1, generator=generator)
    power[0] = low + reach * (high - low) * (0.75 + 0.25 * float(torch.rand((), generator=generator)))
    first = int(torch.randint(0, 2, (), generator=generator))
    flat[far] = (1.0 - 2.0 * ((torch.arange(len(far)) + first) % 2)) * 10**power
    return flat.reshape(values.shape)


_FREE = {
    "normal": _normal,
    "uniform": _uniform,
    "constant": _constant,
    "sparse": _sparse,
    "extreme": _extreme,
}


def _confine(values: torch.Tensor, domain: Domain) -> torch.Tensor:
    low, high = domain
    if math.isinf(low) and math.isinf(high):
        return values
    if math.isinf(high):
        return low + (values - low).abs()
    if math.isinf(low):
        return high - (values - high).abs()
    if values.numel() and float(values.min()) >= low and float(values.max()) <= high:
        return values
    # Fold by a triangle wave: distinct values stay distinct, and no mass gathers at the ends.
    span = high - low
    if span == 0:
        return torch.full_like(values, low)
    phase = torch.remainder(values - low, 2 * span)
    return low + torch.where(phase > span, 2 * span - phase, phase)
