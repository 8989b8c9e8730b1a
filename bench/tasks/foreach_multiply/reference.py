"""Products of the tensors of two lists."""

from typing import Any

import torch


class Model(torch.nn.Module):
    def forward(self, x: list[torch.Tensor], y: list[torch.Tensor]) -> list[torch.Tensor]:
        return [a * b for a, b in zip(x, y, strict=True)]


def normal(params: dict[str, Any], shape: list[int] | None = None) -> torch.Tensor:
    values = torch.randn(params["shape"] if shape is None else shape)
    return values.to(getattr(torch, params["dtype"]))


def get_inputs(params: dict[str, Any]) -> list[Any]:
    return [
        [normal(params, [n, params["shape"][-1]]) for n in params["rows"]],
        [normal(params, [n, params["shape"][-1]]) for n in params["rows"]],
    ]


def get_init_inputs(params: dict[str, Any]) -> list[Any]:
    return []
