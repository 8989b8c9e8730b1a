"""A linear layer with a low-rank adapter: x w + (x down) up."""

from typing import Any

import torch

DOMAIN = (-2.0, 2.0)


class Model(torch.nn.Module):
    def forward(
        self, x: torch.Tensor, weight: torch.Tensor, down: torch.Tensor, up: torch.Tensor
    ) -> torch.Tensor:
        return x @ weight + (x @ down) @ up


def normal(params: dict[str, Any], shape: list[int] | None = None) -> torch.Tensor:
    values = torch.randn(params["shape"] if shape is None else shape)
    return values.to(getattr(torch, params["dtype"]))


def get_inputs(params: dict[str, Any]) -> list[Any]:
    return [
        normal(params),
        normal(params, [params["shape"][1], params["n"]]),
        normal(params, [params["shape"][1], 8]),
        normal(params, [8, params["n"]]),
    ]


def get_init_inputs(params: dict[str, Any]) -> list[Any]:
    return []
