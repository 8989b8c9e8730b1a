import torch
import torch.nn as nn
import torch.nn.functional as F


class Model(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.size = size

    def forward(self, x):
        return F.interpolate(x, size=self.size, mode="bicubic", align_corners=False).clamp(0.0, 1.0)


def get_inputs():
    return [torch.rand(1, 3, 17, 23)]


def get_init_inputs():
    return [(25, 31)]
