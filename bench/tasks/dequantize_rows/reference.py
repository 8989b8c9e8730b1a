"""Integers times the scale of their row."""

from typing import Any

import torch


class Model(torch.nn.Module):
    def forward(self, x: torch.Tensor, scale: torch.Tensor) -> torch.Tensor:
        return x.float() * scale[:, None]


def places(low: int, high: int, shape: list[int], dtype: str = "int64") -> torch.Tensor:
    return torch.randint(low, high, shape, dtype=getattr(torch, dtype))


def get_inputs(params: dict[str, Any]) -> list[Any]:
    return [places(-128, 128, params["shape"], "int8"), torch.rand(params["shape"][0]) + 0.5]


def get_init_inputs(params: dict[str, Any]) -> list[Any]:
    return []
