"""Operators that PyTorch gives no formula for, or one that hides what they do, written in those that it has.

While a reference is recorded, they are called in place of the operators. What a formula does not serve, it gives back
as NotImplemented: the operator is recorded as it is.
"""

import math
from collections.abc import Callable
from typing import Any

import torch
from torch.utils._python_dispatch import _disable_current_modes

from akgen.tools.compose.front.record_foreach import foreach_formulas
from akgen.tools.compose.front.record_linalg import linalg_formulas

aten = torch.ops.aten
_MIDDLES = ("sum", "mean", "max")  # how a bag of embeddings is put together, by number


def with_own_formulas(known: dict[Any, Callable[..., Any]]) -> dict[Any, Callable[..., Any]]:
    """Return formulas with those of this file; a roll stays one, of which PyTorch would make indices."""
    kept = {f: rule for f, rule in known.items() if f is not aten.roll.default}
    return kept | foreach_formulas() | linalg_formulas() | _FORMULAS


def _cdist(a: torch.Tensor, b: torch.Tensor, p: float, compute_mode: int | None) -> torch.Tensor:
    del compute_mode
    return torch.linalg.vector_norm(a.unsqueeze(-2) - b.unsqueeze(-3), p, dim=-1)


def _full_like(x: torch.Tensor, value: float, *, dtype: torch.dtype | None = None, **_: Any) -> Any:
    """Return a tensor of one number that has nothing of `x` but its shape."""
    return torch.full(x.shape, value, dtype=dtype or x.dtype) if x.is_contiguous() else NotImplemented


def _log_cumulative_sum(x: torch.Tensor, dim: int) -> torch.Tensor:
    """Sum over all elements up to each one, with its own maximum: nothing is lost where neighbours differ by much."""
    if not x.dim():
        return x.clone()
    y = x.movedim(dim, -1)
    place = torch.arange(y.shape[-1])
    upto = place.unsqueeze(0) <= place.unsqueeze(1)
    return torch.where(upto, y.unsqueeze(-2), -math.inf).logsumexp(-1).movedim(-1, dim)


def _bag(
    weight: torch.Tensor,
    indices: torch.Tensor,
    offsets: torch.Tensor,
    scale_grad_by_freq: bool = False,
    mode: int = 0,
    sparse: bool = False,
    per_sample_weights: torch.Tensor | None = None,
    include_last_offset: bool = False,
    padding_idx: int = -1,
) -> Any:
    """Return the sums, means or maxima of rows; of the other three results nothing is asked."""
    del scale_grad_by_freq, sparse
    bags, count = offsets.shape[0] - include_last_offset, indices.shape[0]
    rows = aten.embedding(weight, indices)
    if per_sample_weights is not None:
        rows = rows * per_sample_weights.unsqueeze(-1)
    known = getattr(offsets, "known", None)
    with _disable_current_modes():  # these are numbers, not calls
        places = None if known is None else known().tolist()[:bags]
    each = count // bags if bags and count % bags == 0 else 0
    kept = (indices != padding_idx).unsqueeze(-1) if padding_idx >= 0 else None
    if places is not None and each and places == list(range(0, count, each)):
        rows = rows.view(bags, each, -1)
        kept = None if kept is None else kept.view(bags, each, 1)
        if _MIDDLES[mode] == "max":
            if kept is not None:
                return NotImplemented
            found = rows.amax(1)
        else:
            found = (rows if kept is None else rows * kept).sum(1)
            sizes: Any = each if kept is None else kept.sum(1).clamp(min=1)
            found = found / sizes if _MIDDLES[mode] == "mean" else found
    else:
        if _MIDDLES[mode] == "max":
            return NotImplemented
        starts = offsets[:bags].unsqueeze(0) <= torch.arange(count).unsqueeze(1)
        bag = starts.sum(1) - 1
        ones = rows.new_ones(count) if kept is None else kept.squeeze(-1).to(rows.dtype)
        rows = rows if kept is None else rows * kept
        found = rows.new_zeros((bags, rows.shape[-1])).index_add(0, bag, rows)
        if _MIDDLES[mode] == "mean":
            found = found / rows.new_zeros(bags).index_add(0, bag, ones).clamp(min=1).unsqueeze(-1)
    return found, offsets, offsets, offsets


def _added_batches(
    x: torch.Tensor, a: torch.Tensor, b: torch.Tensor, beta: Any = 1, alpha: Any = 1
) -> torch.Tensor:
    return torch.addmm(
        x, a.transpose(0, 1).reshape(a.shape[1], -1), b.reshape(-1, b.shape[-1]), beta=beta, alpha=alpha
    )


