"""x / scale rounded to the nearest integer between -128 and 127."""

from typing import Any

import torch

DOMAIN = (-12.0, 12.0)


class Model(torch.nn.Module):
    def forward(self, x: torch.Tensor, scale: float) -> torch.Tensor:
        return torch.clamp(torch.round(x / scale), -128, 127).to(torch.int8)


def normal(params: dict[str, Any], shape: list[int] | None = None) -> torch.Tensor:
    values = torch.randn(params["shape"] if shape is None else shape)
    return values.to(getattr(torch, params["dtype"]))


def get_inputs(params: dict[str, Any]) -> list[Any]:
    return [normal(params), params["scale"]]


def get_init_inputs(params: dict[str, Any]) -> list[Any]:
    return []
