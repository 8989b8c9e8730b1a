"""RMS norm of x times a weight and the SiLU of a gate."""

from typing import Any

import torch

DOMAIN = (-30.0, 30.0)


class Model(torch.nn.Module):
    def forward(self, x: torch.Tensor, gate: torch.Tensor, weight: torch.Tensor) -> torch.Tensor:
        inverse = torch.rsqrt(x.square().mean(dim=-1, keepdim=True) + 1e-6)
        return x * inverse * weight * torch.nn.functional.silu(gate)


def normal(params: dict[str, Any], shape: list[int] | None = None) -> torch.Tensor:
    values = torch.randn(params["shape"] if shape is None else shape)
    return values.to(getattr(torch, params["dtype"]))


def get_inputs(params: dict[str, Any]) -> list[Any]:
    return [normal(params), normal(params), normal(params, [params["shape"][1]])]


def get_init_inputs(params: dict[str, Any]) -> list[Any]:
    return []
