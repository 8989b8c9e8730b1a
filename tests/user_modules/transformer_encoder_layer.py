import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, d, h, ff):
        super().__init__()
        self.layer = nn.TransformerEncoderLayer(
            d, h, ff, dropout=0.0, batch_first=True, norm_first=True, activation="gelu"
        )
        self.layer.eval()

    def forward(self, x):
        return self.layer(x)


def get_inputs():
    return [torch.randn(2, 15, 32)]


def get_init_inputs():
    return [32, 4, 64]
