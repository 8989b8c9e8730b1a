"""Whoever chooses otherwise than PyTorch among equal numbers is correct, and who chooses badly is wrong."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from akgen.tools.core.outcome import Outcome
from akgen.tools.judge.judge import Judge
from akgen.tools.reference.client import ReferenceWorker
from tests.tools.judge.judging import PROJECT, Kernel, MakeToolchain, task

MOST = """
import torch
class Model(torch.nn.Module):
    def forward(self, x):
        return tuple(torch.topk(x, 5, dim=-1))
def get_inputs(params):
    return [torch.randint(0, 6, (params["rows"], params["columns"])).float()]
"""


def most(inputs: list[Any], *, backwards: bool = True) -> tuple[Any, Any]:
    """Return the five largest of each row and their places; of equal ones the last, or the first."""
    keys = -inputs[0][:, ::-1] if backwards else -inputs[0]
    order = np.argsort(keys, -1, kind="stable")[:, :5]
    order = inputs[0].shape[1] - 1 - order if backwards else order
    return np.take_along_axis(inputs[0], order, -1), order.astype(np.int64)


def from_the_end(inputs: list[Any], _: Path) -> list[Any]:
    return list(most(inputs))


def from_the_start(inputs: list[Any], _: Path) -> list[Any]:
    return list(most(inputs, backwards=False))


def one_twice(inputs: list[Any], _: Path) -> list[Any]:
    values, places = most(inputs)
    places[1, 1] = places[1, 0]
    return [values, places]


def one_smaller(inputs: list[Any], _: Path) -> list[Any]:
    values, places = most(inputs)
    places[2, 3] = inputs[0][2].argmin()
    return [values, places]


def other_values(inputs: list[Any], _: Path) -> list[Any]:
    values, places = most(inputs)
    return [values * np.float32(1.01), places]


@pytest.mark.parametrize(
    ("kernel", "outcome"),
    [
        (from_the_end, Outcome.CORRECT),
        (from_the_start, Outcome.CORRECT),
        (one_twice, Outcome.WRONG),
        (one_smaller, Outcome.WRONG),
        (other_values, Outcome.WRONG),
    ],
)
def test_places_among_equal_numbers(
    reference: ReferenceWorker,
    tmp_path: Path,
    function_toolchain: MakeToolchain,
    kernel: Kernel,
    outcome: Outcome,
) -> None:
    judge, asked = Judge(function_toolchain(kernel), reference), task(tmp_path, MOST)
    verdict = judge.judge(PROJECT, asked, work=tmp_path / "work", seed=1)
    assert verdict.outcome == outcome
    if outcome == Outcome.WRONG:
        mismatch = verdict.cases[0].mismatch
        assert mismatch is not None and mismatch.count <= (
            5 if kernel is not other_values else mismatch.total
        )
