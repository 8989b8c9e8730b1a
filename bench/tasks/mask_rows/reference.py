"""Rows that a mask names set to a value."""

from typing import Any

import torch


class Model(torch.nn.Module):
    def forward(self, x: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        return torch.where(mask[:, None], x, torch.full_like(x, -1.5))


def normal(params: dict[str, Any], shape: list[int] | None = None) -> torch.Tensor:
    values = torch.randn(params["shape"] if shape is None else shape)
    return values.to(getattr(torch, params["dtype"]))


def get_inputs(params: dict[str, Any]) -> list[Any]:
    return [normal(params), torch.rand(params["shape"][0]) < 0.6]


def get_init_inputs(params: dict[str, Any]) -> list[Any]:
    return []
