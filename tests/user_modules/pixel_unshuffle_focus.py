import torch
import torch.nn as nn


class Model(nn.Module):
    """YOLOv5 focus: four strided slices, concatenated, then conv, bn, silu."""

    def __init__(self, c1, c2):
        super().__init__()
        self.conv = nn.Conv2d(c1 * 4, c2, 3, padding=1, bias=False)
        self.bn = nn.BatchNorm2d(c2, eps=1e-3, momentum=0.03)
        self.act = nn.SiLU()
        self.eval()

    def forward(self, x):
        x = torch.cat([x[..., ::2, ::2], x[..., 1::2, ::2], x[..., ::2, 1::2], x[..., 1::2, 1::2]], 1)
        return self.act(self.bn(self.conv(x)))


def get_inputs():
    return [torch.randn(1, 3, 18, 22)]


def get_init_inputs():
    return [3, 16]
