import torch
import torch.nn as nn


class Model(nn.Module):
    """Learned step size: forward and its gradients by hand."""

    def __init__(self, bits):
        super().__init__()
        self.qn, self.qp = -(2 ** (bits - 1)), 2 ** (bits - 1) - 1

    def forward(self, x, step, grad):
        g = 1.0 / ((x.numel() * self.qp) ** 0.5)
        v = x / step
        vbar = torch.clamp(v, self.qn, self.qp).round()
        inside = ((v >= self.qn) & (v <= self.qp)).to(x.dtype)
        dstep = torch.where(
            v <= self.qn,
            torch.full_like(v, self.qn),
            torch.where(v >= self.qp, torch.full_like(v, self.qp), vbar - v),
        )
        return vbar * step, grad * inside, (grad * dstep).sum() * g


def get_inputs():
    return [torch.randn(11, 77), torch.tensor(0.13), torch.randn(11, 77)]


def get_init_inputs():
    return [4]
