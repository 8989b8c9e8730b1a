import torch
import torch.nn as nn


class Model(nn.Module):
    """SWAR popcount, Gray code and parity."""

    def forward(self, x):
        g = x ^ (x >> 1)
        v = x - ((x >> 1) & 0x55555555)
        v = (v & 0x33333333) + ((v >> 2) & 0x33333333)
        v = (v + (v >> 4)) & 0x0F0F0F0F
        v = (v + (v >> 8) + (v >> 16)) & 0x3F
        return v, g, (v % 2).bool()


def get_inputs():
    return [torch.randint(0, 2**31 - 1, (7, 130), dtype=torch.int32)]


def get_init_inputs():
    return []
