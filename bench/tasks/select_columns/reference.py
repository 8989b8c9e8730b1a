"""Columns of a matrix that a list of numbers names."""

from typing import Any

import torch


class Model(torch.nn.Module):
    def forward(self, x: torch.Tensor, index: torch.Tensor) -> torch.Tensor:
        return torch.index_select(x, 1, index)


def normal(params: dict[str, Any], shape: list[int] | None = None) -> torch.Tensor:
    values = torch.randn(params["shape"] if shape is None else shape)
    return values.to(getattr(torch, params["dtype"]))


def places(low: int, high: int, shape: list[int], dtype: str = "int64") -> torch.Tensor:
    return torch.randint(low, high, shape, dtype=getattr(torch, dtype))


def get_inputs(params: dict[str, Any]) -> list[Any]:
    return [normal(params), places(0, params["shape"][1], [params["count"]])]


def get_init_inputs(params: dict[str, Any]) -> list[Any]:
    return []
