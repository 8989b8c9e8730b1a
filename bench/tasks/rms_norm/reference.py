"""Division by the root mean square over the last axis, times a weight."""

from typing import Any

import torch


class Model(torch.nn.Module):
    def forward(self, x: torch.Tensor, weight: torch.Tensor, eps: float) -> torch.Tensor:
        return x * torch.rsqrt((x * x).mean(dim=-1, keepdim=True) + eps) * weight


def normal(params: dict[str, Any], shape: list[int] | None = None) -> torch.Tensor:
    values = torch.randn(params["shape"] if shape is None else shape)
    return values.to(getattr(torch, params["dtype"]))


def get_inputs(params: dict[str, Any]) -> list[Any]:
    return [normal(params), normal(params, params["shape"][-1:]), params["eps"]]


def get_init_inputs(params: dict[str, Any]) -> list[Any]:
    return []
