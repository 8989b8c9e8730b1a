"""AdamW over lists of parameters of different shapes."""

import torch
import torch.nn as nn

SHAPES = ((64, 128), (128,), (128, 256), (256,))


class Model(nn.Module):
    def __init__(self, lr: float, beta1: float, beta2: float, eps: float, decay: float) -> None:
        super().__init__()
        self.lr, self.beta1, self.beta2, self.eps, self.decay = lr, beta1, beta2, eps, decay

    def forward(self, params, grads, means, squares):
        new_params, new_means, new_squares = [], [], []
        for p, g, m, v in zip(params, grads, means, squares, strict=True):
            m = m * self.beta1 + g * (1 - self.beta1)
            v = v * self.beta2 + g * g * (1 - self.beta2)
            p = p * (1 - self.lr * self.decay) - self.lr * m / (v.sqrt() + self.eps)
            new_params.append(p)
            new_means.append(m)
            new_squares.append(v)
        return new_params, new_means, new_squares


def get_inputs():
    lists = [[torch.randn(*s) for s in SHAPES] for _ in range(3)]
    return [*lists, [torch.rand(*s) for s in SHAPES]]


def get_init_inputs():
    return [1e-3, 0.9, 0.999, 1e-8, 0.01]
