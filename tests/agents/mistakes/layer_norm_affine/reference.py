"""Layer normalisation of rows with weight and bias."""

from typing import Any

import torch


class Model(torch.nn.Module):
    def forward(self, x: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor) -> torch.Tensor:
        return torch.nn.functional.layer_norm(x, x.shape[-1:], weight, bias, 1e-3)


def get_inputs(params: dict[str, Any]) -> list[Any]:
    rows, columns = params["shape"]
    dtype = getattr(torch, params["dtype"])
    return [(torch.randn(s) * 0.7 + 0.3).to(dtype) for s in ((rows, columns), (columns,), (columns,))]
