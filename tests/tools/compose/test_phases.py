"""What one loop nest cannot hold is computed in phases, which hand values on through the workspace."""

from collections.abc import Callable
from typing import Any

import pytest
import torch
import torch.nn.functional as F

from tests.tools.compose.composing import assert_right, composed, normal

Fn = Callable[..., Any]
MANY = tuple(normal(5, 9, seed=k) for k in range(12))
PHASED: dict[str, tuple[Fn, tuple[tuple[Any, ...], ...]]] = {
    "a reshape that mixes factors": (
        lambda x: torch.softmax(torch.tanh(x).reshape(-1, 8), -1),
        ((normal(4, 6),), (normal(20, 6),)),
    ),
    "reductions along three axes": (
        lambda x: torch.softmax(x, 1) * torch.softmax(x, 2) * torch.softmax(x, 0),
        ((normal(7, 9, 50),), (normal(3, 17, 64),)),
    ),
    "more tensors than events": (lambda *a: sum(a), (MANY,)),
    "a softmax of joined pieces": (
        lambda x, y: torch.softmax(torch.cat([x, y], 1), 1),
        ((normal(5, 9), normal(5, 20)), (normal(8, 30), normal(8, 3))),
    ),
}


TURNED: dict[str, tuple[Fn, tuple[tuple[Any, ...], ...]]] = {
    "a matrix and its transpose": (lambda x: x + x.T, ((normal(40, 40),), (normal(200, 200),))),
    "a transpose of what is computed": (
        lambda x: torch.exp(x) + torch.softmax(x, -1).T,
        ((normal(60, 60),), (normal(33, 33),)),
    ),
    "channels last": (lambda x: x.permute(0, 2, 3, 1).exp(), ((normal(2, 3, 8, 8),), (normal(2, 5, 4, 4),))),
    "a permutation of five axes": (
        lambda x: x.permute(4, 2, 0, 3, 1).exp(),
        ((normal(2, 3, 4, 5, 6),), (normal(3, 2, 5, 4, 8),)),
    ),
    "rows of a permutation": (
        lambda x: torch.softmax(x.permute(0, 2, 1), -1),
        ((normal(2, 3, 40),), (normal(2, 50, 40),)),
    ),
    "group norm of channels last": (
        lambda x, g: F.group_norm(x.permute(0, 3, 1, 2), 4, g, g).permute(0, 2, 3, 1),
        ((normal(2, 4, 4, 8), normal(8)),),
    ),
    "pairs that lie apart": (
        lambda x, c, s: torch.stack(
            [x[..., ::2] * c - x[..., 1::2] * s, x[..., ::2] * s + x[..., 1::2] * c], -1
        ).flatten(-2),
        ((normal(5, 7, 20), normal(7, 10), normal(7, 10)),),
    ),
    "results of rows side by side": (lambda x: torch.stack([x.sum(-1), x.amax(-1)], -1), ((normal(5, 20),),)),
}


@pytest.mark.parametrize("name", TURNED)
def test_axes_that_lie_otherwise_in_memory(name: str) -> None:
    function, cases = TURNED[name]
    assert_right(function, *cases)


@pytest.mark.parametrize("name", PHASED)
def test_phases_compute_what_pytorch_computes(name: str) -> None:
    function, cases = PHASED[name]
    assert_right(function, *cases)


def test_cases_of_one_structure_have_one_program() -> None:
    function, cases = PHASED["reductions along three axes"]
    composition, _, _ = composed(function, *cases)
    assert len(composition.groups) == 1


def test_the_cut_is_made_where_the_fewest_bytes_go_through_memory() -> None:
    function = lambda x: torch.softmax((x - x.amax(1, keepdim=True)).reshape(-1, 8), -1)  # noqa: E731
    composition, _, _ = composed(lambda x: function(x).sum(), (normal(4, 6),))
    counts = [count for g in composition.groups for t in g.templates for _, count, _ in t.temps]
    assert composition.dsl.count("workspace(") >= len(counts) == 1
