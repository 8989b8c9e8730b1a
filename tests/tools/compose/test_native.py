"""What half-precision tensors are computed in as they are, and what goes through float32."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch

from akgen.tools.compose.program import compose
from tests.tools.compose.composing import array, assert_right_on_twin, composed, normal, run

HALF = torch.float16
Fn = Callable[..., Any]
X, Y = normal(5, 70, dtype=HALF), normal(5, 70, dtype=HALF, seed=1)
ROW, COLUMN = normal(70, dtype=HALF, seed=2), normal(5, 1, dtype=HALF, seed=3)
EDGES = torch.tensor([[0.0, -0.0, torch.inf, -torch.inf, torch.nan, 65504.0, 6e-8, -1.5]], dtype=HALF)
NATIVE: dict[str, tuple[Fn, tuple[torch.Tensor, ...]]] = {
    "sums and products one by one": (lambda x, y: (x + y) * x - y * y, (X, Y)),
    "a row and a column": (lambda x, b, c: (x + b) * c, (X, ROW, COLUMN)),
    "numbers that half holds": (lambda x: (x * 3 + 0.25) * -2, (X,)),
    "clamped at a number that it does not hold": (lambda x: torch.clamp(x, -0.1, 0.3), (X,)),
    "compared with such a number": (lambda x: torch.where(x >= 0.1, x, -x), ((X * 10).round() / 10,)),
    "signs and sizes": (lambda x, y: torch.maximum(x.abs(), torch.relu(-y)), (X, Y)),
    "finite or not": (lambda x: (torch.isfinite(x), torch.isnan(x), x.abs()), (EDGES,)),
    "beyond the largest": (lambda x, y: x * x + y, (X * 300, Y)),
    "from a mask": (lambda x, m: torch.where(m, x, x + x), (X, Y > 0)),
    "turned": (lambda x, y: x.t() + y, (normal(70, 5, dtype=HALF), Y)),
}
THROUGH_FLOAT: dict[str, Fn] = {
    "a number that half does not hold": lambda x, y: x * 0.1 + y,
    "a function": lambda x, y: torch.exp(x) + y,
    "one operation that is several": lambda x, y: torch.addcmul(x, x, y, value=0.5),
    "a sum of many": lambda x, y: x + y.sum(-1, keepdim=True),
    "rounded to another type": lambda x, y: x.float() + y.float(),
    "a quotient": lambda x, y: x / (y.abs() + 1),
}


@pytest.mark.parametrize("name", NATIVE)
def test_half_gives_the_very_numbers_of_pytorch(name: str) -> None:
    function, args = NATIVE[name]
    composition, (case,), (raw,) = composed(function, args)
    assert "native(" in composition.dsl
    for got, want in zip(run(composition, case, raw), case.sample(0, "task").expected, strict=True):
        np.testing.assert_array_equal(got, array(want))


@pytest.mark.parametrize("name", THROUGH_FLOAT)
def test_what_half_would_round_more_often_is_computed_in_float(name: str) -> None:
    composition, _, _ = composed(THROUGH_FLOAT[name], (X, Y))
    assert "native(" not in composition.dsl


def test_one_text_serves_every_float() -> None:
    cases = [(X.to(d), Y.to(d)) for d in (HALF, torch.float32, torch.bfloat16)]
    composition, loaded, raws = composed(lambda x, y: torch.relu(x + y), *cases)
    assert len(composition.kernels) == 1
    for case, raw in zip(loaded, raws, strict=True):
        (got,), (want,) = run(composition, case, raw), case.sample(0, "task").expected
        np.testing.assert_array_equal(got, array(want))


def test_types_side_by_side_are_computed_in_float() -> None:
    composition, _, _ = composed(lambda x, y: x + y, (X, Y.float()))
    assert "native(" not in composition.dsl


def test_rounded_one_by_one_halves_are_cast_only_around_functions() -> None:
    _, (case,), (raw,) = composed(lambda x, y, b: torch.exp(-(x + y) * b).neg() * y + 1, (X, Y, ROW))
    composition = compose("TestOp", "test_op", [raw], faithful=True)
    (got,), (want,) = run(composition, case, raw), case.sample(0, "task").expected
    np.testing.assert_array_equal(got, array(want))
    assert composition.dsl.split("@ascend_host")[0].count("cast(") == 2 * len(composition.kernels)


@pytest.mark.parametrize("name", ["a row and a column", "turned", "from a mask"])
def test_half_on_the_twin(name: str) -> None:
    assert_right_on_twin(NATIVE[name][0], *NATIVE[name][1])
