"""Gradient of layer normalisation with respect to its input, over the last axis."""

from typing import Any

import torch

DOMAIN = (-4.0, 4.0)


class Model(torch.nn.Module):
    def forward(self, grad: torch.Tensor, x: torch.Tensor, weight: torch.Tensor) -> torch.Tensor:
        centred = x - x.mean(dim=-1, keepdim=True)
        scale = torch.rsqrt((centred * centred).mean(dim=-1, keepdim=True) + 1e-5)
        normed = centred * scale
        inner = grad * weight
        mean = inner.mean(dim=-1, keepdim=True)
        along = (inner * normed).mean(dim=-1, keepdim=True)
        return (inner - mean - normed * along) * scale


def normal(params: dict[str, Any], shape: list[int] | None = None) -> torch.Tensor:
    values = torch.randn(params["shape"] if shape is None else shape)
    return values.to(getattr(torch, params["dtype"]))


def get_inputs(params: dict[str, Any]) -> list[Any]:
    return [normal(params), normal(params), normal(params, params["shape"][-1:])]


def get_init_inputs(params: dict[str, Any]) -> list[Any]:
    return []
