"""Cross entropy of rows of logits with the place of the right class."""

from typing import Any

import torch


class Model(torch.nn.Module):
    def forward(self, x: torch.Tensor, target: torch.Tensor) -> torch.Tensor:
        return torch.nn.functional.cross_entropy(x, target, reduction="none")


def normal(params: dict[str, Any], shape: list[int] | None = None) -> torch.Tensor:
    values = torch.randn(params["shape"] if shape is None else shape)
    return values.to(getattr(torch, params["dtype"]))


def places(low: int, high: int, shape: list[int], dtype: str = "int64") -> torch.Tensor:
    return torch.randint(low, high, shape, dtype=getattr(torch, dtype))


def get_inputs(params: dict[str, Any]) -> list[Any]:
    return [normal(params), places(0, params["shape"][1], [params["shape"][0]])]


def get_init_inputs(params: dict[str, Any]) -> list[Any]:
    return []
