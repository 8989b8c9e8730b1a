"""Mean over a grid of 3 x 5 windows, which differ in size where the image does not divide evenly."""

from typing import Any

import torch


class Model(torch.nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return torch.nn.functional.adaptive_avg_pool2d(x, (3, 5))


def normal(params: dict[str, Any], shape: list[int] | None = None) -> torch.Tensor:
    values = torch.randn(params["shape"] if shape is None else shape)
    return values.to(getattr(torch, params["dtype"]))


def get_inputs(params: dict[str, Any]) -> list[Any]:
    return [normal(params)]


def get_init_inputs(params: dict[str, Any]) -> list[Any]:
    return []
