"""A number for each pair of rows: the first times a matrix times the second."""

from typing import Any

import torch

DOMAIN = (-3.0, 3.0)


class Model(torch.nn.Module):
    def forward(self, x: torch.Tensor, w: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        return ((x @ w) * y).sum(dim=-1)


def normal(params: dict[str, Any], shape: list[int] | None = None) -> torch.Tensor:
    values = torch.randn(params["shape"] if shape is None else shape)
    return values.to(getattr(torch, params["dtype"]))


def get_inputs(params: dict[str, Any]) -> list[Any]:
    return [normal(params), normal(params, [params["shape"][1], params["shape"][1]]), normal(params)]


def get_init_inputs(params: dict[str, Any]) -> list[Any]:
    return []
