import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, n_in, n_hidden):
        super().__init__()
        self.lstm = nn.LSTM(n_in, n_hidden, batch_first=True)

    def forward(self, x, state):
        out, (h, c) = self.lstm(x, state)
        return out, (h, c)


def get_inputs():
    return [torch.randn(2, 5, 16), (torch.randn(1, 2, 24), torch.randn(1, 2, 24))]


def get_init_inputs():
    return [16, 24]
