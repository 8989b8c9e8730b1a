import torch
import torch.nn as nn
import kernel_gen_ops


class Model(nn.Module):
    def forward(self, x, mask, times):
        for _ in range(times):
            x.mul_(1 - 0.5 * mask)
        return x.flatten()


class ModelNew(nn.Module):
    def forward(self, x, mask, times):
        return kernel_gen_ops.halve_in_place(x, mask, times).flatten()
