import torch
import torch.nn as nn
import kernel_gen_ops


class Model(nn.Module):
    def __init__(self, gamma, keep):
        super().__init__()
        self.gamma = gamma
        self.keep = keep

    def forward(self, x, bias):
        scaled = x * self.gamma
        if bias is not None:
            scaled = scaled + bias
        return [(x > 0).to(x.dtype), scaled]


class ModelNew(nn.Module):
    def __init__(self, gamma, keep):
        super().__init__()
        self.gamma = gamma
        self.keep = keep

    def forward(self, x, bias):
        return kernel_gen_ops.row_stats(x, self.gamma, bias, "plain", self.keep)
