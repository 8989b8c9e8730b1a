import torch
import torch.nn as nn
import torch.nn.functional as F


class Model(nn.Module):
    def forward(self, q, k, v):
        q, k = F.relu(q) + 1e-3, F.relu(k) + 1e-3
        kv = torch.cumsum(k.unsqueeze(-1) * v.unsqueeze(-2), dim=2)
        ks = torch.cumsum(k, dim=2)
        num = (q.unsqueeze(-1) * kv).sum(-2)
        den = (q * ks).sum(-1, keepdim=True)
        return num / den


def get_inputs():
    return [torch.rand(1, 2, 32, 16) for _ in range(3)]


def get_init_inputs():
    return []
