"""Remainder of whole numbers with the sign of the divisor."""

from typing import Any

import torch

DOMAIN = {"x": (-1000, 1000), "y": (1, 16)}


class Model(torch.nn.Module):
    def forward(self, x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        return torch.remainder(x, y)


def places(low: int, high: int, shape: list[int], dtype: str = "int64") -> torch.Tensor:
    return torch.randint(low, high, shape, dtype=getattr(torch, dtype))


def get_inputs(params: dict[str, Any]) -> list[Any]:
    return [places(-1000, 1000, params["shape"], "int32"), places(1, 17, params["shape"], "int32")]


def get_init_inputs(params: dict[str, Any]) -> list[Any]:
    return []
