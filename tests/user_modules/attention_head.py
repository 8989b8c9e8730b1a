"""One attention head with projections."""

import math

import torch
import torch.nn as nn
import torch.nn.functional as F


class Model(nn.Module):
    def __init__(self, width, head):
        super().__init__()
        self.q = nn.Linear(width, head, bias=False)
        self.k = nn.Linear(width, head, bias=False)
        self.v = nn.Linear(width, head, bias=False)
        self.scale = 1.0 / math.sqrt(head)

    def forward(self, x):
        q, k, v = self.q(x), self.k(x), self.v(x)
        weights = F.softmax(torch.matmul(q, k.transpose(-2, -1)) * self.scale, dim=-1)
        return torch.matmul(weights, v)


def get_inputs():
    return [torch.randn(2, 48, 64)]


def get_init_inputs():
    return [64, 32]
