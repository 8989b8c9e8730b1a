"""A scaled transpose."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, x, s):
        return (x * s).transpose(1, 2).contiguous()


def get_inputs():
    return [torch.randn(3, 37, 50), torch.randn(50)]


def get_init_inputs():
    return []
