import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, clip=0.2, beta=0.04, group=4):
        super().__init__()
        self.clip, self.beta, self.group = clip, beta, group

    def forward(self, logits, ids, old_logp, ref_logp, rewards, mask):
        logp = torch.log_softmax(logits, -1).gather(2, ids[..., None])[..., 0]
        r = rewards.view(-1, self.group)
        adv = ((r - r.mean(1, keepdim=True)) / (r.std(1, keepdim=True) + 1e-4)).view(-1, 1)
        ratio = torch.exp(logp - old_logp)
        surr = torch.min(ratio * adv, ratio.clamp(1 - self.clip, 1 + self.clip) * adv)
        kl = torch.exp(ref_logp - logp) - (ref_logp - logp) - 1
        per_token = -(surr - self.beta * kl) * mask
        return (per_token.sum(1) / mask.sum(1)).mean()


def get_inputs():
    b, t, v = 8, 9, 40
    mask = torch.ones(b, t)
    mask[::3, 6:] = 0
    return [
        torch.randn(b, t, v),
        torch.randint(0, v, (b, t)),
        -torch.rand(b, t),
        -torch.rand(b, t),
        torch.randn(b),
        mask,
    ]


def get_init_inputs():
    return []
