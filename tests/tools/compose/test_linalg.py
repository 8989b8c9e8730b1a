"""Small systems of equations, inverses, determinants and Cholesky factors compose; factors and pivots are refused."""

from collections.abc import Callable
from typing import Any

import pytest
import torch

from akgen.tools.compose.scope import Unsupported
from tests.sampled import sampled
from tests.tools.compose.composing import assert_right, assert_right_on_twin, composed, normal

Fn = Callable[..., Any]


def positive(a: torch.Tensor) -> torch.Tensor:
    return a @ a.mT + a.shape[-1] * torch.eye(a.shape[-1])


def triangular(a: torch.Tensor) -> torch.Tensor:
    return a.tril(-1) / 4 + 3 * torch.eye(a.shape[-1])


CASES: list[tuple[str, Fn]] = [
    ("solve", torch.linalg.solve),
    ("vector", lambda a, b: torch.linalg.solve(a, b[..., 0])),
    ("from the right", lambda a, b: torch.linalg.solve(a, b.mT, left=False)),
    ("inverse", lambda a, b: torch.linalg.inv(a) @ b),
    ("inverse method", lambda a, b: a.inverse() + b[..., :1]),
    ("determinant", lambda a, b: torch.linalg.det(a) + b.sum((-2, -1))),
    ("logarithm", lambda a, b: torch.logdet(positive(a)) + b.sum((-2, -1))),
    ("slogdet", lambda a, b: torch.linalg.slogdet(a).logabsdet + b.sum((-2, -1))),
    ("cholesky", lambda a, b: torch.linalg.cholesky(positive(a)) @ b),
    ("upper", lambda a, b: torch.linalg.cholesky(positive(a), upper=True) @ b),
    ("lower triangle", lambda a, b: torch.linalg.solve_triangular(triangular(a), b, upper=False)),
    ("upper triangle", lambda a, b: torch.linalg.solve_triangular(triangular(a).mT, b, upper=True)),
    ("right", lambda a, b: torch.linalg.solve_triangular(triangular(a), b.mT, upper=False, left=False)),
    ("by its factor", lambda a, b: torch.cholesky_solve(b, torch.linalg.cholesky(positive(a)))),
    ("from its factor", lambda a, b: torch.cholesky_inverse(torch.linalg.cholesky(positive(a))) @ b),
]


@pytest.mark.parametrize("function", sampled([f for _, f in CASES], 3))
def test_small_matrices(function: Fn) -> None:
    assert_right(function, (normal(2, 6, 6), normal(2, 6, 3)))


def test_the_largest_pivot_is_taken() -> None:
    a = torch.tensor([[0.0, 2.0, 1.0], [1e-7, 1.0, 3.0], [4.0, 0.0, 1.0]])
    assert_right(torch.linalg.solve, (a, normal(3, 2)))


def test_a_system_on_the_twin() -> None:
    assert_right_on_twin(torch.linalg.solve, normal(12, 12) + 8 * torch.eye(12), normal(12, 2))


def test_factors_are_refused() -> None:
    with pytest.raises(Unsupported):
        composed(lambda a: torch.linalg.lu_factor(a)[0], (normal(4, 4),))
    with pytest.raises(Unsupported):
        composed(lambda a: torch.linalg.qr(a)[0], (normal(4, 4),))
