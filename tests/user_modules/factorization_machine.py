import torch
import torch.nn as nn


class Model(nn.Module):
    """FM over categorical fields: offsets, embedding sum, half of (square of sum - sum of squares)."""

    def __init__(self, field_dims, dim):
        super().__init__()
        self.fc = nn.Embedding(sum(field_dims), 1)
        self.bias = nn.Parameter(torch.zeros((1,)))
        self.embedding = nn.Embedding(sum(field_dims), dim)
        offsets = torch.tensor([0, *field_dims[:-1]]).cumsum(0)
        self.register_buffer("offsets", offsets)

    def forward(self, x):
        x = x + self.offsets.unsqueeze(0)
        linear = torch.sum(self.fc(x), dim=1) + self.bias
        e = self.embedding(x)
        square_of_sum = torch.sum(e, dim=1) ** 2
        sum_of_square = torch.sum(e**2, dim=1)
        ix = 0.5 * torch.sum(square_of_sum - sum_of_square, dim=1, keepdim=True)
        return torch.sigmoid((linear + ix).squeeze(1))


def get_inputs():
    return [torch.randint(0, 10, (16, 4))]


def get_init_inputs():
    return [[10, 20, 30, 15], 16]
