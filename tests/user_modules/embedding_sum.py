"""Token and position embeddings, summed and normalised."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, vocab, length, width):
        super().__init__()
        self.tok = nn.Embedding(vocab, width)
        self.pos = nn.Embedding(length, width)
        self.norm = nn.LayerNorm(width)

    def forward(self, ids):
        positions = torch.arange(ids.shape[1], device=ids.device)
        return self.norm(self.tok(ids) + self.pos(positions))


def get_inputs():
    return [torch.randint(0, 500, (3, 20))]


def get_init_inputs():
    return [500, 32, 96]
