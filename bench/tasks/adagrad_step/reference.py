"""One step of Adagrad: the new weight and the new sum of squares."""

from typing import Any

import torch

DOMAIN = {"total": (0.1, 8.0)}


class Model(torch.nn.Module):
    def forward(
        self, weight: torch.Tensor, grad: torch.Tensor, total: torch.Tensor, rate: float
    ) -> tuple[torch.Tensor, torch.Tensor]:
        total = total + grad * grad
        return weight - rate * grad / (torch.sqrt(total) + 1e-10), total


def normal(params: dict[str, Any], shape: list[int] | None = None) -> torch.Tensor:
    values = torch.randn(params["shape"] if shape is None else shape)
    return values.to(getattr(torch, params["dtype"]))


def get_inputs(params: dict[str, Any]) -> list[Any]:
    return [normal(params), normal(params), normal(params).abs() + 0.1, params["rate"]]


def get_init_inputs(params: dict[str, Any]) -> list[Any]:
    return []
