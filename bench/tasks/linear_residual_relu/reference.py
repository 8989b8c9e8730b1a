"""A linear layer added to what a residual brings, no less than zero."""

from typing import Any

import torch

DOMAIN = (-4.0, 4.0)


class Model(torch.nn.Module):
    def forward(self, x: torch.Tensor, weight: torch.Tensor, residual: torch.Tensor) -> torch.Tensor:
        return torch.relu(torch.nn.functional.linear(x, weight) + residual)


def normal(params: dict[str, Any], shape: list[int] | None = None) -> torch.Tensor:
    values = torch.randn(params["shape"] if shape is None else shape)
    return values.to(getattr(torch, params["dtype"]))


def get_inputs(params: dict[str, Any]) -> list[Any]:
    return [
        normal(params),
        normal(params, [params["n"], params["shape"][1]]),
        normal(params, [params["shape"][0], params["n"]]),
    ]


def get_init_inputs(params: dict[str, Any]) -> list[Any]:
    return []
