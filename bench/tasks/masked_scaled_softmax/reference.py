"""Attention-style softmax over the last axis of scale * x + mask, where mask is added."""

from typing import Any

import torch


class Model(torch.nn.Module):
    def forward(self, x: torch.Tensor, mask: torch.Tensor, scale: float) -> torch.Tensor:
        return torch.softmax(scale * x + mask, dim=-1)


def normal(params: dict[str, Any], shape: list[int] | None = None) -> torch.Tensor:
    values = torch.randn(params["shape"] if shape is None else shape)
    return values.to(getattr(torch, params["dtype"]))


def uniform(params: dict[str, Any], shape: list[int] | None = None) -> torch.Tensor:
    values = torch.rand(params["shape"] if shape is None else shape)
    return values.to(getattr(torch, params["dtype"]))


def get_inputs(params: dict[str, Any]) -> list[Any]:
    return [normal(params), -4.0 * uniform(params), params["scale"]]


def get_init_inputs(params: dict[str, Any]) -> list[Any]:
    return []
