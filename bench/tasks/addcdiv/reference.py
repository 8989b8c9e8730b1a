"""x plus a share of the quotient of two others."""

from typing import Any

import torch

DOMAIN = {"b": (1.0, 8.0)}


class Model(torch.nn.Module):
    def forward(self, x: torch.Tensor, a: torch.Tensor, b: torch.Tensor, value: float) -> torch.Tensor:
        return torch.addcdiv(x, a, b, value=value)


def normal(params: dict[str, Any], shape: list[int] | None = None) -> torch.Tensor:
    values = torch.randn(params["shape"] if shape is None else shape)
    return values.to(getattr(torch, params["dtype"]))


def get_inputs(params: dict[str, Any]) -> list[Any]:
    return [normal(params), normal(params), 1.0 + normal(params).abs(), params["value"]]


def get_init_inputs(params: dict[str, Any]) -> list[Any]:
    return []
