"""The end of a layer with manifold-constrained hyper-connections: the layer's output goes to each of n residual streams
with a weight of its own, and the streams are mixed by an n x n matrix, anew for every token.

Shapes: x and the result (tokens, n, channels); y (tokens, channels); h_post (tokens, n); h_res (tokens, n, n).
"""

from typing import Any

import torch


class Model(torch.nn.Module):
    def forward(
        self, x: torch.Tensor, y: torch.Tensor, h_post: torch.Tensor, h_res: torch.Tensor
    ) -> torch.Tensor:
        mixed = (h_res.unsqueeze(-1) * x.float().unsqueeze(-3)).sum(dim=-2)
        return (mixed + h_post.unsqueeze(-1) * y.float().unsqueeze(-2)).to(x.dtype)


def normal(params: dict[str, Any], *shape: int) -> torch.Tensor:
    return torch.randn(shape).to(getattr(torch, params["dtype"]))


def get_inputs(params: dict[str, Any]) -> list[Any]:
    t, n, c = params["shape"]
    h_res = torch.softmax(torch.randn(t, n, n), dim=-1)
    return [normal(params, t, n, c), normal(params, t, c), 2 * torch.sigmoid(torch.randn(t, n)), h_res]


def get_init_inputs(params: dict[str, Any]) -> list[Any]:
    return []
