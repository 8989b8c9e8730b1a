"""Scans, products and other reductions, in the interpreter beside PyTorch: any axis, ragged ends, several types."""

from collections.abc import Callable
from typing import Any

import pytest
import torch

from tests.tools.compose.composing import assert_right, composed, normal

Fn = Callable[..., Any]
FLOATS = (torch.float32, torch.float16, torch.bfloat16)
REDUCING: dict[str, Fn] = {
    "product": lambda x: torch.prod(x, -1),
    "product of all": lambda x: torch.prod(x * 0.1 + 1),
    "product over rows": lambda x: torch.prod(x, 0),
    "greatest and where": lambda x: torch.max(x, -1),
    "least and where": lambda x: torch.min(x, 0),
    "both extremes": lambda x: torch.aminmax(x, dim=-1),
    "how many": lambda x: torch.count_nonzero(x > 0, -1),
    "norm of order 3": lambda x: torch.linalg.vector_norm(x, 3, dim=-1),
}


@pytest.mark.parametrize("name", REDUCING)
def test_reductions(name: str) -> None:
    assert_right(REDUCING[name], (normal(7, 65),), (normal(50, 13),))


SCANS: dict[str, Fn] = {
    "sum": lambda x: torch.cumsum(x, -1),
    "product": lambda x: torch.cumprod(x, -1),
    "maximum": lambda x: torch.cummax(x, -1),
    "minimum": lambda x: torch.cummin(x, -1),
    "share": lambda x: torch.cumsum(x.exp(), -1) / x.exp().sum(-1, keepdim=True),
    "fused": lambda x: torch.relu(torch.cumsum(x * 2, -1)) + 1,
    "greatest of sums": lambda x: torch.cumsum(x, -1).amax(-1),
    "exclusive": lambda x: torch.cat([torch.zeros_like(x[:, :1]), torch.cumsum(x[:, :-1], -1)], -1),
    "down": lambda x: torch.cumsum(x, 0),
    "of all": lambda x: torch.cumsum(x.flatten(), 0),
}


@pytest.mark.parametrize("name", SCANS)
def test_scans(name: str) -> None:
    assert_right(SCANS[name], (normal(7, 65),), (normal(50, 13),))


@pytest.mark.parametrize("axis", [0, 1, 2])
def test_scans_along_any_axis(axis: int) -> None:
    assert_right(lambda x: torch.cumsum(x, axis), (normal(3, 50, 33),), (normal(5, 7, 9),))


@pytest.mark.parametrize("name", ["sum", "maximum", "share", "exclusive", "of all"])
def test_scans_of_rows_that_do_not_fit(name: str) -> None:
    assert_right(SCANS[name], (normal(2, 60011),))


def _linear_attention(k: torch.Tensor, v: torch.Tensor, q: torch.Tensor) -> torch.Tensor:
    k = torch.relu(k) + 1e-3
    states = torch.cumsum(k.unsqueeze(-1) * v.unsqueeze(-2), dim=2)
    return (q.unsqueeze(-1) * states).sum(-2) + (q * torch.cumsum(k, dim=2)).sum(-1, keepdim=True)


@pytest.mark.parametrize("length", [32, 3000])
def test_a_scan_of_one_value_per_row_stands_beside_one_of_rows(length: int) -> None:
    positive = [normal(1, 2, length, 4, seed=k).abs() for k in range(3)]  # nothing cancels out
    assert_right(_linear_attention, tuple(positive))


@pytest.mark.parametrize("dtype", FLOATS)
def test_scans_in_every_float(dtype: torch.dtype) -> None:
    assert_right(SCANS["sum"], (normal(5, 33, dtype=dtype),))
    assert_right(SCANS["down"], (normal(5, 33, dtype=dtype),))


def test_scans_of_integers_are_exact() -> None:
    big = normal(5, 300, dtype=torch.int32) * 1_000_003
    assert_right(lambda x: torch.cumsum(x, -1, dtype=torch.int32), (big,))
    assert_right(lambda x: torch.cumsum(x, 0, dtype=torch.int32), (big,))
    assert_right(lambda m: torch.cumsum(m, -1), (normal(5, 300) > 0,))


def test_a_masked_running_sum() -> None:
    assert_right(lambda x, m: torch.cumsum(x * m, 1), (normal(6, 70), normal(6, 70, seed=2) > 0))


def test_a_flipped_scan_of_what_is_flipped_runs_from_the_end() -> None:
    function = lambda x: torch.cumsum(x.flip(1), 1).flip(1)  # noqa: E731
    composition, _, _ = composed(function, (normal(7, 65),))
    assert [k.kinds for k in composition.kernels] == [("rows",), ("items",)]
    assert "reverse=True" in composition.dsl
    assert_right(function, (normal(7, 65),), (normal(2, 60011),))
    assert_right(lambda x: torch.cumprod(x.flip(0), 0).flip(0), (normal(40, 9),))
