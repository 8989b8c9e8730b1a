"""Mean of max(0, margin - x * y), y a signed label."""

from typing import Any

import torch

DOMAIN = (-16.0, 16.0)


class Model(torch.nn.Module):
    def forward(self, x: torch.Tensor, label: torch.Tensor, margin: float) -> torch.Tensor:
        return torch.relu(margin - x * label).mean()


def normal(params: dict[str, Any], shape: list[int] | None = None) -> torch.Tensor:
    values = torch.randn(params["shape"] if shape is None else shape)
    return values.to(getattr(torch, params["dtype"]))


def uniform(params: dict[str, Any], shape: list[int] | None = None) -> torch.Tensor:
    values = torch.rand(params["shape"] if shape is None else shape)
    return values.to(getattr(torch, params["dtype"]))


def get_inputs(params: dict[str, Any]) -> list[Any]:
    return [
        normal(params),
        torch.where(uniform(params) > 0.5, 1.0, -1.0).to(getattr(torch, params["dtype"])),
        params["margin"],
    ]


def get_init_inputs(params: dict[str, Any]) -> list[Any]:
    return []
