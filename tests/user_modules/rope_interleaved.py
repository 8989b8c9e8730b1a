"""Rotary embedding that rotates neighbours."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, x, cos, sin):
        x1 = x[..., 0::2]
        x2 = x[..., 1::2]
        out = torch.stack((x1 * cos - x2 * sin, x1 * sin + x2 * cos), dim=-1)
        return out.flatten(-2)


def get_inputs():
    return [torch.randn(2, 4, 17, 64), torch.randn(17, 32), torch.randn(17, 32)]


def get_init_inputs():
    return []
