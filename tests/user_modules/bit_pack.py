"""Eight signs in a byte."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, x):
        bits = (x > 0).to(torch.int32).view(x.shape[0], -1, 8)
        weights = torch.tensor([1, 2, 4, 8, 16, 32, 64, 128], dtype=torch.int32)
        return (bits * weights).sum(-1).to(torch.uint8)


def get_inputs():
    return [torch.randn(10, 64)]


def get_init_inputs():
    return []
