"""A candidate's places stand where they are as good as the reference's, and what is made of them follows."""

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest
import torch

from akgen.tools.core.task import Case
from akgen.tools.reference.module_loader import ModuleCase

ROWS = torch.tensor([[2.0, 1.0, 2.0, 0.0, 2.0], [3.0, 3.0, 1.0, 3.0, 0.0]])
PAYLOAD = torch.arange(10.0).reshape(2, 5) * 1.5
FIRST, LAST = torch.tensor([[0, 2], [0, 1]]), torch.tensor([[4, 2], [3, 1]])
ORDER = torch.tensor([[4, 0, 2, 1, 3], [1, 3, 0, 2, 4]])
FALLING = ROWS.gather(1, ORDER)
TIED_SCORES = torch.tensor([[0.1, 0.3, 0.3]])

Fn = Callable[..., Any]


class Model(torch.nn.Module):
    def __init__(self, function: Fn) -> None:
        super().__init__()
        self.function = function

    def forward(self, *args: torch.Tensor) -> Any:
        return self.function(*args)


def fits(function: Fn, given: list[torch.Tensor], got: list[torch.Tensor]) -> bool:
    """Say whether outputs are what is expected of who chose as they do."""
    module: Any = SimpleNamespace(
        __file__="reference.py",
        Model=lambda: Model(function),
        get_inputs=lambda: [g.clone() for g in given],
    )
    case = ModuleCase(module, Case(id="0"))
    sample = case.sample(1, "task")
    assert sample.gives_places
    chosen = case.chosen(sample, got)
    assert chosen is not None
    return all(torch.equal(g.double(), e.double()) for g, e in zip(got, chosen.expected, strict=True))


def both(x: torch.Tensor) -> Any:
    return tuple(x.topk(2))


def carried(x: torch.Tensor, p: torch.Tensor) -> Any:
    order = x.argsort(descending=True)
    return order, p.gather(1, order)


def second_of_two(x: torch.Tensor) -> Any:
    return x.topk(2).indices[:, 1]


def again_below(x: torch.Tensor) -> Any:
    """Choose two groups, then the best of the first one's own order."""
    groups = x.topk(2).indices
    return groups, x.gather(1, groups).flip(1).sort(descending=True).indices


