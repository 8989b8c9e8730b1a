"""A step of RMSprop; returns the new weights and the running mean of squared gradients."""

from typing import Any

import torch

DOMAIN = {"weight": (-16.0, 16.0), "grad": (-16.0, 16.0), "square": (0.0, 64.0)}


class Model(torch.nn.Module):
    def forward(
        self,
        weight: torch.Tensor,
        grad: torch.Tensor,
        square: torch.Tensor,
        lr: float,
        rho: float,
        eps: float,
    ) -> tuple[torch.Tensor, torch.Tensor]:
        square = rho * square + (1.0 - rho) * grad * grad
        return weight - lr * grad / (torch.sqrt(square) + eps), square


def normal(params: dict[str, Any], shape: list[int] | None = None) -> torch.Tensor:
    values = torch.randn(params["shape"] if shape is None else shape)
    return values.to(getattr(torch, params["dtype"]))


def uniform(params: dict[str, Any], shape: list[int] | None = None) -> torch.Tensor:
    values = torch.rand(params["shape"] if shape is None else shape)
    return values.to(getattr(torch, params["dtype"]))


def get_inputs(params: dict[str, Any]) -> list[Any]:
    return [normal(params), normal(params), uniform(params), params["lr"], params["rho"], params["eps"]]


def get_init_inputs(params: dict[str, Any]) -> list[Any]:
    return []
