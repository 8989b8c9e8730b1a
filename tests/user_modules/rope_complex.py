import torch
import torch.nn as nn


class Model(nn.Module):
    """Llama's own: view_as_complex times a table of polar numbers."""

    def __init__(self, dim, end, theta=10000.0):
        super().__init__()
        freqs = 1.0 / (theta ** (torch.arange(0, dim, 2)[: (dim // 2)].float() / dim))
        t = torch.arange(end, dtype=torch.float32)
        freqs = torch.outer(t, freqs)
        self.register_buffer("freqs_cis", torch.polar(torch.ones_like(freqs), freqs))

    def forward(self, xq, xk):
        seqlen = xq.shape[1]
        xq_ = torch.view_as_complex(xq.float().reshape(*xq.shape[:-1], -1, 2))
        xk_ = torch.view_as_complex(xk.float().reshape(*xk.shape[:-1], -1, 2))
        cis = self.freqs_cis[:seqlen].view(1, seqlen, 1, xq_.shape[-1])
        xq_out = torch.view_as_real(xq_ * cis).flatten(3)
        xk_out = torch.view_as_real(xk_ * cis).flatten(3)
        return xq_out.type_as(xq), xk_out.type_as(xk)


def get_inputs():
    return [torch.randn(2, 19, 6, 32), torch.randn(2, 19, 2, 32)]


def get_init_inputs():
    return [32, 64]
