"""GELU of a product, plus a residual."""

from typing import Any

import torch

DOMAIN = (-3.0, 3.0)


class Model(torch.nn.Module):
    def forward(self, x: torch.Tensor, w: torch.Tensor, residual: torch.Tensor) -> torch.Tensor:
        return torch.nn.functional.gelu(x @ w, approximate="tanh") + residual


def normal(params: dict[str, Any], shape: list[int] | None = None) -> torch.Tensor:
    values = torch.randn(params["shape"] if shape is None else shape)
    return values.to(getattr(torch, params["dtype"]))


def get_inputs(params: dict[str, Any]) -> list[Any]:
    return [
        normal(params),
        normal(params, [params["shape"][1], params["out"]]),
        normal(params, [params["shape"][0], params["out"]]),
    ]


def get_init_inputs(params: dict[str, Any]) -> list[Any]:
    return []
