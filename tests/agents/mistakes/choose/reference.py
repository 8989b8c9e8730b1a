"""x - y where x is larger, else alpha times x."""

from typing import Any

import torch


class Model(torch.nn.Module):
    def __init__(self, alpha: float) -> None:
        super().__init__()
        self.alpha = alpha

    def forward(self, x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        return torch.where(x > y, x - y, self.alpha * x)


def get_inputs(params: dict[str, Any]) -> list[Any]:
    return [torch.randn(params["shape"]), torch.randn(params["shape"])]


def get_init_inputs(params: dict[str, Any]) -> list[Any]:
    return [0.2]
