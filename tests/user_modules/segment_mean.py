"""Means of rows that belong together."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, segments):
        super().__init__()
        self.segments = segments

    def forward(self, x, index):
        total = torch.zeros(self.segments, x.shape[1], dtype=x.dtype).index_add(0, index, x)
        count = torch.zeros(self.segments, dtype=x.dtype).index_add(
            0, index, torch.ones_like(index, dtype=x.dtype)
        )
        return total / count.clamp(min=1).unsqueeze(1)


def get_inputs():
    return [torch.randn(60, 24), torch.randint(0, 7, (60,))]


def get_init_inputs():
    return [7]
