import torch
import torch.nn as nn


class Model(nn.Module):
    """AWQ-like: eight nibbles in an int32, group scales and zeros, then a product."""

    def __init__(self, group):
        super().__init__()
        self.group = group
        self.register_buffer("shifts", torch.arange(0, 32, 4, dtype=torch.int32))

    def forward(self, x, qweight, scales, zeros):
        iw = (qweight.unsqueeze(-1) >> self.shifts) & 0xF
        iw = iw.reshape(qweight.shape[0], -1)
        s = scales.repeat_interleave(self.group, dim=0)
        z = zeros.repeat_interleave(self.group, dim=0)
        w = (iw.to(x.dtype) - z) * s
        return x @ w


def get_inputs():
    return [
        torch.randn(5, 64),
        torch.randint(-(2**31), 2**31 - 1, (64, 6), dtype=torch.int32),
        torch.rand(4, 48) * 0.1,
        torch.randint(0, 16, (4, 48)).float(),
    ]


def get_init_inputs():
    return [16]