def _angle(x: torch.Tensor) -> Any:
    if x.is_complex():
        return torch.atan2(x.imag, x.real)
    x = x if x.is_floating_point() else x.float()
    return torch.where(x < 0, math.pi, torch.where(torch.isnan(x), x, 0.0))


def _masked_scatter(x: torch.Tensor, mask: torch.Tensor, source: torch.Tensor) -> torch.Tensor:
    """Take the next element of the source wherever the mask holds."""
    shape = torch.broadcast_shapes(x.shape, mask.shape)
    x, mask = x.expand(shape), mask.expand(shape)
    place = (mask.reshape(-1).to(torch.int32).cumsum(0) - 1).clamp(0, source.numel() - 1)
    return torch.where(mask, source.reshape(-1)[place].view(shape), x)


def _put_where(x: torch.Tensor, indices: Any, values: torch.Tensor, accumulate: bool = False) -> Any:
    """Put the next of the values wherever a mask holds."""
    axes = [a for a, i in enumerate(indices) if i is not None]
    mask = indices[axes[0]]
    if len(axes) > 1 or mask.dtype != torch.bool or values.numel() == 1:
        return NotImplemented
    follow = x.dim() - axes[0] - mask.dim()
    at = values.dim() - follow - 1
    if at >= 0:
        place = (mask.reshape(-1).to(torch.int32).cumsum(0) - 1).clamp(0, values.shape[at] - 1)
        inner = [1] * mask.dim()
        if values.shape[at] != 1:
            values, inner = values.index_select(at, place), list(mask.shape)
        values = values.reshape(*values.shape[:at], *inner, *values.shape[at + 1 :])
    return torch.where(mask.reshape(*mask.shape, *[1] * follow), x + values if accumulate else values, x)


def _as_strided(x: torch.Tensor, size: Any, stride: Any, storage_offset: int | None = None) -> Any:
    """Pick elements by sums of positions, where the tensor lies in memory as it is seen."""
    if not x.is_contiguous() or x.storage_offset():
        return NotImplemented
    if tuple(size) == tuple(x.shape) and tuple(stride) == x.stride() and not storage_offset:
        return x.clone()
    place = torch.zeros((), dtype=torch.int32)
    for axis, (length, step) in enumerate(zip(size, stride, strict=True)):
        along = torch.arange(length, dtype=torch.int32).view(-1, *[1] * (len(size) - axis - 1))
        place = place + along * step
    return torch.take(x, (place + (storage_offset or 0)).expand(tuple(size)))


def _as_strided_scatter(
    x: torch.Tensor, source: torch.Tensor, size: Any, stride: Any, storage_offset: int | None = None
) -> Any:
    """Put elements where a walk along one axis leads, as along a diagonal."""
    walked = [(n, s) for n, s in zip(size, stride, strict=True) if n != 1]
    if not x.is_contiguous() or x.storage_offset() or len(walked) != 1 or walked[0][1] < 1:
        return NotImplemented
    (count, step), first = walked[0], storage_offset or 0
    last = first + step * (count - 1)
    return torch.slice_scatter(x.reshape(-1), source.reshape(-1), 0, first, last + 1, step).view(x.shape)


def _diagonal_scatter(
    x: torch.Tensor, source: torch.Tensor, offset: int = 0, dim1: int = 0, dim2: int = 1
) -> torch.Tensor:
    """Spread the diagonal along the rows that it crosses, and take it where row and column meet."""
    y = x.movedim((dim1, dim2), (-2, -1))
    rows, columns = y.shape[-2:]
    hit = torch.arange(columns) - torch.arange(rows).unsqueeze(1) == offset
    above = max(0, -offset)
    wide = torch.nn.functional.pad(source, (above, rows - above - source.shape[-1])).unsqueeze(-1)
    return torch.where(hit, wide, y).movedim((-2, -1), (dim1, dim2))


def _fake_quantised(x: torch.Tensor, scale: Any, zero: Any, low: int, high: int) -> Any:
    """Round to the integers of a quantised type and back; beside it, where nothing was cut off."""
    places = torch.round(x * (1.0 / scale)) + zero
    return (places.clamp(low, high) - zero) * scale, (places >= low) & (places <= high)


def _fake_quantised_channels(
    x: torch.Tensor, scale: torch.Tensor, zero: torch.Tensor, axis: int, low: int, high: int
) -> Any:
    wide = [-1 if a == axis % x.dim() else 1 for a in range(x.dim())]
    return _fake_quantised(x, scale.view(wide), zero.view(wide), low, high)


