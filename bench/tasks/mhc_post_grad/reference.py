"""The gradient of `mhc_post` with respect to each of its inputs, given that of its result.

out[i] = h_post[i] * y + sum over j of h_res[i, j] * x[j], for every token; i and j count n residual streams.
Shapes: grad, x (tokens, n, channels); y (tokens, channels); h_post (tokens, n); h_res (tokens, n, n).
"""

from typing import Any

import torch


class Model(torch.nn.Module):
    def forward(
        self,
        grad: torch.Tensor,
        x: torch.Tensor,
        y: torch.Tensor,
        h_post: torch.Tensor,
        h_res: torch.Tensor,
    ) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor]:
        g, x32, y32 = grad.float(), x.float(), y.float()
        grad_x = (h_res.unsqueeze(-1) * g.unsqueeze(-2)).sum(dim=-3)
        grad_y = (h_post.unsqueeze(-1) * g).sum(dim=-2)
        grad_h_post = (g * y32.unsqueeze(-2)).sum(dim=-1)
        grad_h_res = (g.unsqueeze(-2) * x32.unsqueeze(-3)).sum(dim=-1)
        return grad_x.to(x.dtype), grad_y.to(y.dtype), grad_h_post, grad_h_res


def normal(params: dict[str, Any], *shape: int) -> torch.Tensor:
    return torch.randn(shape).to(getattr(torch, params["dtype"]))


def get_inputs(params: dict[str, Any]) -> list[Any]:
    t, n, c = params["shape"]
    h_res = torch.softmax(torch.randn(t, n, n), dim=-1)
    h_post = 2 * torch.sigmoid(torch.randn(t, n))
    return [normal(params, t, n, c), normal(params, t, n, c), normal(params, t, c), h_post, h_res]


def get_init_inputs(params: dict[str, Any]) -> list[Any]:
    return []
