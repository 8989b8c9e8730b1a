"""DLRM forward: bottom MLP, multi-hot embedding sums, pairwise dot interaction, top MLP, click probability."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, dense, dim, tables, rows):
        super().__init__()
        torch.manual_seed(41)
        self.emb = nn.Parameter(torch.randn(tables, rows, dim) * 0.05)
        self.bot = nn.Sequential(nn.Linear(dense, 64), nn.ReLU(), nn.Linear(64, dim), nn.ReLU())
        pairs = (tables + 1) * tables // 2
        self.top = nn.Sequential(nn.Linear(dim + pairs, 64), nn.ReLU(), nn.Linear(64, 1))
        self.tables = tables

    def forward(self, dense, ids):
        z = self.bot(dense)
        pooled = []
        for t in range(self.tables):
            pooled.append(self.emb[t][ids[:, t]].sum(dim=1))
        feats = torch.stack([z, *pooled], dim=1)
        dots = feats @ feats.transpose(1, 2)
        i, j = torch.tril_indices(self.tables + 1, self.tables + 1, offset=-1)
        flat = dots[:, i, j]
        return torch.sigmoid(self.top(torch.cat([z, flat], dim=1))).squeeze(1)


def get_inputs():
    torch.manual_seed(42)
    dense = torch.log1p(torch.rand(512, 13) * 100)
    return [dense, torch.randint(0, 400, (512, 8, 4))]


def get_init_inputs():
    return [13, 32, 8, 400]
