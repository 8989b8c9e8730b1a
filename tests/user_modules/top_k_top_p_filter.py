import torch
import torch.nn as nn
import torch.nn.functional as F


class Model(nn.Module):
    """Hugging Face's warpers: temperature, then top-k, then top-p, masked back by scatter."""

    def __init__(self, temperature=0.7, top_k=50, top_p=0.9):
        super().__init__()
        self.temperature, self.top_k, self.top_p = temperature, top_k, top_p

    def forward(self, logits):
        logits = logits / self.temperature
        k = min(self.top_k, logits.size(-1))
        remove = logits < torch.topk(logits, k)[0][..., -1, None]
        logits = logits.masked_fill(remove, float("-inf"))
        sorted_logits, sorted_indices = torch.sort(logits, descending=True)
        cumulative = F.softmax(sorted_logits, dim=-1).cumsum(dim=-1)
        to_remove = cumulative > self.top_p
        to_remove[..., 1:] = to_remove[..., :-1].clone()
        to_remove[..., 0] = 0
        mask = to_remove.scatter(1, sorted_indices, to_remove)
        return F.softmax(logits.masked_fill(mask, -float("inf")), dim=-1)


def get_inputs():
    return [torch.randn(3, 777)]


def get_init_inputs():
    return []
