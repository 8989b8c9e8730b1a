"""Groups of rows, each times the matrix of its own group, one behind the other."""

from typing import Any

import torch

DOMAIN = (-16.0, 16.0)


class Model(torch.nn.Module):
    def forward(self, x: torch.Tensor, weight: torch.Tensor, groups: list[int]) -> torch.Tensor:
        parts = torch.split(x, groups)
        return torch.cat([part @ weight[i] for i, part in enumerate(parts)])


def normal(params: dict[str, Any], shape: list[int] | None = None) -> torch.Tensor:
    values = torch.randn(params["shape"] if shape is None else shape)
    return values.to(getattr(torch, params["dtype"]))


def get_inputs(params: dict[str, Any]) -> list[Any]:
    return [
        normal(params),
        normal(params, [len(params["groups"]), params["shape"][1], params["n"]]),
        params["groups"],
    ]


def get_init_inputs(params: dict[str, Any]) -> list[Any]:
    return []
