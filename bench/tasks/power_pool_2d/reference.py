"""Square root of the sum of squares of each 2 x 2 block."""

from typing import Any

import torch

DOMAIN = (0.1, 30.0)


class Model(torch.nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return torch.nn.functional.lp_pool2d(x, 2.0, 2)


def normal(params: dict[str, Any], shape: list[int] | None = None) -> torch.Tensor:
    values = torch.randn(params["shape"] if shape is None else shape)
    return values.to(getattr(torch, params["dtype"]))


def get_inputs(params: dict[str, Any]) -> list[Any]:
    return [normal(params).abs() + 0.1]


def get_init_inputs(params: dict[str, Any]) -> list[Any]:
    return []
