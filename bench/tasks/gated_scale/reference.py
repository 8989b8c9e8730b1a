"""Rows weighted by a gate of their own: sigmoid(gate)[row] * x + shift[column]."""

from typing import Any

import torch

DOMAIN = (-4.0, 4.0)


class Model(torch.nn.Module):
    def forward(self, x: torch.Tensor, gate: torch.Tensor, shift: torch.Tensor) -> torch.Tensor:
        return torch.sigmoid(gate)[:, None] * x + shift


def normal(params: dict[str, Any], shape: list[int] | None = None) -> torch.Tensor:
    values = torch.randn(params["shape"] if shape is None else shape)
    return values.to(getattr(torch, params["dtype"]))


def get_inputs(params: dict[str, Any]) -> list[Any]:
    return [normal(params), normal(params, params["shape"][:1]), normal(params, params["shape"][1:])]


def get_init_inputs(params: dict[str, Any]) -> list[Any]:
    return []
