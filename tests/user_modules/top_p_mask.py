"""Nucleus: the smallest set of tokens whose probabilities sum to p."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, p):
        super().__init__()
        self.p = p

    def forward(self, logits):
        probs = torch.softmax(logits, dim=-1)
        ordered, index = torch.sort(probs, dim=-1, descending=True)
        total = torch.cumsum(ordered, dim=-1)
        keep = (total - ordered) < self.p
        return ordered * keep, index


def get_inputs():
    return [torch.randn(8, 120)]


def get_init_inputs():
    return [0.9]
