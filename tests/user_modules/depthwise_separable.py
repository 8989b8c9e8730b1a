"""Depthwise 3x3 and pointwise convolution with SiLU."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, c, out):
        super().__init__()
        self.dw = nn.Conv2d(c, c, 3, padding=1, groups=c)
        self.pw = nn.Conv2d(c, out, 1)

    def forward(self, x):
        return nn.functional.silu(self.pw(self.dw(x)))


def get_inputs():
    return [torch.randn(1, 16, 12, 12)]


def get_init_inputs():
    return [16, 24]
