import torch
import torch.nn as nn


class Model(nn.Module):
    """Static cache: write the new step at a position, return the whole cache."""

    def __init__(self):
        super().__init__()

    def forward(self, k_cache, v_cache, k_new, v_new, input_pos):
        k_out = k_cache.clone()
        v_out = v_cache.clone()
        k_out[:, :, input_pos] = k_new
        v_out[:, :, input_pos] = v_new
        return k_out, v_out


def get_inputs():
    return [
        torch.randn(2, 4, 64, 32),
        torch.randn(2, 4, 64, 32),
        torch.randn(2, 4, 3, 32),
        torch.randn(2, 4, 3, 32),
        torch.tensor([10, 11, 12]),
    ]


def get_init_inputs():
    return []
