import torch
import torch.nn as nn


class Model(nn.Module):
    """Histogram by bucketised index and scatter_add, its entropy."""

    def __init__(self, bins, lo, hi):
        super().__init__()
        self.bins, self.lo, self.hi = bins, lo, hi

    def forward(self, x):
        idx = ((x - self.lo) / (self.hi - self.lo) * self.bins).floor().long().clamp(0, self.bins - 1)
        hist = torch.zeros(x.shape[0], self.bins).scatter_add(1, idx, torch.ones_like(x))
        p = hist / x.shape[1]
        ent = -(p * torch.log(p + 1e-12)).sum(1)
        return hist, ent


def get_inputs():
    return [torch.randn(4, 513)]


def get_init_inputs():
    return [32, -3.0, 3.0]
