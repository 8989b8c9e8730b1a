"""The input of a layer: n residual streams weighed and summed for each token (mHC)."""

from typing import Any

import torch

DOMAIN = {"streams": (-8.0, 8.0), "weight": (0.0, 1.0)}


class Model(torch.nn.Module):
    def forward(self, streams: torch.Tensor, weight: torch.Tensor) -> torch.Tensor:
        return (streams * weight[:, :, None]).sum(dim=1)


def normal(params: dict[str, Any], shape: list[int] | None = None) -> torch.Tensor:
    values = torch.randn(params["shape"] if shape is None else shape)
    return values.to(getattr(torch, params["dtype"]))


def get_inputs(params: dict[str, Any]) -> list[Any]:
    return [normal(params), torch.sigmoid(normal(params, params["shape"][:2]))]


def get_init_inputs(params: dict[str, Any]) -> list[Any]:
    return []
