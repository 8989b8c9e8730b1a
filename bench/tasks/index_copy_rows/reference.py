"""A matrix with some of its rows replaced; the list names each row once."""

from typing import Any

import torch


class Model(torch.nn.Module):
    def forward(self, x: torch.Tensor, index: torch.Tensor, rows: torch.Tensor) -> torch.Tensor:
        return torch.index_copy(x, 0, index, rows)


def normal(params: dict[str, Any], shape: list[int] | None = None) -> torch.Tensor:
    values = torch.randn(params["shape"] if shape is None else shape)
    return values.to(getattr(torch, params["dtype"]))


def get_inputs(params: dict[str, Any]) -> list[Any]:
    return [
        normal(params),
        torch.randperm(params["shape"][0])[: params["count"]],
        normal(params, [params["count"], params["shape"][1]]),
    ]


def get_init_inputs(params: dict[str, Any]) -> list[Any]:
    return []
