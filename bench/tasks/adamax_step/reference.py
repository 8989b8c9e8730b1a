"""One step of Adamax: weight, mean of gradients and largest magnitude."""

from typing import Any

import torch

DOMAIN = {"largest": (0.1, 8.0), "mean": (-8.0, 8.0)}


class Model(torch.nn.Module):
    def forward(
        self, weight: torch.Tensor, grad: torch.Tensor, mean: torch.Tensor, largest: torch.Tensor, rate: float
    ) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        mean = 0.9 * mean + 0.1 * grad
        largest = torch.maximum(0.999 * largest, grad.abs() + 1e-8)
        return weight - rate * mean / largest, mean, largest


def normal(params: dict[str, Any], shape: list[int] | None = None) -> torch.Tensor:
    values = torch.randn(params["shape"] if shape is None else shape)
    return values.to(getattr(torch, params["dtype"]))


def get_inputs(params: dict[str, Any]) -> list[Any]:
    return [normal(params), normal(params), normal(params), normal(params).abs() + 0.1, params["rate"]]


def get_init_inputs(params: dict[str, Any]) -> list[Any]:
    return []
