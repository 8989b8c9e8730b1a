"""Each row in falling order, and where each element stood."""

from typing import Any

import torch


class Model(torch.nn.Module):
    def forward(self, x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        values, places = torch.sort(x, dim=-1, descending=True, stable=True)
        return values, places


def normal(params: dict[str, Any], shape: list[int] | None = None) -> torch.Tensor:
    values = torch.randn(params["shape"] if shape is None else shape)
    return values.to(getattr(torch, params["dtype"]))


def get_inputs(params: dict[str, Any]) -> list[Any]:
    return [normal(params)]


def get_init_inputs(params: dict[str, Any]) -> list[Any]:
    return []
