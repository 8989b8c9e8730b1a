"""Square roots of the tensors of a list."""

from typing import Any

import torch

DOMAIN = (0.0, 1000.0)


class Model(torch.nn.Module):
    def forward(self, x: list[torch.Tensor]) -> list[torch.Tensor]:
        return [torch.sqrt(t) for t in x]


def normal(params: dict[str, Any], shape: list[int] | None = None) -> torch.Tensor:
    values = torch.randn(params["shape"] if shape is None else shape)
    return values.to(getattr(torch, params["dtype"]))


def get_inputs(params: dict[str, Any]) -> list[Any]:
    return [[normal(params, [n, params["shape"][-1]]).abs() for n in params["rows"]]]


def get_init_inputs(params: dict[str, Any]) -> list[Any]:
    return []
