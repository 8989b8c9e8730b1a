"""One AdamW step."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, lr, b1, b2, eps, decay):
        super().__init__()
        self.lr, self.b1, self.b2, self.eps, self.decay = lr, b1, b2, eps, decay

    def forward(self, p, g, m, v):
        m = self.b1 * m + (1 - self.b1) * g
        v = self.b2 * v + (1 - self.b2) * g * g
        p = p * (1 - self.lr * self.decay) - self.lr * m / (v.sqrt() + self.eps)
        return p, m, v


def get_inputs():
    return [torch.randn(3000), torch.randn(3000), torch.randn(3000), torch.rand(3000)]


def get_init_inputs():
    return [1e-3, 0.9, 0.999, 1e-8, 0.01]
