import torch.nn as nn
import kernel_gen_ops


class Model(nn.Module):
    def forward(self, x, factors):
        return [t * factors[i] for i, t in enumerate(x)]


class ModelNew(nn.Module):
    def forward(self, x, factors):
        return kernel_gen_ops.list_scale(x, factors)
