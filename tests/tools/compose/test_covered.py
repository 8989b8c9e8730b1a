"""Cases that lowering writes in several forms are served by one template, which holds at sizes of all of them."""

from typing import Any

import pytest
import torch
import torch.nn.functional as F

from tests.sampled import sampled
from tests.tools.compose.composing import Fn, assert_close, composed, normal, run

Args = tuple[Any, ...]


def images(*shapes: tuple[int, ...]) -> tuple[Args, ...]:
    return tuple((normal(*shape),) for shape in shapes)


# What is computed, the cases that it is composed for, and one of the first case's kind at other sizes.
FORMS: dict[str, tuple[Fn, tuple[Args, ...], Args]] = {
    "a single image": (
        lambda x: F.max_pool2d(x, 2, return_indices=True),
        images((1, 1, 5, 7), (2, 16, 32, 32), (3, 5, 29, 37)),
        (normal(1, 1, 6, 8),),
    ),
    "a single group of channels": (
        lambda x: F.pixel_shuffle(x, 2),
        images((1, 4, 3, 5), (2, 16, 16, 16), (1, 12, 9, 21)),
        (normal(1, 4, 5, 4),),
    ),
    "a single matrix": (
        lambda x, y: torch.bmm(x, y.transpose(1, 2)) * x.shape[-1] ** -0.5,
        tuple((normal(*s), normal(*s, seed=1)) for s in ((1, 5, 7), (4, 64, 64), (3, 37, 40))),
        (normal(1, 6, 9), normal(1, 6, 9)),
    ),
    "a single row": (
        lambda x: x - x.mean(-1, keepdim=True),
        images((1, 33), (7, 64), (5, 129)),
        (normal(1, 40),),
    ),
    "a batch of one transposed": (
        lambda x: x.transpose(1, 2) + 1.0,
        images((1, 6, 9), (4, 8, 16), (3, 5, 7)),
        (normal(1, 4, 11),),
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", sampled(FORMS, 2))
def test_a_case_of_another_form_takes_the_wider_one(name: str) -> None:
    function, cases, other = FORMS[name]
    composition, _, _ = composed(function, *cases)
    assert len(composition.groups) == 1
    for args in (*cases, other):
        _, (loaded,), (raw,) = composed(function, args)
        for got, want in zip(run(composition, loaded, raw), loaded.sample(0, "task").expected, strict=True):
            assert_close(got, want)


def test_cases_that_compute_something_else_stay_apart() -> None:
    def varies(x: Any) -> Any:
        return x.sum(-1) if x.shape[0] > 1 else x.sum(-1) * 2.0

    composition, loaded, raws = composed(varies, *images((1, 33), (7, 64), (5, 129)))
    assert len(composition.groups) == 2
    for case, raw in zip(loaded, raws, strict=True):
        for got, want in zip(run(composition, case, raw), case.sample(0, "task").expected, strict=True):
            assert_close(got, want)
