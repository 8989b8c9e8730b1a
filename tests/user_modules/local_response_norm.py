import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.lrn = nn.LocalResponseNorm(size, alpha=1e-4, beta=0.75, k=2.0)

    def forward(self, x):
        return self.lrn(x)


def get_inputs():
    return [torch.randn(2, 21, 7, 5) * 10]


def get_init_inputs():
    return [5]
