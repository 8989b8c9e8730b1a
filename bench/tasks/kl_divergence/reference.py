"""Divergence of distributions, given as logarithms, from target probabilities, row by row."""

from typing import Any

import torch

DOMAIN = {"log_p": (-20.0, 0.0), "target": (0.0001, 1.0)}


class Model(torch.nn.Module):
    def forward(self, log_p: torch.Tensor, target: torch.Tensor) -> torch.Tensor:
        return (target * (torch.log(target) - log_p)).sum(dim=-1)


def normal(params: dict[str, Any], shape: list[int] | None = None) -> torch.Tensor:
    values = torch.randn(params["shape"] if shape is None else shape)
    return values.to(getattr(torch, params["dtype"]))


def get_inputs(params: dict[str, Any]) -> list[Any]:
    return [torch.log_softmax(normal(params), dim=-1), torch.softmax(normal(params), dim=-1)]


def get_init_inputs(params: dict[str, Any]) -> list[Any]:
    return []
