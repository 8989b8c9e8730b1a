import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, d, h):
        super().__init__()
        self.mha = nn.MultiheadAttention(d, h, batch_first=True)

    def forward(self, query, key, key_padding_mask):
        out, weights = self.mha(query, key, key, key_padding_mask=key_padding_mask, need_weights=True)
        return out, weights


def get_inputs():
    mask = torch.zeros(2, 14, dtype=torch.bool)
    mask[1, 9:] = True
    return [torch.randn(2, 10, 32), torch.randn(2, 14, 32), mask]


def get_init_inputs():
    return [32, 4]
