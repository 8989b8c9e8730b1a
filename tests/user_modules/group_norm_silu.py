"""Group norm and SiLU on an image."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, groups, c):
        super().__init__()
        self.norm = nn.GroupNorm(groups, c)

    def forward(self, x):
        return nn.functional.silu(self.norm(x))


def get_inputs():
    return [torch.randn(2, 16, 10, 11)]


def get_init_inputs():
    return [4, 16]
