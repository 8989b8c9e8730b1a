import torch
import torch.nn as nn


def rotate_half(x):
    x1 = x[..., : x.shape[-1] // 2]
    x2 = x[..., x.shape[-1] // 2 :]
    return torch.cat((-x2, x1), dim=-1)


class Model(nn.Module):
    """Partial rotary embedding (a quarter of the head), cos and sin from a buffer, picked by position ids."""

    def __init__(self, head_dim, rotary_pct, max_len):
        super().__init__()
        self.rot = int(head_dim * rotary_pct)
        inv_freq = 1.0 / (10000 ** (torch.arange(0, self.rot, 2).float() / self.rot))
        freqs = torch.outer(torch.arange(max_len).float(), inv_freq)
        emb = torch.cat((freqs, freqs), dim=-1)
        self.register_buffer("cos", emb.cos(), persistent=False)
        self.register_buffer("sin", emb.sin(), persistent=False)

    def forward(self, q, k, position_ids):
        cos = self.cos[position_ids].unsqueeze(1)
        sin = self.sin[position_ids].unsqueeze(1)
        outs = []
        for t in (q, k):
            rot, passthrough = t[..., : self.rot], t[..., self.rot :]
            rot = rot * cos + rotate_half(rot) * sin
            outs.append(torch.cat((rot, passthrough), dim=-1))
        return tuple(outs)


def get_inputs():
    pos = torch.arange(20).unsqueeze(0).repeat(2, 1) + torch.tensor([[0], [5]])
    return [torch.randn(2, 8, 20, 64), torch.randn(2, 2, 20, 64), pos]


def get_init_inputs():
    return [64, 0.25, 128]
