"""The errors of operations that move elements, or pick some: they move the errors, and round nothing.

Resizing and sampling by a grid round places, and values change with the place. A place in the source, some pixels from
its first, is off by a few roundings of its own size; the result by that times its slope, which the range of the source
around the place bounds. Where a place is rounded across a whole number other neighbours are taken, with the same
result: the sum is continuous. Nearest neighbours are not, and have no bound.
"""

import math
from typing import Any

import torch
import torch.nn.functional as F
from torch.utils._pytree import tree_leaves, tree_map

from akgen.tools.reference.rounding.errors import (
    SPREAD,
    Errors,
    NoBound,
    Run,
    Step,
    joined,
    replayed,
    rule,
    single,
    tensors,
)
from akgen.tools.reference.rounding.places import chosen, near_ties, selectors

_FILLING = {"constant_pad_nd": 2, "masked_fill": 2, "fill": 1, "index_fill": 3}
_ROUNDINGS = 3  # of a place: the scale, the product, the offset
_POOLS = {1: F.max_pool1d, 2: F.max_pool2d, 3: F.max_pool3d}
_REACH = {"linear": 2, "cubic": 3}  # pixels around a place that its neighbours lie in, rounded as it may be
_SLOPE = {"linear": 1.0, "cubic": 2.1}  # of the result, in ranges of the source per pixel
_GAIN = {"linear": 1.0, "cubic": 1.9}  # the largest sum of the weights' sizes, in two dimensions


def _part(value: Any, run: Run, common: bool) -> Any:
    """Return one kind of a tensor's errors in its place, zeros where it is exact."""
    if not isinstance(value, torch.Tensor) or value.is_complex():
        return value
    errors = run.errors(value)
    part = None if errors is None else errors.common if common else errors.square
    return torch.zeros(value.shape) if part is None else part


@rule(
    "clone", "contiguous", "cat", "stack", "index", "gather", "index_select", "embedding", "flip", "roll", "repeat",
    "constant_pad_nd", "masked_fill", "where", "tril", "triu", "im2col", "slice_scatter", "select_scatter",
    "diagonal_scatter", "as_strided_scatter", "masked_select", "take", "index_put", "scatter", "copy", "fill", "zero",
    "channel_shuffle", "pixel_shuffle", "pixel_unshuffle", "reflection_pad1d", "reflection_pad2d", "replication_pad1d",
    "replication_pad2d", "replication_pad3d", "masked_scatter", "diag_embed", "rot90", "unfold_copy", "index_copy",
    "upsample_nearest1d", "upsample_nearest2d", "repeat_interleave", "_unsafe_index", "_unsafe_masked_index",
    "index_fill", "_reshape_copy", "expand_copy", "view_copy", "permute_copy", "narrow_copy", "slice_copy",
)  # fmt: skip
def _moved(run: Run, step: Step) -> list[Errors | None]:
    found = [e for e in map(run.errors, step.read) if e is not None]
    if not found:
        return [None] * len(step.outputs)
    picking = {id(t) for t in tree_leaves(selectors(step))}

    def parts(values: Any, common: bool) -> Any:
        return tree_map(lambda a: a if id(a) in picking else _part(a, run, common), values)

    filled = _FILLING.get(step.name)  # the value that is filled in is exact
    args = tuple(0 if i == filled and not isinstance(a, torch.Tensor) else a for i, a in enumerate(step.args))
    kwargs = {k: v for k, v in step.kwargs.items() if k != "dtype"}
    move = step.func
    if move._schema.is_mutable:
        move = getattr(getattr(torch.ops.aten, step.name), move._overloadname)
    square = tensors(move(*parts(args, False), **parts(kwargs, False)))
    if all(e.common is None for e in found):
        return [chosen(run, step, Errors(s, None)) for s in square]
    common = tensors(move(*parts(args, True), **parts(kwargs, True)))
    return [chosen(run, step, Errors(s, c)) for s, c in zip(square, common, strict=True)]


@rule("zeros_like", "ones_like", "full_like", "empty_like", "rand_like", "randn_like", "lift_fresh")
@rule("new_zeros", "new_ones", "new_full", "new_empty", "new_empty_strided")
def _made(_: Run, step: Step) -> list[Errors | None]:
    """What only takes its form from a tensor is exact."""
    return [None] * len(step.outputs)


@rule("topk", "sort", "cummax", "cummin", "max", "min", "kthvalue", "median")
def _picked(run: Run, step: Step) -> list[Errors | None]:
    errors, found = run.errors(step.args[0]), step.outputs
    if errors is None:
        return [None] * len(found)
    if len(found) == 1:
        return _largest(run, step)
    dim, places = step.named.get("dim", -1), found[1]
    lost = places.dim() < step.args[0].dim()
    places = places.unsqueeze(dim) if lost else places
    picked = errors.map(lambda e: e.gather(dim, places))
    ties = None if step.name.startswith("cum") else near_ties(run, step.args[0], places, dim)
    if not lost:
        return [picked, ties]
    return [e if e is None else e.map(lambda e: e.squeeze(dim)) for e in (picked, ties)]


@rule("amax", "amin")
def _largest(run: Run, step: Step) -> list[Errors | None]:
    value = step.args[0]
    errors = run.errors(value)
    if errors is None:
        return [None]
    dims, keep = step.reduced()
    there = value == step.out.reshape([1 if i in dims else n for i, n in enumerate(value.shape)])
    return [errors.map(lambda e: (e * there).amax(dims, keepdim=keep))]


@rule("scatter_reduce")
def _gathered_up(run: Run, step: Step) -> list[Errors | None]:
    how = step.named
    base, dim, index, source, reduce = (how[k] for k in ("self", "dim", "index", "src", "reduce"))
    with_base = how.get("include_self", True)
    if reduce in ("sum", "mean"):
        ones = torch.ones_like(source, dtype=base.dtype)
        count = torch.full_like(base, float(with_base)).scatter_add(dim, index, ones).clamp(min=1.0)

        def steps(base: torch.Tensor, source: torch.Tensor) -> torch.Tensor:
            start = base if with_base else base.scatter(dim, index, 0.0)
            summed = start.scatter_add(dim, index, source)
            return summed if reduce == "sum" else summed / count

        return replayed(run, steps, (base, source), {})
    if reduce not in ("amax", "amin"):
        raise NoBound
    found = joined(run.errors(source), run.errors(base))
    if found is None:
        return [None]

    def picked(common: bool) -> torch.Tensor:
        mine, others = (_part(t, run, common) for t in (base, source))
        mine = mine * (base == step.out)
        return mine.scatter_reduce(dim, index, others * (source == step.out.gather(dim, index)), "amax")

    return [Errors(picked(False), None if found.common is None else picked(True))]


@rule("max_pool2d_with_indices", "max_pool3d_with_indices", "adaptive_max_pool2d")
def _pooled(run: Run, step: Step) -> list[Errors | None]:
    errors = run.errors(step.args[0])
    if errors is None:
        return [None, None]
    places = step.out[1]
    inner = 3 if "3d" in step.name else 2
    flat = places.flatten(-inner)
    return [errors.map(lambda e: e.flatten(-inner).gather(-1, flat).reshape(places.shape)), None]


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
