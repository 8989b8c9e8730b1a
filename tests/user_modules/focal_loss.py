"""Binary focal loss."""

import torch
import torch.nn as nn
import torch.nn.functional as F


class Model(nn.Module):
    def __init__(self, alpha, gamma):
        super().__init__()
        self.alpha, self.gamma = alpha, gamma

    def forward(self, logits, target):
        p = torch.sigmoid(logits)
        ce = F.binary_cross_entropy_with_logits(logits, target, reduction="none")
        pt = p * target + (1 - p) * (1 - target)
        a = self.alpha * target + (1 - self.alpha) * (1 - target)
        return (a * (1 - pt) ** self.gamma * ce).mean()


def get_inputs():
    return [torch.randn(20, 80), (torch.rand(20, 80) > 0.5).float()]


def get_init_inputs():
    return [0.25, 2.0]