GOOD: dict[str, tuple[Fn, list[torch.Tensor], list[torch.Tensor]]] = {
    "other equal elements": (both, [ROWS], [ROWS.topk(2).values, LAST]),
    "the reference's own": (both, [ROWS], [ROWS.topk(2).values, ROWS.topk(2).indices]),
    "in integers": (lambda x: x.topk(2).indices, [ROWS.int()], [LAST]),
    "as int32": (lambda x: x.topk(2).indices.int(), [ROWS], [LAST.int()]),
    "as numbers": (lambda x: x.topk(2).indices.float(), [ROWS], [LAST.float()]),
    "turned round": (lambda x: x.topk(2).indices.t().contiguous(), [ROWS], [LAST.t()]),
    "turned round and flat": (lambda x: x.topk(2).indices.t().reshape(-1), [ROWS], [LAST.t().reshape(-1)]),
    "cut": (lambda x: x.argsort(descending=True)[:, :2], [ROWS], [LAST]),
    "side by side": (
        lambda x: torch.cat([x.topk(2).indices, (-x).topk(2).indices], 1),
        [ROWS],
        [torch.cat([LAST, torch.tensor([[3, 1], [4, 2]])], 1)],
    ),
    "a sort": (lambda x: tuple(x.sort(descending=True)), [ROWS], [FALLING, ORDER]),
    "what is carried along": (carried, [ROWS, PAYLOAD], [ORDER, PAYLOAD.gather(1, ORDER)]),
    "one of two, the other out of sight": (second_of_two, [ROWS], [torch.tensor([0, 0])]),
    "along columns": (lambda x: x.argsort(dim=0), [ROWS[:, :1].repeat(2, 1)], [torch.tensor([[2], [0], [3], [1]])]),
    "a median": (lambda x: x.median(1).indices, [ROWS[:1]], [torch.tensor([2])]),
    "a median that keeps its dimension": (lambda x: x.median(1, True)[1], [ROWS[:1]], [torch.tensor([[4]])]),
    "a k-th value": (lambda x: x.kthvalue(4).indices, [ROWS], [torch.tensor([0, 0])]),
    "the most frequent": (lambda x: x.mode(1).indices, [ROWS], [torch.tensor([0, 1])]),
    "the largest so far": (lambda x: x.cummax(1).indices, [ROWS[:1]], [torch.tensor([[0, 0, 2, 0, 4]])]),
    "in no order": (lambda x: x.topk(2, sorted=False).indices, [ROWS[:, 1:]], [torch.tensor([[3, 1], [2, 0]])]),
    "the first of equal elements": (lambda x: x.argmax(1), [ROWS], [torch.tensor([0, 0])]),
    "one order made from another": (again_below, [ROWS], [LAST, torch.tensor([[1, 0], [0, 1]])]),
    "nearly equal scores": (lambda x: (x * 3.1 / 3.1).argmax(1), [TIED_SCORES], [torch.tensor([2])]),
}  # fmt: skip
BAD: dict[str, tuple[Fn, list[torch.Tensor], list[torch.Tensor]]] = {
    "one place twice": (both, [ROWS], [ROWS.topk(2).values, torch.tensor([[4, 4], [3, 1]])]),
    "a smaller element": (both, [ROWS], [ROWS.topk(2).values, torch.tensor([[4, 1], [3, 1]])]),
    "outside": (both, [ROWS], [ROWS.topk(2).values, torch.tensor([[4, 5], [3, 1]])]),
    "before the first": (both, [ROWS], [ROWS.topk(2).values, torch.tensor([[4, -1], [3, 1]])]),
    "not a number": (
        lambda x: x.topk(2).indices.float(), [ROWS], [torch.tensor([[4, torch.nan], [3, 1]])],
    ),
    "between two": (lambda x: x.topk(2).indices.float(), [ROWS], [LAST + 0.5]),
    "other values": (both, [ROWS], [ROWS.topk(2).values + 1, LAST]),
    "what is carried from elsewhere": (carried, [ROWS, PAYLOAD], [ORDER, PAYLOAD]),
    "a stable sort": (lambda x: tuple(x.sort(descending=True, stable=True)), [ROWS], [FALLING, ORDER]),
    "not the first of equal elements": (lambda x: x.argmax(1), [ROWS], [torch.tensor([4, 0])]),
    "not the first, with its value": (lambda x: tuple(x.max(1)), [ROWS], [ROWS.amax(1), torch.tensor([4, 0])]),
    "one to come": (lambda x: x.cummax(1).indices, [ROWS[:1]], [torch.tensor([[0, 0, 4, 0, 4]])]),
    "in the wrong order": (both, [ROWS[:, :2]], [ROWS[:, :2].topk(2).values, torch.tensor([[1, 0], [1, 0]])]),
    "far from the largest score": (
        lambda x: (x * 3.1 / 3.1).argmax(1), [TIED_SCORES], [torch.tensor([0])],
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", GOOD)
def test_good_places_are_taken(name: str) -> None:
    assert fits(*GOOD[name])


@pytest.mark.parametrize("name", BAD)
def test_bad_places_are_not(name: str) -> None:
    assert not fits(*BAD[name])


def test_a_row_that_chose_badly_takes_no_good_one_with_it() -> None:
    module: Any = SimpleNamespace(
        __file__="reference.py", Model=lambda: Model(both), get_inputs=lambda: [ROWS.clone()]
    )
    case = ModuleCase(module, Case(id="0"))
    sample = case.sample(1, "task")
    got = [ROWS.topk(2).values, torch.tensor([[4, 4], [3, 1]])]
    chosen = case.chosen(sample, got)
    assert chosen is not None
    assert (chosen.expected[1] == got[1]).tolist() == [
        [a == b for a, b in zip(ROWS.topk(2).indices[0].tolist(), [4, 4], strict=True)],
        [True, True],
    ]
