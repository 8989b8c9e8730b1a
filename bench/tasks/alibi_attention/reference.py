"""Attention whose scores fall with the distance of query and key, by a slope of each head."""

from typing import Any

import torch

DOMAIN = {"q": (-3.0, 3.0), "k": (-3.0, 3.0), "v": (-3.0, 3.0), "slope": (0.0, 1.0)}


class Model(torch.nn.Module):
    def forward(self, q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, slope: torch.Tensor) -> torch.Tensor:
        place = torch.arange(q.shape[1], dtype=q.dtype)
        distance = torch.abs(place[:, None] - place[None, :])
        scores = torch.bmm(q, k.transpose(1, 2)) * q.shape[-1] ** -0.5 - slope[:, None, None] * distance
        return torch.bmm(torch.softmax(scores, dim=-1), v)


def normal(params: dict[str, Any], shape: list[int] | None = None) -> torch.Tensor:
    values = torch.randn(params["shape"] if shape is None else shape)
    return values.to(getattr(torch, params["dtype"]))


def get_inputs(params: dict[str, Any]) -> list[Any]:
    return [normal(params), normal(params), normal(params), normal(params, [params["shape"][0]]).abs()]


def get_init_inputs(params: dict[str, Any]) -> list[Any]:
    return []
