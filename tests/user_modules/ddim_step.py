import torch
import torch.nn as nn


class Model(nn.Module):
    """One DDIM step with alphas picked by each sample's timestep."""

    def __init__(self, steps):
        super().__init__()
        betas = torch.linspace(1e-4, 0.02, steps)
        self.register_buffer("ac", torch.cumprod(1 - betas, 0))

    def forward(self, x, eps, t, t_prev):
        a = self.ac[t].view(-1, 1, 1, 1)
        ap = torch.where(t_prev >= 0, self.ac[t_prev.clamp(min=0)], torch.ones_like(self.ac[0])).reshape(
            -1, 1, 1, 1
        )
        x0 = ((x - (1 - a).sqrt() * eps) / a.sqrt()).clamp(-1, 1)
        return ap.sqrt() * x0 + (1 - ap).sqrt() * eps


def get_inputs():
    return [
        torch.randn(3, 4, 8, 8),
        torch.randn(3, 4, 8, 8),
        torch.tensor([999, 500, 0]),
        torch.tensor([979, 480, -20]),
    ]


def get_init_inputs():
    return [1000]
