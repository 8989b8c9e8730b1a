"""Share of rows whose largest logit is the label."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, logits, labels):
        return (logits.argmax(dim=1) == labels).float().mean()


def get_inputs():
    return [torch.randn(64, 10), torch.randint(0, 10, (64,))]


def get_init_inputs():
    return []
