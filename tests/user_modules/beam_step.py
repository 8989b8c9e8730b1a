"""One step of beam search: scores added up, the best k of beams times vocabulary."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, k):
        super().__init__()
        self.k = k

    def forward(self, scores, log_probs):
        total = scores.unsqueeze(-1) + log_probs
        flat = total.view(total.shape[0], -1)
        best, index = torch.topk(flat, self.k, dim=-1)
        return best, index // log_probs.shape[-1], index % log_probs.shape[-1]


def get_inputs():
    return [torch.randn(2, 4), torch.log_softmax(torch.randn(2, 4, 100), -1)]


def get_init_inputs():
    return [4]
