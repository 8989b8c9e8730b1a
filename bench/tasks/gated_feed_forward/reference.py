"""Two products of the same rows, the one as a gate of the other: silu(x a) * (x b)."""

from typing import Any

import torch

DOMAIN = (-2.0, 2.0)


class Model(torch.nn.Module):
    def forward(self, x: torch.Tensor, a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        return torch.nn.functional.silu(x @ a) * (x @ b)


def normal(params: dict[str, Any], shape: list[int] | None = None) -> torch.Tensor:
    values = torch.randn(params["shape"] if shape is None else shape)
    return values.to(getattr(torch, params["dtype"]))


def get_inputs(params: dict[str, Any]) -> list[Any]:
    return [
        normal(params),
        normal(params, [params["shape"][1], params["n"]]),
        normal(params, [params["shape"][1], params["n"]]),
    ]


def get_init_inputs(params: dict[str, Any]) -> list[Any]:
    return []
