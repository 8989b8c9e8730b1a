"""Gradient of RMS norm with a weight, for its input."""

from typing import Any

import torch

DOMAIN = (-30.0, 30.0)


class Model(torch.nn.Module):
    def forward(self, grad: torch.Tensor, x: torch.Tensor, weight: torch.Tensor) -> torch.Tensor:
        inverse = torch.rsqrt(x.square().mean(dim=-1, keepdim=True) + 1e-6)
        scaled = grad * weight
        return inverse * (scaled - x * inverse.square() * (scaled * x).mean(dim=-1, keepdim=True))


def normal(params: dict[str, Any], shape: list[int] | None = None) -> torch.Tensor:
    values = torch.randn(params["shape"] if shape is None else shape)
    return values.to(getattr(torch, params["dtype"]))


def get_inputs(params: dict[str, Any]) -> list[Any]:
    return [normal(params), normal(params), normal(params, [params["shape"][1]])]


def get_init_inputs(params: dict[str, Any]) -> list[Any]:
    return []
