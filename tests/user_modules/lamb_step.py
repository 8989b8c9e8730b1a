import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, lr, b1, b2, eps, wd):
        super().__init__()
        self.lr, self.b1, self.b2, self.eps, self.wd = lr, b1, b2, eps, wd

    def forward(self, p, g, m, v):
        m = torch.lerp(m, g, 1 - self.b1)
        v = self.b2 * v + (1 - self.b2) * g.square()
        r = m / (v.sqrt() + self.eps) + self.wd * p
        w_norm = p.norm()
        r_norm = r.norm()
        trust = torch.where((w_norm > 0) & (r_norm > 0), w_norm / r_norm, torch.ones_like(w_norm)).clamp(
            max=10.0
        )
        return p - self.lr * trust * r, m, v


def get_inputs():
    return [torch.randn(50, 61), torch.randn(50, 61), torch.randn(50, 61) * 0.1, torch.rand(50, 61)]


def get_init_inputs():
    return [1e-3, 0.9, 0.999, 1e-6, 0.01]
