"""Product of integers, scaled for each column."""

from typing import Any

import torch


class Model(torch.nn.Module):
    def forward(self, x: torch.Tensor, weight: torch.Tensor, scale: torch.Tensor) -> torch.Tensor:
        return (x.int() @ weight.int()).float() * scale


def places(low: int, high: int, shape: list[int], dtype: str = "int64") -> torch.Tensor:
    return torch.randint(low, high, shape, dtype=getattr(torch, dtype))


def get_inputs(params: dict[str, Any]) -> list[Any]:
    return [
        places(-128, 128, params["shape"], "int8"),
        places(-128, 128, [params["shape"][1], params["n"]], "int8"),
        torch.rand(params["n"]) * 0.001,
    ]


def get_init_inputs(params: dict[str, Any]) -> list[Any]:
    return []
