import torch
import torch.nn as nn


class Model(nn.Module):
    """Compressed key/value projection with a decoupled rotary part."""

    def __init__(self, hidden, kv_rank, rope_dim, heads, nope, v_dim):
        super().__init__()
        self.kv_rank, self.rope_dim, self.heads, self.nope, self.v_dim = kv_rank, rope_dim, heads, nope, v_dim
        self.kv_a = nn.Linear(hidden, kv_rank + rope_dim, bias=False)
        self.norm = nn.LayerNorm(kv_rank)
        self.kv_b = nn.Linear(kv_rank, heads * (nope + v_dim), bias=False)

    def forward(self, x):
        b, s, _ = x.shape
        compressed = self.kv_a(x)
        latent, k_pe = torch.split(compressed, [self.kv_rank, self.rope_dim], dim=-1)
        kv = self.kv_b(self.norm(latent)).view(b, s, self.heads, self.nope + self.v_dim).transpose(1, 2)
        k_nope, v = kv.split([self.nope, self.v_dim], dim=-1)
        k = torch.empty(b, self.heads, s, self.nope + self.rope_dim, dtype=x.dtype)
        k[..., : self.nope] = k_nope
        k[..., self.nope :] = k_pe.view(b, 1, s, self.rope_dim)
        return k, v.contiguous()


def get_inputs():
    return [torch.randn(1, 18, 128)]


def get_init_inputs():
    return [128, 48, 16, 4, 24, 32]
