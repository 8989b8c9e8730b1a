"""The rounding error of resizing and of sampling by a grid: places are rounded, and values change with the place.

A place in the source, some pixels from its first, is off by a few roundings of its own size; the result by that times
its slope, which the range of the source around the place bounds. Where a place is rounded across a whole number other
neighbours are taken, with the same result: the sum is continuous. Nearest neighbours are not, and have no bound.
"""

import math
from typing import Any

import torch
import torch.nn.functional as F

from akgen.tools.reference.rounding.errors import SPREAD, Errors, NoBound, Run, Step, rule, single

_ROUNDINGS = 3  # of a place: the scale, the product, the offset
_POOLS = {1: F.max_pool1d, 2: F.max_pool2d, 3: F.max_pool3d}
_REACH = {"linear": 2, "cubic": 3}  # pixels around a place that its neighbours lie in, rounded as it may be
_SLOPE = {"linear": 1.0, "cubic": 2.1}  # of the result, in ranges of the source per pixel
_GAIN = {"linear": 1.0, "cubic": 1.9}  # the largest sum of the weights' sizes, in two dimensions


@rule("upsample_linear1d", "upsample_bilinear2d", "upsample_trilinear3d", "upsample_bicubic2d")
def _resized(run: Run, step: Step) -> list[Errors | None]:
    x, kind = step.args[0], "cubic" if "cubic" in step.name else "linear"
    out = step.out.shape[2:]

    def there(values: torch.Tensor) -> torch.Tensor:
        return F.interpolate(values, size=tuple(out))

    squares = [(n - 1) ** 2 * _ROUNDINGS for n in x.shape[2:]]
    return [_off(run, x, kind, torch.full((), float(sum(squares))), there, outside=False)]


@rule("grid_sampler_2d", "grid_sampler_3d", "_grid_sampler_2d_cpu_fallback")
def _sampled(run: Run, step: Step) -> list[Errors | None]:
    x, grid, mode, _, corners = step.args[:5]
    if mode == 1:
        raise NoBound
    kind, places = "cubic" if mode == 2 else "linear", single(grid)
    errors = run.errors(grid)
    square = torch.zeros(())
    for k, n in enumerate(reversed(x.shape[2:])):
        half = (n - 1 if corners else n) / 2
        square = square + _ROUNDINGS * ((places[..., k].abs() + 1) * half) ** 2
        if errors is not None:
            square = square + errors.square[..., k] * half**2
            if errors.common is not None:
                square = square + (errors.common[..., k] * half / SPREAD) ** 2

    def there(values: torch.Tensor) -> torch.Tensor:
        return F.grid_sample(values, places, mode="nearest", padding_mode="border", align_corners=corners)

    return [_off(run, x, kind, square.unsqueeze(1), there, outside=True)]


def _off(run: Run, x: torch.Tensor, kind: str, place: torch.Tensor, there: Any, *, outside: bool) -> Errors:
    """Return the result's errors where places are off by the root of `place` pixels; `there` picks at these.

    With `outside`, zeros may lie around the source.
    """
    source = single(x)
    high, low = _greatest(source, kind), -_greatest(-source, kind)
    if outside:
        high, low = high.clamp_min(0.0), low.clamp_max(0.0)
    extent = torch.maximum(high.abs(), low.abs())
    terms = math.log2(4.0 if kind == "linear" else 16.0) + 2
    square = (_SLOPE[kind] * there(high - low)) ** 2 * place + terms * (_GAIN[kind] * there(extent)) ** 2
    errors = run.errors(x)
    if errors is None:
        return Errors(square, None)
    handed = errors.map(lambda e: there(_greatest(e.contiguous(), kind)) * _GAIN[kind] ** 2)
    return Errors(square + handed.square, handed.common)


def _greatest(x: torch.Tensor, kind: str) -> torch.Tensor:
    """Return the greatest value around each pixel."""
    reach, count = _REACH[kind], x.dim() - 2
    found: torch.Tensor = _POOLS[count](x, 2 * reach + 1, stride=1, padding=reach)
    return found
