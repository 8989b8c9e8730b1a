"""Batches of rows times one matrix, plus a bias."""

from typing import Any

import torch


class Model(torch.nn.Module):
    def forward(self, x: torch.Tensor, w: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        return (x.float() @ w.float() + b).to(x.dtype)


def get_inputs(params: dict[str, Any]) -> list[Any]:
    batches, m, k, n = params["shape"]
    return [torch.randn(batches, m, k).half(), torch.randn(k, n).half(), torch.randn(n)]
