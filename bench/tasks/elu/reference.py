"""Exponential linear unit: alpha * (exp(x) - 1) below zero, x above."""

from typing import Any

import torch


class Model(torch.nn.Module):
    def forward(self, x: torch.Tensor, alpha: float) -> torch.Tensor:
        return torch.nn.functional.elu(x, alpha)


def normal(params: dict[str, Any], shape: list[int] | None = None) -> torch.Tensor:
    values = torch.randn(params["shape"] if shape is None else shape)
    return values.to(getattr(torch, params["dtype"]))


def get_inputs(params: dict[str, Any]) -> list[Any]:
    return [normal(params), params["alpha"]]


def get_init_inputs(params: dict[str, Any]) -> list[Any]:
    return []
