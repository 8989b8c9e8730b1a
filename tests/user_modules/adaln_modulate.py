import torch
import torch.nn as nn
import torch.nn.functional as F


def modulate(x, shift, scale):
    return x * (1 + scale.unsqueeze(1)) + shift.unsqueeze(1)


class Model(nn.Module):
    """DiT block's modulation of two branches from one conditioning vector."""

    def __init__(self, d):
        super().__init__()
        self.norm1 = nn.LayerNorm(d, elementwise_affine=False, eps=1e-6)
        self.norm2 = nn.LayerNorm(d, elementwise_affine=False, eps=1e-6)
        self.ada = nn.Sequential(nn.SiLU(), nn.Linear(d, 6 * d, bias=True))
        self.mlp = nn.Linear(d, d)

    def forward(self, x, c):
        shift_a, scale_a, gate_a, shift_m, scale_m, gate_m = self.ada(c).chunk(6, dim=1)
        x = x + gate_a.unsqueeze(1) * modulate(self.norm1(x), shift_a, scale_a)
        return x + gate_m.unsqueeze(1) * F.gelu(
            self.mlp(modulate(self.norm2(x), shift_m, scale_m)), approximate="tanh"
        )


def get_inputs():
    return [torch.randn(2, 17, 40), torch.randn(2, 40)]


def get_init_inputs():
    return [40]
