"""beta * c + alpha * (a times b)."""

from typing import Any

import torch

DOMAIN = (-4.0, 4.0)


class Model(torch.nn.Module):
    def forward(
        self, c: torch.Tensor, a: torch.Tensor, b: torch.Tensor, beta: float, alpha: float
    ) -> torch.Tensor:
        return torch.addmm(c, a, b, beta=beta, alpha=alpha)


def normal(params: dict[str, Any], shape: list[int] | None = None) -> torch.Tensor:
    values = torch.randn(params["shape"] if shape is None else shape)
    return values.to(getattr(torch, params["dtype"]))


def get_inputs(params: dict[str, Any]) -> list[Any]:
    return [
        normal(params, [params["shape"][0], params["n"]]),
        normal(params),
        normal(params, [params["shape"][1], params["n"]]),
        params["beta"],
        params["alpha"],
    ]


def get_init_inputs(params: dict[str, Any]) -> list[Any]:
    return []
