"""What composed operations are made of, in the steps that a kernel's author writes them in."""

import math
from collections.abc import Callable, Sequence
from typing import Any

import torch

LARGEST = 600.0  # whose exponential float64 holds


def _layer_norm(
    x: torch.Tensor, shape: Sequence[int], weight: torch.Tensor | None, bias: torch.Tensor | None, eps: float
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    axes = list(range(x.dim() - len(shape), x.dim()))
    mean = torch.mean(x, axes, keepdim=True)
    deviation = torch.sqrt(torch.mean((x - mean) ** 2, axes, keepdim=True) + eps)
    y = (x - mean) / deviation
    y = y if weight is None else y * weight
    return (y if bias is None else y + bias), mean, deviation


def _batch_norm(
    x: torch.Tensor,
    weight: torch.Tensor | None,
    bias: torch.Tensor | None,
    mean: torch.Tensor,
    variance: torch.Tensor,
    *rest: Any,
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    shape = [1, -1] + [1] * (x.dim() - 2)
    y = (x - mean.view(shape)) / torch.sqrt(variance.view(shape) + rest[-1])
    y = y if weight is None else y * weight.view(shape)
    return (y if bias is None else y + bias.view(shape)), mean, variance


def _batch_norm_flagged(
    x: torch.Tensor,
    weight: torch.Tensor | None,
    bias: torch.Tensor | None,
    mean: torch.Tensor | None,
    variance: torch.Tensor | None,
    training: bool,
    momentum: float,
    eps: float,
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor] | None:
    if training or mean is None or variance is None:
        return None
    return _batch_norm(x, weight, bias, mean, variance, momentum, eps)


def _group_norm(
    x: torch.Tensor,
    weight: torch.Tensor | None,
    bias: torch.Tensor | None,
    n: int,
    channels: int,
    _size: int,
    groups: int,
    eps: float,
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    grouped = x.reshape(n, groups, -1)
    mean = torch.mean(grouped, [2], keepdim=True)
    deviation = torch.sqrt(torch.mean((grouped - mean) ** 2, [2], keepdim=True) + eps)
    y = ((grouped - mean) / deviation).reshape(x.shape)
    shape = [1, channels] + [1] * (x.dim() - 2)
    y = y if weight is None else y * weight.view(shape)
    return (y if bias is None else y + bias.view(shape)), mean, deviation


def _log_softmax(x: torch.Tensor, axis: int, _half: bool) -> torch.Tensor:
    shifted = x - torch.amax(x, axis, keepdim=True)
    return shifted - torch.log(torch.sum(torch.exp(shifted), axis, keepdim=True))


def _softmax(x: torch.Tensor, axis: int, _half: bool) -> torch.Tensor:
    # One reduction where the numbers allow it: another axis is then another axis throughout.
    shifted = x if float(x.abs().amax()) < LARGEST else x - torch.amax(x, axis, keepdim=True)
    exponentials = torch.exp(shifted)
    return exponentials / torch.sum(exponentials, axis, keepdim=True)


def _addmm(
    bias: torch.Tensor, left: torch.Tensor, right: torch.Tensor, *, beta: float = 1, alpha: float = 1
) -> torch.Tensor:
    product = torch.mm(left, right)
    return (product if alpha == 1 else product * alpha) + (bias if beta == 1 else bias * beta)


def _baddbmm(
    bias: torch.Tensor, left: torch.Tensor, right: torch.Tensor, *, beta: float = 1, alpha: float = 1
) -> torch.Tensor:
    product = torch.bmm(left, right)
    return (product if alpha == 1 else product * alpha) + (bias if beta == 1 else bias * beta)


def _gelu(x: torch.Tensor, *, approximate: str = "none") -> torch.Tensor:
    if approximate == "tanh":
        return 0.5 * x * (1 + torch.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x * x * x)))
    return 0.5 * x * (1 + torch.erf(x * math.sqrt(0.5)))


def _std(
    x: torch.Tensor, axes: Any = None, *, correction: float | None = None, keepdim: bool = False
) -> torch.Tensor:
    return torch.sqrt(torch.var(x, axes, correction=correction, keepdim=keepdim))


def _attention(
    query: torch.Tensor,
    key: torch.Tensor,
    value: torch.Tensor,
    _dropout: float = 0.0,
    causal: bool = False,
    **more: Any,
) -> tuple[torch.Tensor, None] | None:
    if more.get("attn_mask") is not None:
        return None
    scale = more.get("scale") or 1 / math.sqrt(query.shape[-1])
    scores = torch.matmul(query, key.transpose(-1, -2)) * scale
    if causal:
        hidden = torch.ones(scores.shape[-2:], dtype=torch.bool).triu(1)
        scores = torch.where(hidden, -math.inf, scores)
    return torch.matmul(torch.softmax(scores, -1), value), None


DECOMPOSED: dict[str, Callable[..., Any]] = {
    "native_layer_norm": _layer_norm,
    "native_group_norm": _group_norm,
    "native_batch_norm": _batch_norm_flagged,
    "_native_batch_norm_legit_no_training": _batch_norm,
    "_softmax": _softmax,
    "_log_softmax": _log_softmax,
    "addmm": _addmm,
    "baddbmm": _baddbmm,
    "gelu": _gelu,
    "silu": lambda x: x * torch.sigmoid(x),
    "leaky_relu": lambda x, slope=0.01: torch.where(x > 0, x, x * slope),
    "std": _std,
    "_scaled_dot_product_flash_attention_for_cpu": _attention,
}
