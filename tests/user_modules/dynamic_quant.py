"""Per-token int8 quantisation with its scales."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, x):
        scale = x.abs().amax(dim=-1, keepdim=True) / 127.0
        q = torch.clamp(torch.round(x / scale), -128, 127).to(torch.int8)
        return q, scale.squeeze(-1)


def get_inputs():
    return [torch.randn(25, 96)]


def get_init_inputs():
    return []
