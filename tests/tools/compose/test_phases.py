"""What one loop nest cannot hold is computed in phases, which hand values on through the workspace."""

from collections.abc import Callable
from typing import Any

import pytest
import torch

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
