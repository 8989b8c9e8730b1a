"""Rotary embedding that rotates halves."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, x, cos, sin):
        half = x.shape[-1] // 2
        rotated = torch.cat((-x[..., half:], x[..., :half]), dim=-1)
        return x * cos + rotated * sin


def get_inputs():
    return [torch.randn(2, 4, 17, 64), torch.randn(17, 64), torch.randn(17, 64)]


def get_init_inputs():
    return []
