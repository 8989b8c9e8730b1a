"""Twice the size by nearest neighbours, plus a skip connection."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, x, skip):
        return nn.functional.interpolate(x, scale_factor=2, mode="nearest") + skip


def get_inputs():
    return [torch.randn(1, 8, 7, 9), torch.randn(1, 8, 14, 18)]


def get_init_inputs():
    return []
