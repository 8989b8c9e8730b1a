"""Cross entropy of each row of logits against a row of target probabilities; one number per row."""

from typing import Any

import torch

DOMAIN = {"logits": (-16.0, 16.0), "target": (0.0, 1.0)}


class Model(torch.nn.Module):
    def forward(self, logits: torch.Tensor, target: torch.Tensor) -> torch.Tensor:
        return -(target * torch.log_softmax(logits, dim=-1)).sum(dim=-1)


def normal(params: dict[str, Any], shape: list[int] | None = None) -> torch.Tensor:
    values = torch.randn(params["shape"] if shape is None else shape)
    return values.to(getattr(torch, params["dtype"]))


def get_inputs(params: dict[str, Any]) -> list[Any]:
    return [
        normal(params),
        torch.softmax(4.0 * normal(params).float(), dim=-1).to(getattr(torch, params["dtype"])),
    ]


def get_init_inputs(params: dict[str, Any]) -> list[Any]:
    return []
