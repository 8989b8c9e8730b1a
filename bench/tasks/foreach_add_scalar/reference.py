"""A number added to every tensor of a list."""

from typing import Any

import torch


class Model(torch.nn.Module):
    def forward(self, x: list[torch.Tensor], alpha: float) -> list[torch.Tensor]:
        return [t + alpha for t in x]


def normal(params: dict[str, Any], shape: list[int] | None = None) -> torch.Tensor:
    values = torch.randn(params["shape"] if shape is None else shape)
    return values.to(getattr(torch, params["dtype"]))


def get_inputs(params: dict[str, Any]) -> list[Any]:
    return [[normal(params, [n, params["shape"][-1]]) for n in params["rows"]], params["alpha"]]


def get_init_inputs(params: dict[str, Any]) -> list[Any]:
    return []
