"""Tensors without elements on the way to results that have some."""

from collections.abc import Callable
from typing import Any

import pytest
import torch

from tests.sampled import sampled
from tests.tools.compose.composing import assert_right, normal


def reduced(x: torch.Tensor) -> tuple[torch.Tensor, ...]:
    none = x[:, :0]
    return none.sum(1) + x[:, 0], none.prod(1) * x[:, 1], (none > 0).any(1), (none > 0).all(1)


def assigned(x: torch.Tensor) -> torch.Tensor:
    y = x.clone()
    y[:, 3:3] = x[:, 5:5] * 2
    y[torch.tensor([], dtype=torch.long)] = 1.0
    return y


def grown(x: torch.Tensor) -> torch.Tensor:
    found = x.new_zeros(0)
    for row in x[:3]:
        found = torch.cat([found, row[:4]])
    return found


def cholesky(a: torch.Tensor) -> torch.Tensor:
    low = torch.zeros_like(a)
    for j in range(a.shape[-1]):
        low[:, j, j] = torch.sqrt(a[:, j, j] - (low[:, j, :j] ** 2).sum(-1))
        for i in range(j + 1, a.shape[-1]):
            low[:, i, j] = (a[:, i, j] - (low[:, i, :j] * low[:, j, :j]).sum(-1)) / low[:, j, j]
    return low


X, W, SQUARE = normal(5, 7), normal(7, 5), normal(8, 4, 4)
FORMS: dict[str, tuple[Callable[..., Any], tuple[Any, ...]]] = {
    "reduced": (reduced, (X,)),
    "products": (lambda x, w: (x[:, :0] @ w[:0] + x @ w, torch.addmm(w[0], x[:, :0], w[:0])), (X, W)),
    "batched": (lambda x: x[:, :, :0] @ x[:, :0] - x, (SQUARE,)),
    "joined": (lambda x: (torch.cat([torch.tensor([]), x[0], x[1, :0], x[2]]), torch.cat([x[:, :0], x], 1)), (X,)),
    "assigned": (assigned, (X,)),
    "padded": (lambda x: torch.nn.functional.pad(x[:, :0], (2, 1), value=1.5) + x[:, :3], (X,)),
    "grown": (grown, (X,)),
    "cholesky": (cholesky, (SQUARE @ SQUARE.transpose(1, 2) + 4 * torch.eye(4),)),
}  # fmt: skip


@pytest.mark.parametrize("form", sampled(FORMS, 2))
def test_what_is_made_of_nothing_is_right(form: str) -> None:
    function, args = FORMS[form]
    assert_right(function, args)
