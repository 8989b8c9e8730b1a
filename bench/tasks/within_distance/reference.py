"""Boolean tensor: where two tensors are at most `distance` apart."""

from typing import Any

import torch


class Model(torch.nn.Module):
    def forward(self, x: torch.Tensor, y: torch.Tensor, distance: float) -> torch.Tensor:
        return torch.abs(x - y) <= distance


def normal(params: dict[str, Any], shape: list[int] | None = None) -> torch.Tensor:
    values = torch.randn(params["shape"] if shape is None else shape)
    return values.to(getattr(torch, params["dtype"]))


def get_inputs(params: dict[str, Any]) -> list[Any]:
    return [normal(params), normal(params), params["distance"]]


def get_init_inputs(params: dict[str, Any]) -> list[Any]:
    return []
