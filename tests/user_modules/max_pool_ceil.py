import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.pool = nn.MaxPool2d(kernel_size=3, stride=2, padding=1, ceil_mode=True)
        self.avg = nn.AvgPool2d(
            (3, 2), stride=(2, 1), padding=(1, 0), ceil_mode=True, count_include_pad=False
        )

    def forward(self, x):
        return self.pool(x), self.avg(x)


def get_inputs():
    return [torch.randn(2, 5, 14, 11)]


def get_init_inputs():
    return []
