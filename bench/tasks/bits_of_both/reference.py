"""The bits that exactly one of two whole numbers has, beside the bits of a mask."""

from typing import Any

import torch

DOMAIN = (0, 30000)


class Model(torch.nn.Module):
    def forward(self, x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        return torch.bitwise_and(torch.bitwise_xor(x, y), 255)


def places(low: int, high: int, shape: list[int], dtype: str = "int64") -> torch.Tensor:
    return torch.randint(low, high, shape, dtype=getattr(torch, dtype))


def get_inputs(params: dict[str, Any]) -> list[Any]:
    return [places(0, 30000, params["shape"], "int32"), places(0, 30000, params["shape"], "int32")]


def get_init_inputs(params: dict[str, Any]) -> list[Any]:
    return []
