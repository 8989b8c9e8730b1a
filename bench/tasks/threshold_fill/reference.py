"""Elements above a threshold stay; the others are replaced by a fill value."""

from typing import Any

import torch


class Model(torch.nn.Module):
    def forward(self, x: torch.Tensor, threshold: float, fill: float) -> torch.Tensor:
        return torch.where(x > threshold, x, torch.full_like(x, fill))


def normal(params: dict[str, Any], shape: list[int] | None = None) -> torch.Tensor:
    values = torch.randn(params["shape"] if shape is None else shape)
    return values.to(getattr(torch, params["dtype"]))


def get_inputs(params: dict[str, Any]) -> list[Any]:
    return [normal(params), params["threshold"], params["fill"]]


def get_init_inputs(params: dict[str, Any]) -> list[Any]:
    return []
