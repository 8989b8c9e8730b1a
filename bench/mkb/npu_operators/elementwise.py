"""Optimizer step, overlaps of boxes, filtered logits."""

import math
from typing import Any

import torch


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
