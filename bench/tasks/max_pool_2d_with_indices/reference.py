"""Largest value of each 2 x 2 window and its place in the image."""

from typing import Any

import torch


class Model(torch.nn.Module):
    def forward(self, x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        values, places = torch.nn.functional.max_pool2d(x, 2, return_indices=True)
        return values, places


def normal(params: dict[str, Any], shape: list[int] | None = None) -> torch.Tensor:
    values = torch.randn(params["shape"] if shape is None else shape)
    return values.to(getattr(torch, params["dtype"]))


def get_inputs(params: dict[str, Any]) -> list[Any]:
    return [normal(params)]


def get_init_inputs(params: dict[str, Any]) -> list[Any]:
    return []
