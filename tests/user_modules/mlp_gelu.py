"""Two linear layers with GELU between them."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, width, hidden):
        super().__init__()
        self.up = nn.Linear(width, hidden)
        self.act = nn.GELU()
        self.down = nn.Linear(hidden, width)

    def forward(self, x):
        return self.down(self.act(self.up(x)))


def get_inputs():
    return [torch.randn(32, 64)]


def get_init_inputs():
    return [64, 160]
