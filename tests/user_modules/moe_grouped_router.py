import torch
import torch.nn as nn


class Model(nn.Module):
    """DeepSeek-V3 gating: sigmoid scores, bias for choosing, groups limited."""

    def __init__(self, hidden, n_experts, n_group, topk_group, top_k, scale):
        super().__init__()
        self.n_group, self.topk_group, self.top_k, self.scale = n_group, topk_group, top_k, scale
        self.weight = nn.Parameter(torch.randn(n_experts, hidden) * 0.1)
        self.e_score_correction_bias = nn.Parameter(torch.randn(n_experts) * 0.01)

    def forward(self, x):
        scores = torch.nn.functional.linear(x.float(), self.weight.float()).sigmoid()
        n, e = scores.shape
        choice = scores + self.e_score_correction_bias.unsqueeze(0)
        group_scores = choice.view(n, self.n_group, -1).topk(2, dim=-1)[0].sum(dim=-1)
        group_idx = torch.topk(group_scores, k=self.topk_group, dim=-1, sorted=False)[1]
        group_mask = torch.zeros_like(group_scores)
        group_mask.scatter_(1, group_idx, 1)
        score_mask = group_mask.unsqueeze(-1).expand(n, self.n_group, e // self.n_group).reshape(n, -1)
        choice = choice.masked_fill(~score_mask.bool(), 0.0)
        _, topk_idx = torch.topk(choice, k=self.top_k, dim=-1, sorted=True)
        topk_weight = scores.gather(1, topk_idx)
        topk_weight = topk_weight / (topk_weight.sum(dim=-1, keepdim=True) + 1e-20)
        return topk_idx, topk_weight * self.scale


def get_inputs():
    return [torch.randn(29, 64)]


def get_init_inputs():
    return [64, 32, 4, 2, 4, 2.5]
