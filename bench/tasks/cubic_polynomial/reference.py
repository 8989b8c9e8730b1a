"""A polynomial of third degree in every element: 0.5x^3 - 1.25x^2 + 2x - 0.75."""

from typing import Any

import torch


class Model(torch.nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return ((0.5 * x - 1.25) * x + 2.0) * x - 0.75


def normal(params: dict[str, Any], shape: list[int] | None = None) -> torch.Tensor:
    values = torch.randn(params["shape"] if shape is None else shape)
    return values.to(getattr(torch, params["dtype"]))


def get_inputs(params: dict[str, Any]) -> list[Any]:
    return [normal(params)]


def get_init_inputs(params: dict[str, Any]) -> list[Any]:
    return []
