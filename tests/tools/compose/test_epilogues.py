"""A product and what follows it point by point, block by block: programs compute what PyTorch computes."""

from typing import Any

import pytest
import torch
import torch.nn.functional as F

from akgen.tools.compose.back.schedules.contraction import HIGHEST, WIDEST
from akgen.tools.dsl.ir import SyncAll, WaitFor, walk
from tests.sampled import sampled
from tests.tools.compose.composing import Fn, assert_right, assert_right_on_twin, composed, normal

H = torch.float16
X, W, V = normal(HIGHEST + 3, 24), normal(24, WIDEST + 20, seed=1), normal(WIDEST + 20, seed=2)
IMAGE, FILTERS = normal(2, 3, 9, 11), normal(5, 3, 3, 3, seed=1)


def gated(x: Any, w: Any, u: Any) -> Any:
    return F.silu(x @ w) * (x @ u)


CASES: dict[str, tuple[Fn, tuple[Any, ...]]] = {
    "an activation": (lambda x, w: torch.relu(x @ w), (X, W)),
    "bias and activation": (lambda x, w, v: F.gelu(x @ w + v), (X, W, V)),
    "halves": (lambda x, w, v: F.gelu(x @ w + v), (X.to(H), W.to(H), V.to(H))),
    "a number for each row": (lambda x, w, r: (x @ w) * r, (X, W, normal(HIGHEST + 3, 1, seed=3))),
    "a residual": (lambda x, w, r: torch.tanh(x @ w) + r, (X, W, normal(HIGHEST + 3, WIDEST + 20, seed=3))),
    "several products": (lambda x, w: torch.relu(torch.bmm(x, w)) + 1, (normal(5, 40, 8), normal(5, 8, 30))),
    "a linear layer of batches": (
        lambda x, w, v: F.leaky_relu(F.linear(x, w, v)), (normal(2, 7, 8), normal(12, 8), normal(12)),
    ),
    "two outputs": (lambda x, w, v: (torch.sigmoid(x @ w), (x @ w) * v), (X, W, V)),
    "what is multiplied is the sum before": (lambda x, w, v: torch.relu((x + v) @ w), (X, W, normal(24))),
    "gated by another product": (gated, (X, W, normal(24, WIDEST + 20, seed=4))),
    "its transpose": (lambda x, w: (x @ w).T + 1, (X, W)),
    "a convolution": (lambda x, w: torch.relu(F.conv2d(x, w, padding=1)), (IMAGE, FILTERS)),
}  # fmt: skip
LATER: dict[str, tuple[Fn, tuple[Any, ...]]] = {
    "a softmax": (lambda x, w: torch.softmax(x @ w, -1), (X, W)),
    "sums of columns": (lambda x, w: torch.relu(x @ w).sum(0), (X, W)),
    "another order": (lambda x, w: torch.relu(x @ w).roll(1, 0), (X, W)),
}


def phases_of(function: Fn, arguments: tuple[Any, ...]) -> tuple[int, bool]:
    """Return how often all cores meet, and whether the vector cores work beside the cube cores."""
    kernel = composed(function, arguments)[0].program.kernels[0]
    statements = list(walk(kernel.body))
    return sum(isinstance(s, SyncAll) for s in statements), any(isinstance(s, WaitFor) for s in statements)


@pytest.mark.parametrize("name", sampled(CASES, 4))
def test_it_computes_what_pytorch_computes_beside_the_product(name: str) -> None:
    function, arguments = CASES[name]
    assert phases_of(function, arguments)[1]
    assert_right(function, *[arguments])


@pytest.mark.parametrize("name", LATER)
def test_what_needs_more_than_a_block_waits_for_the_whole_product(name: str) -> None:
    function, arguments = LATER[name]
    assert not phases_of(function, arguments)[1]
    assert_right(function, *[arguments])


def test_an_activation_needs_no_phase_of_its_own() -> None:
    assert phases_of(*CASES["bias and activation"]) == (0, True)


def test_ragged_blocks_of_several_shapes_on_the_twin() -> None:
    assert_right_on_twin(lambda x, w, v: torch.relu(x @ w + v), X, W, V)
