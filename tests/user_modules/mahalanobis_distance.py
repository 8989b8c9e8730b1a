import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, x, y, L):
        d = x.unsqueeze(1) - y.unsqueeze(0)
        z = torch.matmul(d, torch.tril(L) + torch.eye(L.size(0)))
        k = torch.exp(-0.5 * z.square().sum(-1))
        return k, torch.triu(k[:, : k.size(0)], 1).sum(), torch.cdist(x, y, p=1)


def get_inputs():
    return [torch.randn(20, 8), torch.randn(30, 8), torch.randn(8, 8) * 0.2]


def get_init_inputs():
    return []
