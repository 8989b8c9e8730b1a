import torch
import torch.nn as nn
import torch.nn.functional as F


class Model(nn.Module):
    """Mixtral-like: all experts computed, combined by routing weights scattered into a dense matrix."""

    def __init__(self, dim, ffn, num_experts, top_k):
        super().__init__()
        self.top_k = top_k
        self.num_experts = num_experts
        self.gate = nn.Linear(dim, num_experts, bias=False)
        self.w1 = nn.Parameter(torch.randn(num_experts, ffn, dim) * 0.05)
        self.w2 = nn.Parameter(torch.randn(num_experts, dim, ffn) * 0.05)

    def forward(self, x):
        logits = self.gate(x)
        weights = F.softmax(logits, dim=1, dtype=torch.float)
        weights, selected = torch.topk(weights, self.top_k, dim=-1)
        weights /= weights.sum(dim=-1, keepdim=True)
        dense = torch.zeros_like(logits).scatter_(1, selected, weights)
        h = F.silu(torch.einsum("td,efd->tef", x, self.w1))
        y = torch.einsum("tef,edf->ted", h, self.w2)
        return (y * dense.unsqueeze(-1)).sum(dim=1)


def get_inputs():
    return [torch.randn(21, 32)]


def get_init_inputs():
    return [32, 48, 4, 2]
