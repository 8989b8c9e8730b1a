"""Softmax over the last axis."""

import torch


class Model(torch.nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return torch.softmax(x, dim=-1)


def get_inputs(params):
    return [torch.randn(params["shape"], dtype=getattr(torch, params["dtype"]))]


def get_init_inputs(params):
    return []