def _fake_quantised_tensor(
    x: torch.Tensor, scale: torch.Tensor, zero: torch.Tensor, enabled: torch.Tensor, low: int, high: int
) -> Any:
    found, kept = _fake_quantised(x, scale, zero, low, high)
    return torch.where(enabled != 0, found, x), kept


_FIRST = {"prod": 1.0, "amax": -math.inf, "amin": math.inf}


def _scatter_reduce(
    x: torch.Tensor,
    dim: int,
    index: torch.Tensor,
    source: torch.Tensor,
    reduce: str,
    *,
    include_self: bool = True,
) -> Any:
    """Return means as quotients, and put what leaves all as it is where only the source counts."""
    if include_self and reduce != "mean":
        return NotImplemented
    if not include_self and not x.is_floating_point() and reduce in ("amax", "amin"):
        return NotImplemented
    base = x if include_self else x.scatter(dim, index, _FIRST.get(reduce, 0.0))
    if reduce != "mean":
        return base.scatter_reduce(dim, index, source, reduce)
    sums = base.scatter_add(dim, index, source)
    ones = torch.ones_like(x)
    if not include_self:
        ones = ones.scatter(dim, index, 0)
    counts = ones.scatter_add(dim, index, torch.ones_like(source)).clamp(min=1)
    return sums / counts if x.is_floating_point() else torch.div(sums, counts, rounding_mode="floor")


def _index_reduce(
    x: torch.Tensor,
    dim: int,
    index: torch.Tensor,
    source: torch.Tensor,
    reduce: str,
    *,
    include_self: bool = True,
) -> torch.Tensor:
    wide = [1] * source.dim()
    wide[dim] = -1
    places = index.reshape(wide).expand(source.shape)
    return x.scatter_reduce(dim, places, source, reduce, include_self=include_self)


def _narrowed(
    scatter: Callable[..., torch.Tensor], x: torch.Tensor, dim: int, index: torch.Tensor
) -> torch.Tensor | None:
    """Scatter into the rows that indices stand for, where there are more."""
    for axis, (have, want) in enumerate(zip(x.shape, index.shape, strict=True)):
        if axis != dim % x.dim() and want < have:
            part = x.narrow(axis, 0, want)
            return torch.slice_scatter(x, scatter(part), axis, 0, want)
    return None


def _scatter(x: torch.Tensor, dim: int, index: torch.Tensor, source: Any) -> Any:
    """Scatter into the rows alone that indices stand for."""
    if not x.dim():
        return NotImplemented
    found = _narrowed(lambda part: part.scatter(dim, index, source), x, dim, index)
    return NotImplemented if found is None else found


def _scatter_add(x: torch.Tensor, dim: int, index: torch.Tensor, source: torch.Tensor) -> Any:
    found = _narrowed(lambda part: part.scatter_add(dim, index, source), x, dim, index) if x.dim() else None
    return NotImplemented if found is None else found


_FORMULAS: dict[Any, Callable[..., Any]] = {
    aten._cdist_forward.default: _cdist,
    aten.logcumsumexp.default: _log_cumulative_sum,
    aten._embedding_bag.default: _bag,
    aten._embedding_bag_forward_only.default: _bag,
    aten.addbmm.default: _added_batches,
    aten.angle.default: _angle,
    aten.masked_scatter.default: _masked_scatter,
    aten.index_put.default: _put_where,
    aten.as_strided.default: _as_strided,
    aten.as_strided_scatter.default: _as_strided_scatter,
    aten.diagonal_scatter.default: _diagonal_scatter,
    aten.fake_quantize_per_channel_affine_cachemask.default: _fake_quantised_channels,
    aten.fake_quantize_per_tensor_affine_cachemask.default: _fake_quantised,
    aten._fake_quantize_per_tensor_affine_cachemask_tensor_qparams.default: _fake_quantised_tensor,
    aten.index_reduce.default: _index_reduce,
    aten.scatter_reduce.two: _scatter_reduce,
    aten.scatter.src: _scatter,
    aten.scatter.value: _scatter,
    aten.scatter_add.default: _scatter_add,
    aten.addmv.default: lambda x, a, v, beta=1, alpha=1: beta * x + alpha * torch.mv(a, v),
    aten.full_like.default: _full_like,
    aten.dist.default: lambda x, y, p=2: torch.linalg.vector_norm(x - y, p),
    aten.ldexp.Tensor: lambda x, y: x * torch.exp2(y),
    aten.signbit.default: lambda x: x < 0,
}
