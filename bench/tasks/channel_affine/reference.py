"""An image times a number and plus a number of each channel."""

from typing import Any

import torch

DOMAIN = (-16.0, 16.0)


class Model(torch.nn.Module):
    def forward(self, x: torch.Tensor, scale: torch.Tensor, shift: torch.Tensor) -> torch.Tensor:
        return x * scale[:, None, None] + shift[:, None, None]


def normal(params: dict[str, Any], shape: list[int] | None = None) -> torch.Tensor:
    values = torch.randn(params["shape"] if shape is None else shape)
    return values.to(getattr(torch, params["dtype"]))


def get_inputs(params: dict[str, Any]) -> list[Any]:
    return [normal(params), normal(params, [params["shape"][1]]), normal(params, [params["shape"][1]])]


def get_init_inputs(params: dict[str, Any]) -> list[Any]:
    return []
