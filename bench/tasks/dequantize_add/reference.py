"""Whole numbers of 8 bits times a scale of each column, plus a bias."""

from typing import Any

import torch

DOMAIN = {"x": (-128, 127), "scale": (0.01, 1.0), "bias": (-3.0, 3.0)}


class Model(torch.nn.Module):
    def forward(self, x: torch.Tensor, scale: torch.Tensor, bias: torch.Tensor) -> torch.Tensor:
        return x.to(torch.float32) * scale + bias


def places(low: int, high: int, shape: list[int], dtype: str = "int64") -> torch.Tensor:
    return torch.randint(low, high, shape, dtype=getattr(torch, dtype))


def get_inputs(params: dict[str, Any]) -> list[Any]:
    return [
        places(-128, 128, params["shape"], "int8"),
        torch.rand(params["shape"][1]) + 0.01,
        torch.randn(params["shape"][1]),
    ]


def get_init_inputs(params: dict[str, Any]) -> list[Any]:
    return []
