"""How much nearer than a margin the negative is than the positive, at least zero, row by row."""

from typing import Any

import torch

DOMAIN = (-30.0, 30.0)


class Model(torch.nn.Module):
    def forward(
        self, anchor: torch.Tensor, positive: torch.Tensor, negative: torch.Tensor, margin: float
    ) -> torch.Tensor:
        near = torch.sqrt((anchor - positive).square().sum(dim=-1) + 1e-6)
        far = torch.sqrt((anchor - negative).square().sum(dim=-1) + 1e-6)
        return torch.relu(near - far + margin)


def normal(params: dict[str, Any], shape: list[int] | None = None) -> torch.Tensor:
    values = torch.randn(params["shape"] if shape is None else shape)
    return values.to(getattr(torch, params["dtype"]))


def get_inputs(params: dict[str, Any]) -> list[Any]:
    return [normal(params), normal(params), normal(params), params["margin"]]


def get_init_inputs(params: dict[str, Any]) -> list[Any]:
    return []
