import torch
import torch.nn as nn


class Model(nn.Module):
    """MobileNet inverted residual, eval-mode batch norm."""

    def __init__(self, inp, expand):
        super().__init__()
        hid = inp * expand
        self.conv = nn.Sequential(
            nn.Conv2d(inp, hid, 1, bias=False),
            nn.BatchNorm2d(hid),
            nn.ReLU6(inplace=True),
            nn.Conv2d(hid, hid, 3, 1, 1, groups=hid, bias=False),
            nn.BatchNorm2d(hid),
            nn.ReLU6(inplace=True),
            nn.Conv2d(hid, inp, 1, bias=False),
            nn.BatchNorm2d(inp),
        )
        self.eval()

    def forward(self, x):
        return x + self.conv(x)


def get_inputs():
    return [torch.randn(1, 16, 15, 13)]


def get_init_inputs():
    return [16, 4]
