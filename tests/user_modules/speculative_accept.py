import torch
import torch.nn as nn


class Model(nn.Module):
    """How many drafted tokens are accepted, and the residual distribution after the first rejected one."""

    def forward(self, draft_probs, target_probs, draft_ids, uniform):
        p = target_probs[:, :-1].gather(-1, draft_ids.unsqueeze(-1)).squeeze(-1)
        q = draft_probs.gather(-1, draft_ids.unsqueeze(-1)).squeeze(-1)
        ratio = torch.clamp(p / q.clamp_min(1e-8), max=1.0)
        accept = (uniform < ratio).long()
        n_accept = accept.cumprod(dim=1).sum(dim=1)
        padded = torch.cat([draft_probs, torch.zeros_like(draft_probs[:, :1])], dim=1)
        idx = n_accept.view(-1, 1, 1).expand(-1, 1, target_probs.size(-1))
        rest = (target_probs.gather(1, idx) - padded.gather(1, idx)).clamp(min=0).squeeze(1)
        return n_accept, rest / rest.sum(-1, keepdim=True).clamp_min(1e-10)


def get_inputs():
    b, k, v = 5, 4, 60
    return [
        torch.randn(b, k, v).softmax(-1),
        torch.randn(b, k + 1, v).softmax(-1),
        torch.randint(0, v, (b, k)),
        torch.rand(b, k),
    ]


def get_init_inputs():
    return []
