"""x without its fraction, as a 32-bit whole number."""

from typing import Any

import torch

DOMAIN = (-1000.0, 1000.0)


class Model(torch.nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x.to(torch.int32)


def normal(params: dict[str, Any], shape: list[int] | None = None) -> torch.Tensor:
    values = torch.randn(params["shape"] if shape is None else shape)
    return values.to(getattr(torch, params["dtype"]))


def get_inputs(params: dict[str, Any]) -> list[Any]:
    return [normal(params) * 100]


def get_init_inputs(params: dict[str, Any]) -> list[Any]:
    return []
