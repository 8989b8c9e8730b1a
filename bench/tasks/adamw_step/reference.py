"""A step of Adam with decoupled weight decay and the bias corrections given as numbers."""

from typing import Any

import torch

DOMAIN = {"weight": (-16.0, 16.0), "grad": (-16.0, 16.0), "first": (-16.0, 16.0), "second": (0.0, 64.0)}


class Model(torch.nn.Module):
    def forward(
        self,
        weight: torch.Tensor,
        grad: torch.Tensor,
        first: torch.Tensor,
        second: torch.Tensor,
        lr: float,
        beta1: float,
        beta2: float,
        eps: float,
        decay: float,
        correction1: float,
        correction2: float,
    ) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        # Half precision cannot hold the square of a small gradient: compute in float32 and round once, at the end.
        given, precision = weight.dtype, torch.promote_types(weight.dtype, torch.float32)
        weight, grad, first, second = (t.to(precision) for t in (weight, grad, first, second))
        first = beta1 * first + (1.0 - beta1) * grad
        second = beta2 * second + (1.0 - beta2) * grad * grad
        update = (first / correction1) / (torch.sqrt(second / correction2) + eps)
        weight = weight - lr * (update + decay * weight)
        return weight.to(given), first.to(given), second.to(given)


def normal(params: dict[str, Any], shape: list[int] | None = None) -> torch.Tensor:
    values = torch.randn(params["shape"] if shape is None else shape)
    return values.to(getattr(torch, params["dtype"]))


def uniform(params: dict[str, Any], shape: list[int] | None = None) -> torch.Tensor:
    values = torch.rand(params["shape"] if shape is None else shape)
    return values.to(getattr(torch, params["dtype"]))


def get_inputs(params: dict[str, Any]) -> list[Any]:
    return [
        normal(params),
        normal(params),
        normal(params),
        uniform(params),
        params["lr"],
        params["beta1"],
        params["beta2"],
        params["eps"],
        params["decay"],
        params["correction1"],
        params["correction2"],
    ]


def get_init_inputs(params: dict[str, Any]) -> list[Any]:
    return []
