"""Softmax gate, the two best experts with weights that sum to one."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, width, experts, k):
        super().__init__()
        self.gate = nn.Linear(width, experts, bias=False)
        self.k = k

    def forward(self, x):
        probs = torch.softmax(self.gate(x), dim=-1)
        weights, index = torch.topk(probs, self.k, dim=-1)
        return weights / weights.sum(dim=-1, keepdim=True), index


def get_inputs():
    return [torch.randn(50, 64)]


def get_init_inputs():
    return [64, 8, 2]
