"""Residual, layer norm, scale and shift."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.norm = nn.LayerNorm(width)

    def forward(self, x, residual):
        s = x + residual
        return self.norm(s), s


def get_inputs():
    return [torch.randn(6, 10, 200), torch.randn(6, 10, 200)]


def get_init_inputs():
    return [200]
