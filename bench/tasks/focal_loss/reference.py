"""Binary cross entropy of logits, weighted by the square of what was missed."""

from typing import Any

import torch

DOMAIN = {"x": (-10.0, 10.0), "target": (0.0, 1.0)}


class Model(torch.nn.Module):
    def forward(self, x: torch.Tensor, target: torch.Tensor) -> torch.Tensor:
        p = torch.sigmoid(x)
        missed = target * (1 - p) + (1 - target) * p
        return missed.square() * torch.nn.functional.binary_cross_entropy_with_logits(
            x, target, reduction="none"
        )


def normal(params: dict[str, Any], shape: list[int] | None = None) -> torch.Tensor:
    values = torch.randn(params["shape"] if shape is None else shape)
    return values.to(getattr(torch, params["dtype"]))


def get_inputs(params: dict[str, Any]) -> list[Any]:
    return [normal(params), (torch.rand(params["shape"]) < 0.3).to(torch.float32)]


def get_init_inputs(params: dict[str, Any]) -> list[Any]:
    return []
