import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, max_norm):
        super().__init__()
        self.max_norm = max_norm

    def forward(self, g1, g2, g3):
        grads = [g1, g2, g3]
        norms = [torch.linalg.vector_norm(g, 2) for g in grads]
        total = torch.linalg.vector_norm(torch.stack(norms), 2)
        coef = torch.clamp(self.max_norm / (total + 1e-6), max=1.0)
        return [g.mul(coef) for g in grads] + [total]


def get_inputs():
    return [torch.randn(40, 30), torch.randn(30), torch.randn(4, 3, 3, 3)]


def get_init_inputs():
    return [1.0]
