"""Attention of queries to keys and values of another length."""

from typing import Any

import torch

DOMAIN = (-3.0, 3.0)


class Model(torch.nn.Module):
    def forward(self, q: torch.Tensor, k: torch.Tensor, v: torch.Tensor) -> torch.Tensor:
        scores = torch.bmm(q, k.transpose(1, 2)) * q.shape[-1] ** -0.5
        return torch.bmm(torch.softmax(scores, dim=-1), v)


def normal(params: dict[str, Any], shape: list[int] | None = None) -> torch.Tensor:
    values = torch.randn(params["shape"] if shape is None else shape)
    return values.to(getattr(torch, params["dtype"]))


def get_inputs(params: dict[str, Any]) -> list[Any]:
    return [
        normal(params),
        normal(params, [params["shape"][0], params["keys"], params["shape"][2]]),
        normal(params, [params["shape"][0], params["keys"], params["shape"][2]]),
    ]


def get_init_inputs(params: dict[str, Any]) -> list[Any]:
    return []
