"""Every element of a column times every one of a row."""

from typing import Any

import torch


class Model(torch.nn.Module):
    def forward(self, x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        return x[:, None] * y[None, :]


def normal(params: dict[str, Any], shape: list[int] | None = None) -> torch.Tensor:
    values = torch.randn(params["shape"] if shape is None else shape)
    return values.to(getattr(torch, params["dtype"]))


def get_inputs(params: dict[str, Any]) -> list[Any]:
    return [normal(params, [params["shape"][0]]), normal(params, [params["shape"][1]])]


def get_init_inputs(params: dict[str, Any]) -> list[Any]:
    return []
