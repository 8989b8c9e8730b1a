"""Rows are normalised, scaled for each column and added to the rows that came."""

from typing import Any

import torch


class Model(torch.nn.Module):
    def forward(self, x: torch.Tensor, weight: torch.Tensor) -> torch.Tensor:
        mean = x.mean(-1, keepdim=True)
        variance = ((x - mean) ** 2).mean(-1, keepdim=True)
        return x + (x - mean) / torch.sqrt(variance + 1e-3) * weight


def get_inputs(params: dict[str, Any]) -> list[Any]:
    rows, columns = params["shape"]
    return [torch.randn(rows, columns) + 0.5, torch.randn(columns)]
