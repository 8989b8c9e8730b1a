"""Gradient of 2 x 2 average pooling with respect to its input."""

from typing import Any

import torch


class Model(torch.nn.Module):
    def forward(self, grad: torch.Tensor) -> torch.Tensor:
        spread = torch.repeat_interleave(torch.repeat_interleave(grad, 2, dim=2), 2, dim=3)
        return spread / 4


def normal(params: dict[str, Any], shape: list[int] | None = None) -> torch.Tensor:
    values = torch.randn(params["shape"] if shape is None else shape)
    return values.to(getattr(torch, params["dtype"]))


def get_inputs(params: dict[str, Any]) -> list[Any]:
    return [normal(params)]


def get_init_inputs(params: dict[str, Any]) -> list[Any]:
    return []
