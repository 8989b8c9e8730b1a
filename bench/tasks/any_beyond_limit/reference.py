"""Whether any element of a row lies beyond a limit."""

from typing import Any

import torch


class Model(torch.nn.Module):
    def forward(self, x: torch.Tensor, limit: float) -> torch.Tensor:
        return (x.abs() > limit).any(dim=-1)


def normal(params: dict[str, Any], shape: list[int] | None = None) -> torch.Tensor:
    values = torch.randn(params["shape"] if shape is None else shape)
    return values.to(getattr(torch, params["dtype"]))


def get_inputs(params: dict[str, Any]) -> list[Any]:
    return [normal(params), params["limit"]]


def get_init_inputs(params: dict[str, Any]) -> list[Any]:
    return []
