import math

import torch
import torch.nn as nn
import torch.nn.functional as F


class Model(nn.Module):
    """Several activations side by side, some of them by hand."""

    def forward(self, x):
        exact = 0.5 * x * (1.0 + torch.erf(x / math.sqrt(2.0)))
        tanh = 0.5 * x * (1 + torch.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * torch.pow(x, 3))))
        quick = x * torch.sigmoid(1.702 * x)
        return torch.stack(
            [
                exact,
                tanh,
                quick,
                F.mish(x),
                F.softplus(x, beta=2, threshold=10),
                F.celu(x, alpha=0.7),
                F.hardswish(x),
                F.logsigmoid(x),
                F.softsign(x),
                F.tanhshrink(x),
                F.selu(x),
                F.softshrink(x, 0.3),
                F.threshold(x, 0.1, 20.0),
            ]
        )


def get_inputs():
    return [torch.randn(9, 101) * 4]


def get_init_inputs():
    return []
