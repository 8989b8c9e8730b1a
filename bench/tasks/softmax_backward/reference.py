"""Gradient of softmax with respect to its input, from its output."""

from typing import Any

import torch

DOMAIN = {"grad": (-4.0, 4.0), "y": (0.0, 1.0)}


class Model(torch.nn.Module):
    def forward(self, grad: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        return y * (grad - (grad * y).sum(dim=-1, keepdim=True))


def normal(params: dict[str, Any], shape: list[int] | None = None) -> torch.Tensor:
    values = torch.randn(params["shape"] if shape is None else shape)
    return values.to(getattr(torch, params["dtype"]))


def get_inputs(params: dict[str, Any]) -> list[Any]:
    return [normal(params), torch.softmax(normal(params).float(), dim=-1).to(getattr(torch, params["dtype"]))]


def get_init_inputs(params: dict[str, Any]) -> list[Any]:
    return []
