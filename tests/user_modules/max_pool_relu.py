"""Pooling of an activation."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.pool = nn.MaxPool2d(3, stride=2, padding=1)

    def forward(self, x):
        return self.pool(torch.relu(x))


def get_inputs():
    return [torch.randn(2, 6, 19, 23)]


def get_init_inputs():
    return []
