import torch
import torch.nn as nn
import torch.nn.functional as F


class Model(nn.Module):
    def __init__(self, margin=0.3):
        super().__init__()
        self.margin = margin

    def forward(self, emb, labels):
        n = emb.size(0)
        dist = torch.pow(emb, 2).sum(dim=1, keepdim=True).expand(n, n)
        dist = dist + dist.t()
        dist = torch.addmm(dist, emb, emb.t(), beta=1, alpha=-2)
        dist = dist.clamp(min=1e-12).sqrt()
        same = labels.expand(n, n).eq(labels.expand(n, n).t())
        ap = (dist * same.float()).max(1)[0]
        an = (dist + same.float() * 1e6).min(1)[0]
        return F.relu(ap - an + self.margin).mean(), (an > ap).float().mean()


def get_inputs():
    return [torch.randn(24, 32), torch.arange(24) // 4]


def get_init_inputs():
    return []
