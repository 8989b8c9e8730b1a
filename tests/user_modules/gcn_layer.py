import torch
import torch.nn as nn


class Model(nn.Module):
    """Graph convolution from an edge list with symmetric degree normalisation."""

    def __init__(self, cin, cout):
        super().__init__()
        self.lin = nn.Linear(cin, cout, bias=False)
        self.bias = nn.Parameter(torch.zeros(cout))

    def forward(self, x, edge_index):
        row, col = edge_index
        deg = torch.zeros(x.size(0), dtype=x.dtype).index_add_(0, col, torch.ones(col.size(0), dtype=x.dtype))
        inv = deg.pow(-0.5)
        inv[inv == float("inf")] = 0
        norm = inv[row] * inv[col]
        h = self.lin(x)
        out = torch.zeros_like(h)
        out.index_add_(0, col, h[row] * norm.view(-1, 1))
        return out + self.bias


def get_inputs():
    return [torch.randn(30, 16), torch.randint(0, 30, (2, 90))]


def get_init_inputs():
    return [16, 24]
