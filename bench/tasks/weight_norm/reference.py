"""Rows of a weight scaled to the length that a vector gives."""

from typing import Any

import torch

DOMAIN = (-30.0, 30.0)


class Model(torch.nn.Module):
    def forward(self, v: torch.Tensor, g: torch.Tensor) -> torch.Tensor:
        return v * (g / torch.sqrt(v.square().sum(dim=-1) + 1e-12))[:, None]


def normal(params: dict[str, Any], shape: list[int] | None = None) -> torch.Tensor:
    values = torch.randn(params["shape"] if shape is None else shape)
    return values.to(getattr(torch, params["dtype"]))


def get_inputs(params: dict[str, Any]) -> list[Any]:
    return [normal(params), normal(params, [params["shape"][0]])]


def get_init_inputs(params: dict[str, Any]) -> list[Any]:
    return []
