"""Natural logarithm of one plus every element, for input above zero."""

from typing import Any

import torch

DOMAIN = (0.01, 50.0)


class Model(torch.nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return torch.log1p(x)


def positive(params: dict[str, Any]) -> torch.Tensor:
    values = 0.05 + 4.0 * torch.rand(params["shape"])
    return values.to(getattr(torch, params["dtype"]))


def get_inputs(params: dict[str, Any]) -> list[Any]:
    return [positive(params)]


def get_init_inputs(params: dict[str, Any]) -> list[Any]:
    return []
