import torch
import torch.nn as nn


class Model(nn.Module):
    """Feature hashing: xorshift on int32, modulo buckets, then a lookup."""

    def __init__(self, buckets, dim):
        super().__init__()
        self.buckets = buckets
        self.table = nn.Embedding(buckets, dim)

    def forward(self, ids):
        h = ids.to(torch.int32)
        h = h ^ (h << 13)
        h = h ^ ((h >> 17) & 0x7FFF)
        h = h ^ (h << 5)
        slot = torch.remainder(h, self.buckets)
        return self.table(slot), slot


def get_inputs():
    return [torch.randint(0, 100000, (6, 11))]


def get_init_inputs():
    return [64, 16]
