"""Tensors of a list plus a share of the products of two other lists."""

from typing import Any

import torch

DOMAIN = (-4.0, 4.0)


class Model(torch.nn.Module):
    def forward(
        self, x: list[torch.Tensor], y: list[torch.Tensor], z: list[torch.Tensor], value: float
    ) -> list[torch.Tensor]:
        return [a + value * b * c for a, b, c in zip(x, y, z, strict=True)]


def normal(params: dict[str, Any], shape: list[int] | None = None) -> torch.Tensor:
    values = torch.randn(params["shape"] if shape is None else shape)
    return values.to(getattr(torch, params["dtype"]))


def get_inputs(params: dict[str, Any]) -> list[Any]:
    return [
        [normal(params, [n, params["shape"][-1]]) for n in params["rows"]],
        [normal(params, [n, params["shape"][-1]]) for n in params["rows"]],
        [normal(params, [n, params["shape"][-1]]) for n in params["rows"]],
        params["value"],
    ]


def get_init_inputs(params: dict[str, Any]) -> list[Any]:
    return []
