"""A scaled tensor added to another: alpha * x + y, with alpha a number."""

from typing import Any

import torch

DOMAIN = (-4.0, 4.0)


class Model(torch.nn.Module):
    def forward(self, x: torch.Tensor, y: torch.Tensor, alpha: float) -> torch.Tensor:
        return alpha * x + y


def normal(params: dict[str, Any], shape: list[int] | None = None) -> torch.Tensor:
    values = torch.randn(params["shape"] if shape is None else shape)
    return values.to(getattr(torch, params["dtype"]))


def get_inputs(params: dict[str, Any]) -> list[Any]:
    return [normal(params), normal(params), params["alpha"]]


def get_init_inputs(params: dict[str, Any]) -> list[Any]:
    return []
