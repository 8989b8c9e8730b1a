import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, inp, hid):
        super().__init__()
        self.lstm = nn.LSTM(inp, hid, num_layers=1, batch_first=True)

    def forward(self, x):
        out, (h, _c) = self.lstm(x)
        return out, h[-1]


def get_inputs():
    return [torch.randn(2, 6, 16)]


def get_init_inputs():
    return [16, 20]
