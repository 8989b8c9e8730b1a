"""Running sum along the last axis over the elements that a mask keeps."""

from typing import Any

import torch


class Model(torch.nn.Module):
    def forward(self, x: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        return torch.cumsum(torch.where(mask, x, 0.0), dim=-1)


def normal(params: dict[str, Any], shape: list[int] | None = None) -> torch.Tensor:
    values = torch.randn(params["shape"] if shape is None else shape)
    return values.to(getattr(torch, params["dtype"]))


def get_inputs(params: dict[str, Any]) -> list[Any]:
    return [normal(params), torch.rand(params["shape"]) < 0.7]


def get_init_inputs(params: dict[str, Any]) -> list[Any]:
    return []
