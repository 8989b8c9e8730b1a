"""A causal depthwise convolution over time with SiLU."""

import torch
import torch.nn as nn
import torch.nn.functional as F


class Model(nn.Module):
    def __init__(self, c, k):
        super().__init__()
        self.w = nn.Parameter(torch.randn(c, 1, k) * 0.3)
        self.b = nn.Parameter(torch.zeros(c))
        self.k = k

    def forward(self, x):
        y = F.conv1d(F.pad(x, (self.k - 1, 0)), self.w, self.b, groups=x.shape[1])
        return F.silu(y)


def get_inputs():
    return [torch.randn(2, 24, 50)]


def get_init_inputs():
    return [24, 4]
