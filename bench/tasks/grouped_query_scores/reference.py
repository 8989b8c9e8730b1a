"""Scores of queries whose heads share keys in groups of two."""

from typing import Any

import torch

DOMAIN = (-3.0, 3.0)


class Model(torch.nn.Module):
    def forward(self, q: torch.Tensor, k: torch.Tensor) -> torch.Tensor:
        keys = torch.repeat_interleave(k, 2, dim=0)
        return torch.bmm(q, keys.transpose(1, 2)) * q.shape[-1] ** -0.5


def normal(params: dict[str, Any], shape: list[int] | None = None) -> torch.Tensor:
    values = torch.randn(params["shape"] if shape is None else shape)
    return values.to(getattr(torch, params["dtype"]))


def get_inputs(params: dict[str, Any]) -> list[Any]:
    return [normal(params, [2 * params["shape"][0], *params["shape"][1:]]), normal(params)]


def get_init_inputs(params: dict[str, Any]) -> list[Any]:
    return []
