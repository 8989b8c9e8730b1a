"""Sampling by perturbed maxima, the noise given."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, logits, noise):
        g = -torch.log(-torch.log(noise))
        return torch.argmax(logits + g, dim=-1)


def get_inputs():
    return [torch.randn(20, 130), torch.rand(20, 130) * 0.98 + 0.01]


def get_init_inputs():
    return []
