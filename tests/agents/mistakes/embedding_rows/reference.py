"""Rows of a table, chosen by index and scaled."""

from typing import Any

import torch


class Model(torch.nn.Module):
    def forward(self, index: torch.Tensor, table: torch.Tensor) -> torch.Tensor:
        return torch.nn.functional.embedding(index, table) * 8.0


def get_inputs(params: dict[str, Any]) -> list[Any]:
    count, rows, columns = params["shape"]
    return [torch.randint(0, rows, (count,)), torch.randn(rows, columns)]
