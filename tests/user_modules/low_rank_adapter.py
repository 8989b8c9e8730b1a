"""A linear layer with a low-rank update."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, width, rank):
        super().__init__()
        self.w = nn.Parameter(torch.randn(width, width) * 0.02)
        self.a = nn.Parameter(torch.randn(rank, width) * 0.02)
        self.b = nn.Parameter(torch.randn(width, rank) * 0.02)

    def forward(self, x):
        return x @ self.w.T + (x @ self.a.T) @ self.b.T * 2.0


def get_inputs():
    return [torch.randn(24, 64)]


def get_init_inputs():
    return [64, 8]
