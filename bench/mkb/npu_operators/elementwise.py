"""Rotary embeddings, group norm with swish, the update of key and value caches; an optimizer's step, overlaps of boxes,
filtered logits.
"""

import math
from typing import Any

import torch


def npu_rotary_mul(input: Any, r1: Any, r2: Any, rotary_mode: str = "half") -> Any:
    """Rotate pairs of the last axis by cosines r1 and sines r2: its halves, or its neighbours (interleave)."""
    turned = _halves_turned(input) if rotary_mode == "half" else _neighbours_turned(input)
    return input * r1 + turned * r2


def npu_interleave_rope(x: Any, cos: Any, sin: Any) -> Any:
    """Gather even and odd elements of the last axis in halves, and rotate these."""
    gathered = _parted(x.float())
    return (gathered * cos.float() + _halves_turned(gathered) * sin.float()).to(x.dtype)


def npu_group_norm_swish(
    input: Any,
    num_groups: int,
    weight: Any,
    bias: Any,
    eps: float = 1e-5,
    swish_scale: float = 1.0,
) -> tuple[Any, Any, Any]:
    """Return x * sigmoid(scale * x) of the group norm x, with mean and reciprocal deviation of each group."""
    batch, channels = input.shape[:2]
    groups = input.float().reshape(batch, num_groups, -1)
    mean = groups.mean(-1)
    rstd = (groups.var(-1, unbiased=False) + eps).rsqrt()
    normal = ((groups - mean[..., None]) * rstd[..., None]).reshape(batch, channels, -1)
    if weight is not None:
        normal = normal * weight.float()[None, :, None]
    if bias is not None:
        normal = normal + bias.float()[None, :, None]
    out = (normal * torch.sigmoid(swish_scale * normal)).reshape(input.shape)
    return out.to(input.dtype), mean.to(input.dtype), rstd.to(input.dtype)


def npu_kv_rmsnorm_rope_cache(
    kv: Any,
    gamma: Any,
    cos: Any,
    sin: Any,
    index: Any,
    k_cache: Any,
    ckv_cache: Any,
    *,
    k_rope_scale: Any = None,
    c_kv_scale: Any = None,
    k_rope_offset: Any = None,
    c_kv_offset: Any = None,
    epsilon: float = 1e-5,
    cache_mode: str = "Norm",
    is_output_kv: bool = False,
) -> tuple[Any, ...]:
    """Return both caches with the new keys and values in them; with `is_output_kv`, these keys and values, too.

    Of the last axis of `kv`, the first part is RMS-normalised (values), the rest rotated (keys). Cache modes Norm, PA
    and PA_BNSD; of the others, which store fractal blocks, NotImplementedError.
    """
    if cache_mode not in ("Norm", "PA", "PA_BNSD") or c_kv_scale is not None or k_rope_scale is not None:
        raise NotImplementedError(f"npu_kv_rmsnorm_rope_cache with cache_mode {cache_mode} or scales")
    assert k_rope_offset is None and c_kv_offset is None
    width = gamma.shape[0]
    wide = kv.float()
    raw = wide[..., :width]
    values = raw * (raw.square().mean(-1, keepdim=True) + epsilon).rsqrt() * gamma.float()
    parted = _parted(wide[..., width:])
    keys = parted * cos.float() + _halves_turned(parted) * sin.float()
    places = index.long()
    caches = []
    for cache, new in ((k_cache, keys), (ckv_cache, values)):
        new = new.to(cache.dtype)
        if cache_mode == "Norm":
            rows = places.view(kv.shape[0], 1, -1, 1).expand(new.shape)
            caches.append(cache.scatter(2, rows, new))
        else:
            flat = cache.reshape(-1, cache.shape[-1])
            rows = places.reshape(-1, 1).expand(-1, cache.shape[-1])
            caches.append(flat.scatter(0, rows, new.reshape(-1, cache.shape[-1])).reshape(cache.shape))
    return (*caches, keys.to(kv.dtype), values.to(kv.dtype)) if is_output_kv else tuple(caches)


def _halves_turned(x: Any) -> Any:
    first, second = x.chunk(2, -1)
    return torch.cat((-second, first), -1)


def _neighbours_turned(x: Any) -> Any:
    return torch.stack((-x[..., 1::2], x[..., ::2]), -1).flatten(-2)


def _parted(x: Any) -> Any:
    return torch.cat((x[..., ::2], x[..., 1::2]), -1)


def npu_apply_adam(
    beta1_power: float,
    beta2_power: float,
    lr: float,
    beta1: float,
    beta2: float,
    epsilon: float,
    grad: Any,
    use_locking: bool,  # noqa: ARG001 (of the vendor's signature)
    use_nesterov: bool,
    *,
    out: tuple[Any, Any, Any],
) -> tuple[Any, Any, Any]:
    """Take one Adam step in place on `out`: the variable and its two moments."""
    var, m, v = out
    first = m.float() * beta1 + grad.float() * (1 - beta1)
    second = v.float() * beta2 + grad.float().square() * (1 - beta2)
    rate = lr * math.sqrt(1 - beta2_power) / (1 - beta1_power)
    direction = first * beta1 + grad.float() * (1 - beta1) if use_nesterov else first
    var.copy_(var.float() - rate * direction / (second.sqrt() + epsilon))
    m.copy_(first)
    v.copy_(second)
    return var, m, v


def npu_iou(bboxes: Any, gtboxes: Any, mode: int = 0) -> Any:
    """Return the overlap of each true box (rows) with each box, over their union, or over the true box (mode 1)."""
    boxes, truth = bboxes.float()[None], gtboxes.float()[:, None]
    low = torch.maximum(boxes[..., :2], truth[..., :2])
    high = torch.minimum(boxes[..., 2:], truth[..., 2:])
    inner = (high - low).clamp(min=0).prod(-1)
    area, true_area = ((b[..., 2:] - b[..., :2]).prod(-1) for b in (boxes, truth))
    whole = true_area.expand_as(inner) if mode == 1 else area + true_area - inner
    return (inner / whole).to(bboxes.dtype)


def npu_top_k_top_p(logits: Any, p: Any, k: Any) -> Any:
    """Keep of each row the k largest logits, and of these as few as hold the probability p; the others are -inf."""
    ordered, places = logits.sort(dim=-1, stable=True)
    smallest = ordered.gather(1, (logits.shape[1] - k.long())[:, None])
    kept = ordered.masked_fill(ordered < smallest, -math.inf)
    below = kept.float().softmax(-1).cumsum(-1) <= 1 - p.float()[:, None]
    below[:, -1] = False
    return torch.zeros_like(ordered).scatter(1, places, kept.masked_fill(below, -math.inf))
