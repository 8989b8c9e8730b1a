"""Mean Huber loss: quadratic for differences up to delta, linear beyond."""

from typing import Any

import torch


class Model(torch.nn.Module):
    def forward(self, prediction: torch.Tensor, target: torch.Tensor, delta: float) -> torch.Tensor:
        return torch.nn.functional.huber_loss(prediction, target, delta=delta)


def normal(params: dict[str, Any], shape: list[int] | None = None) -> torch.Tensor:
    values = torch.randn(params["shape"] if shape is None else shape)
    return values.to(getattr(torch, params["dtype"]))


def get_inputs(params: dict[str, Any]) -> list[Any]:
    return [normal(params), normal(params), params["delta"]]


def get_init_inputs(params: dict[str, Any]) -> list[Any]:
    return []
