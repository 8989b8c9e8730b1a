"""Linear layer on int8 with a scale for each output."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, x, w, scale):
        acc = torch.matmul(x.to(torch.int32), w.to(torch.int32).t())
        return acc.to(torch.float32) * scale


def get_inputs():
    return [
        torch.randint(-128, 128, (32, 64), dtype=torch.int8),
        torch.randint(-128, 128, (48, 64), dtype=torch.int8),
        torch.rand(48) * 0.01,
    ]


def get_init_inputs():
    return []
