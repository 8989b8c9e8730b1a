"""Batch normalization at inference: per-channel mean, variance, weight and bias on the last axis."""

from typing import Any

import torch

DOMAIN = {
    "x": (-4.0, 4.0),
    "mean": (-4.0, 4.0),
    "variance": (0.25, 10.0),
    "weight": (-4.0, 4.0),
    "bias": (-2.0, 2.0),
}


class Model(torch.nn.Module):
    def forward(
        self,
        x: torch.Tensor,
        mean: torch.Tensor,
        variance: torch.Tensor,
        weight: torch.Tensor,
        bias: torch.Tensor,
        eps: float,
    ) -> torch.Tensor:
        return (x - mean) * torch.rsqrt(variance + eps) * weight + bias


def normal(params: dict[str, Any], shape: list[int] | None = None) -> torch.Tensor:
    values = torch.randn(params["shape"] if shape is None else shape)
    return values.to(getattr(torch, params["dtype"]))


def uniform(params: dict[str, Any], shape: list[int] | None = None) -> torch.Tensor:
    values = torch.rand(params["shape"] if shape is None else shape)
    return values.to(getattr(torch, params["dtype"]))


def get_inputs(params: dict[str, Any]) -> list[Any]:
    return [
        normal(params),
        normal(params, params["shape"][-1:]),
        uniform(params, params["shape"][-1:]) + 0.25,
        normal(params, params["shape"][-1:]),
        normal(params, params["shape"][-1:]),
        params["eps"],
    ]


def get_init_inputs(params: dict[str, Any]) -> list[Any]:
    return []
