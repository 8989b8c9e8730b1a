"""Constants that a reference writes by many calls are one formula; numbers that follow no rule stay as written."""

from collections.abc import Callable
from typing import Any

import pytest
import torch

from akgen.tools.compose.front.record import CapturedGraph, record
from akgen.tools.compose.front.record_constants import formula
from tests.tools.compose.composing import assert_right, normal


def identity(w: Any) -> Any:
    made = torch.zeros_like(w)
    for i in range(w.shape[0]):
        made[i, i % w.shape[1], 1] = 1
    return made


def band(w: Any) -> Any:
    mask = torch.zeros(100, 100)
    for i in range(100):
        mask[i, max(0, i - 7) : i + 1] = 1
    return mask


def blocks(w: Any) -> Any:
    mask = torch.full((60, 60), -1e4)
    for b in range(10):
        mask[b * 6 : b * 6 + 6, b * 6 : b * 6 + 6] = 0
    return mask


def places(w: Any) -> Any:
    found = torch.zeros(8, 16, dtype=torch.int64)
    for i in range(8):
        for j in range(16):
            found[i, j] = 3 * i + j - 4
    return found


def triangle(w: Any) -> Any:
    mask = torch.ones(40, 40, dtype=torch.bool)
    for i in range(40):
        mask[i, i + 1 :] = False
    return mask


WRITTEN: list[Callable[..., Any]] = [identity, band, blocks, places, triangle]


class Beside(torch.nn.Module):
    def __init__(self, constant: Callable[..., Any]) -> None:
        super().__init__()
        self.constant = constant

    def forward(self, w: Any) -> Any:
        return w.sum() * self.constant(w)


def _calls(found: CapturedGraph) -> int:
    return sum(node.op == "call_function" for node in found.graph.nodes)


@pytest.mark.parametrize("constant", WRITTEN, ids=lambda f: f.__name__)
def test_a_constant_of_many_writes_is_a_short_formula(constant: Callable[..., Any]) -> None:
    found = record(Beside(constant), (torch.rand(24, 8, 3),))
    assert _calls(found) < 30
    assert_right(Beside(constant), [normal(24, 8, 3)])


def test_a_constant_that_is_returned_keeps_its_name() -> None:
    found = record(Beside(lambda w: 0 * w), (torch.rand(24, 8, 3),))
    assert set(found.returned) <= {n.name for n in found.graph.nodes}

    class Both(torch.nn.Module):
        def forward(self, w: Any) -> Any:
            return identity(w), w + identity(w)

    both = record(Both(), (torch.rand(24, 8, 3),))
    assert _calls(both) < 60 and set(both.returned) <= {n.name for n in both.graph.nodes}
    assert_right(Both(), [normal(24, 8, 3)])


def test_numbers_without_a_rule_have_no_formula() -> None:
    generator = torch.Generator().manual_seed(3)
    assert formula(torch.rand(70, 5, generator=generator)) is None
    assert formula(torch.tensor(2.0)) is None


@pytest.mark.parametrize(
    "numbers",
    [
        [0, 1, 2, 3],
        [3, 3, 3, 2, 2, 2],
        [0, 1, 2, 0, 1, 2],
        [0, 0, 1, 2, 3, 3],
        [5, 1, 4, 4, 2],
        [True, False, True],
    ],
)
def test_a_row_of_numbers_is_itself(numbers: list[int]) -> None:
    made = formula(torch.tensor(numbers))
    assert made is not None and made().tolist() == numbers and made().dtype == torch.tensor(numbers).dtype
