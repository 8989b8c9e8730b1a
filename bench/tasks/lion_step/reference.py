"""One step of Lion: the new weight and the new momentum."""

from typing import Any

import torch


class Model(torch.nn.Module):
    def forward(
        self, weight: torch.Tensor, grad: torch.Tensor, momentum: torch.Tensor, rate: float
    ) -> tuple[torch.Tensor, torch.Tensor]:
        update = torch.sign(0.9 * momentum + 0.1 * grad)
        return weight * (1 - 0.01 * rate) - rate * update, 0.99 * momentum + 0.01 * grad


def normal(params: dict[str, Any], shape: list[int] | None = None) -> torch.Tensor:
    values = torch.randn(params["shape"] if shape is None else shape)
    return values.to(getattr(torch, params["dtype"]))


def get_inputs(params: dict[str, Any]) -> list[Any]:
    return [normal(params), normal(params), normal(params), params["rate"]]


def get_init_inputs(params: dict[str, Any]) -> list[Any]:
    return []
