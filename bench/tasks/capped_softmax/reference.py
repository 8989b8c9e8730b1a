"""Softmax of scores that a hyperbolic tangent keeps within a cap."""

from typing import Any

import torch


class Model(torch.nn.Module):
    def forward(self, x: torch.Tensor, cap: float) -> torch.Tensor:
        return torch.softmax(cap * torch.tanh(x / cap), dim=-1)


def normal(params: dict[str, Any], shape: list[int] | None = None) -> torch.Tensor:
    values = torch.randn(params["shape"] if shape is None else shape)
    return values.to(getattr(torch, params["dtype"]))


def get_inputs(params: dict[str, Any]) -> list[Any]:
    return [normal(params), params["cap"]]


def get_init_inputs(params: dict[str, Any]) -> list[Any]:
    return []
