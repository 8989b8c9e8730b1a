"""Where a result hangs on the order of equal elements that no output shows, the task's own inputs have none."""

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest
import torch

from akgen.tools.core.task import Case
from akgen.tools.reference.choices.ties import apart, hangs_on_ties
from akgen.tools.reference.module_loader import ModuleCase

Fn = Callable[..., Any]


class Model(torch.nn.Module):  # type: ignore[misc]
    def __init__(self, function: Fn) -> None:
        super().__init__()
        self.function = function

    def forward(self, *args: torch.Tensor) -> Any:
        return self.function(*args)


def logits() -> torch.Tensor:
    return (torch.randn(16, 500) * 3).to(torch.bfloat16)


def few() -> torch.Tensor:
    return torch.randint(-3, 4, (4, 100)).float()


def top_p(x: torch.Tensor) -> torch.Tensor:
    """Keep the most probable elements whose sum is 0.8 together: of two equal ones, perhaps one."""
    probs = torch.softmax(x.float(), -1)
    ranked, places = torch.sort(probs, dim=-1, descending=True)
    drop = ranked.cumsum(-1) - ranked > 0.8
    return probs.masked_fill(torch.zeros_like(drop).scatter(1, places, drop), 0.0)


def carried(x: torch.Tensor) -> torch.Tensor:
    payload = torch.arange(x.numel()).reshape(x.shape)
    return payload.gather(1, x.topk(8, sorted=False).indices)


def middle(x: torch.Tensor) -> torch.Tensor:
    return torch.arange(x.shape[1]).mul(3)[x.median(-1).indices]


def down(x: torch.Tensor) -> torch.Tensor:
    return torch.arange(x.shape[0])[:, None].mul(3).expand(x.shape).gather(0, x.argsort(0))


def drawn(function: Fn, make: Callable[[], torch.Tensor], seed: int) -> tuple[torch.Tensor, torch.Tensor]:
    """Return the input of a trial, and what the task's own function gives with the same seed."""
    module: Any = SimpleNamespace(
        __file__="reference.py", Model=lambda: Model(function), get_inputs=lambda: [make()]
    )
    case = ModuleCase(module, Case(id="0"))
    return case.sample(seed, "task").inputs[0], case._task_args(seed)[0]


@pytest.mark.parametrize("function", [top_p, carried, middle, down])
def test_a_result_that_hangs_on_hidden_places_is_asked_for_without_equal_elements(function: Fn) -> None:
    hung = 0
    for seed in range(3):
        given, own = drawn(function, logits, seed)
        assert not hangs_on_ties(Model(function), [given])
        hung += hangs_on_ties(Model(function), [own])
        assert (given != own).any() == hangs_on_ties(Model(function), [own])
        assert torch.equal(given.sign(), own.sign()) and given.abs().max() <= own.abs().max()
        assert ((given - own).abs() <= 0.5 * own.abs()).all()
    assert hung


@pytest.mark.parametrize(
    ("function", "make"),
    [
        (lambda x: x.topk(8).values, logits),  # whichever of equal elements comes first
        (lambda x: x.topk(8).indices, logits),  # a candidate's own places are followed
        (lambda x: torch.arange(x.shape[1])[x.sort(stable=True).indices], logits),  # one order is right
        (lambda x: torch.arange(x.shape[1]).mul(3)[x.argsort(-1)], few),  # nothing lies between few numbers
        (lambda x: x.sort(-1).values.cumsum(-1), few),
    ],
)
def test_elsewhere_equal_elements_stay(function: Fn, make: Callable[[], torch.Tensor]) -> None:
    given, own = drawn(function, make, 1)
    assert torch.equal(given, own)


def test_numbers_are_moved_apart_in_their_order() -> None:
    own = logits()
    given = next(apart([own]))[0]
    assert (own.gather(-1, given.sort(-1).indices).diff(dim=-1) >= 0).all()
    assert all(len(row.unique()) == len(row) for row in given)
    assert not list(apart([few(), torch.arange(5), 3.0, [torch.zeros(3)]]))
    assert not list(apart([torch.tensor([1.0, 1.0, float("inf")])]))
