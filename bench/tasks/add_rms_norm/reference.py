"""Residual addition followed by RMS normalization; both the normalized rows and the sum are returned."""

from typing import Any

import torch


class Model(torch.nn.Module):
    def forward(
        self,
        x: torch.Tensor,
        residual: torch.Tensor,
        weight: torch.Tensor,
        eps: float,
    ) -> tuple[torch.Tensor, torch.Tensor]:
        total = x + residual
        return total * torch.rsqrt((total * total).mean(dim=-1, keepdim=True) + eps) * weight, total


def normal(params: dict[str, Any], shape: list[int] | None = None) -> torch.Tensor:
    values = torch.randn(params["shape"] if shape is None else shape)
    return values.to(getattr(torch, params["dtype"]))


def get_inputs(params: dict[str, Any]) -> list[Any]:
    return [normal(params), normal(params), normal(params, params["shape"][-1:]), params["eps"]]


def get_init_inputs(params: dict[str, Any]) -> list[Any]:
    return []
