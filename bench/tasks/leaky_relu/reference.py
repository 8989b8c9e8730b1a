"""Leaky rectifier: negative elements are multiplied by a small slope."""

from typing import Any

import torch


class Model(torch.nn.Module):
    def forward(self, x: torch.Tensor, negative_slope: float) -> torch.Tensor:
        return torch.nn.functional.leaky_relu(x, negative_slope)


def normal(params: dict[str, Any], shape: list[int] | None = None) -> torch.Tensor:
    values = torch.randn(params["shape"] if shape is None else shape)
    return values.to(getattr(torch, params["dtype"]))


def get_inputs(params: dict[str, Any]) -> list[Any]:
    return [normal(params), params["negative_slope"]]


def get_init_inputs(params: dict[str, Any]) -> list[Any]:
    return []
