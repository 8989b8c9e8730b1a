"""Depthwise convolution along time with the last four values only."""

from typing import Any

import torch

DOMAIN = (-8.0, 8.0)


class Model(torch.nn.Module):
    def forward(self, x: torch.Tensor, weight: torch.Tensor) -> torch.Tensor:
        return torch.nn.functional.conv1d(torch.nn.functional.pad(x, (3, 0)), weight, groups=x.shape[1])


def normal(params: dict[str, Any], shape: list[int] | None = None) -> torch.Tensor:
    values = torch.randn(params["shape"] if shape is None else shape)
    return values.to(getattr(torch, params["dtype"]))


def get_inputs(params: dict[str, Any]) -> list[Any]:
    return [normal(params), normal(params, [params["shape"][1], 1, 4])]


def get_init_inputs(params: dict[str, Any]) -> list[Any]:
    return []
