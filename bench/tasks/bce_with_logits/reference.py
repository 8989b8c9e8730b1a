"""Mean binary cross entropy of logits against targets between 0 and 1, in its overflow-free form."""

from typing import Any

import torch

DOMAIN = {"logits": (-16.0, 16.0), "target": (0.0, 1.0)}


class Model(torch.nn.Module):
    def forward(self, logits: torch.Tensor, target: torch.Tensor) -> torch.Tensor:
        gain = torch.relu(logits) - logits * target
        return (gain + torch.log1p(torch.exp(-torch.abs(logits)))).mean()


def normal(params: dict[str, Any], shape: list[int] | None = None) -> torch.Tensor:
    values = torch.randn(params["shape"] if shape is None else shape)
    return values.to(getattr(torch, params["dtype"]))


def uniform(params: dict[str, Any], shape: list[int] | None = None) -> torch.Tensor:
    values = torch.rand(params["shape"] if shape is None else shape)
    return values.to(getattr(torch, params["dtype"]))


def get_inputs(params: dict[str, Any]) -> list[Any]:
    return [normal(params), uniform(params)]


def get_init_inputs(params: dict[str, Any]) -> list[Any]:
    return []
