"""Gradients of layer norm with respect to its input, weight and bias."""

import torch


class Model(torch.nn.Module):
    def forward(
        self, grad: torch.Tensor, x: torch.Tensor, weight: torch.Tensor
    ) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        mean = x.mean(dim=-1, keepdim=True)
        rstd = torch.rsqrt(((x - mean) ** 2).mean(dim=-1, keepdim=True) + 1e-5)
        normal = (x - mean) * rstd
        weighted = grad * weight
        shift = weighted.mean(dim=-1, keepdim=True)
        along = (weighted * normal).mean(dim=-1, keepdim=True)
        return rstd * (weighted - shift - normal * along), (grad * normal).sum(dim=0), grad.sum(dim=0)


def get_inputs() -> list[torch.Tensor]:
    return [torch.randn(1024, 768), torch.randn(1024, 768), torch.rand(768) + 0.5]


def get_init_inputs() -> list[object]:
    return []
