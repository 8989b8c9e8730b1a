import torch
import torch.nn as nn
import torch_npu
from torch_npu.contrib import transfer_to_npu


class Model(nn.Module):
    def forward(self, x, y, weight, shift):
        total = x.float() + weight.item() * y.float() + shift
        return total.to(x.dtype)


class ModelNew(nn.Module):
    def forward(self, x, y, weight, shift):
        import kernel_gen_ops

        return kernel_gen_ops.blend_add(x, y, weight, shift)
