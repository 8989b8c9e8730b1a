"""A step of gradient descent with momentum; the new weights and the new momentum are returned."""

from typing import Any

import torch

DOMAIN = (-4.0, 4.0)


class Model(torch.nn.Module):
    def forward(
        self,
        weight: torch.Tensor,
        grad: torch.Tensor,
        velocity: torch.Tensor,
        lr: float,
        momentum: float,
    ) -> tuple[torch.Tensor, torch.Tensor]:
        velocity = momentum * velocity + grad
        return weight - lr * velocity, velocity


def normal(params: dict[str, Any], shape: list[int] | None = None) -> torch.Tensor:
    values = torch.randn(params["shape"] if shape is None else shape)
    return values.to(getattr(torch, params["dtype"]))


def get_inputs(params: dict[str, Any]) -> list[Any]:
    return [normal(params), normal(params), normal(params), params["lr"], params["momentum"]]


def get_init_inputs(params: dict[str, Any]) -> list[Any]:
    return []
