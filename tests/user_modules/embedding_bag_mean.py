import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, num, dim):
        super().__init__()
        self.bag = nn.EmbeddingBag(num, dim, mode="mean")

    def forward(self, ids):
        return self.bag(ids)


def get_inputs():
    return [torch.randint(0, 100, (9, 6))]


def get_init_inputs():
    return [100, 32]
