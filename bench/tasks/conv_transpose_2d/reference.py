"""Transposed convolution with 2 x 2 kernels and stride 2."""

from typing import Any

import torch

DOMAIN = (-4.0, 4.0)


class Model(torch.nn.Module):
    def forward(self, x: torch.Tensor, weight: torch.Tensor) -> torch.Tensor:
        return torch.nn.functional.conv_transpose2d(x, weight, stride=2)


def normal(params: dict[str, Any], shape: list[int] | None = None) -> torch.Tensor:
    values = torch.randn(params["shape"] if shape is None else shape)
    return values.to(getattr(torch, params["dtype"]))


def get_inputs(params: dict[str, Any]) -> list[Any]:
    return [normal(params), normal(params, [params["shape"][1], params["out"], 2, 2])]


def get_init_inputs(params: dict[str, Any]) -> list[Any]:
    return []
