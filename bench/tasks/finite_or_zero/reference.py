"""x where it is finite, else zero."""

from typing import Any

import torch


class Model(torch.nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return torch.where(torch.isfinite(x), x, torch.zeros_like(x))


def normal(params: dict[str, Any], shape: list[int] | None = None) -> torch.Tensor:
    values = torch.randn(params["shape"] if shape is None else shape)
    return values.to(getattr(torch, params["dtype"]))


def get_inputs(params: dict[str, Any]) -> list[Any]:
    return [
        torch.where(torch.rand(params["shape"]) < 0.1, float("inf"), 1.0).to(getattr(torch, params["dtype"]))
        * normal(params)
    ]


def get_init_inputs(params: dict[str, Any]) -> list[Any]:
    return []
