"""Scattering goes in the order of the indices, as on a CPU of PyTorch: in the interpreter, a few forms on the twin."""

from collections.abc import Callable
from typing import Any

import pytest
import torch
import torch.nn.functional as F

from tests.sampled import sampled
from tests.tools.compose.composing import assert_right, assert_right_on_twin, normal
from tests.tools.compose.test_picks import indices

Fn = Callable[..., Any]
X, ROWS = normal(30, 70), (indices(30, 50), normal(50, 70))
ONCE = (torch.randperm(30, generator=torch.Generator().manual_seed(1))[:20], normal(20, 70))
ALONG = (indices(70, 30, 33), normal(30, 33))


def _put_apart(x: torch.Tensor, i: torch.Tensor, j: torch.Tensor, value: torch.Tensor) -> torch.Tensor:
    y = x.clone()
    y[i, :, j] += value
    return y


def _assigned(x: torch.Tensor, index: torch.Tensor, value: torch.Tensor) -> torch.Tensor:
    x = x.clone()
    x[index] = value
    return x


def _every_third(x: torch.Tensor, value: torch.Tensor) -> torch.Tensor:
    x = x.clone()
    x[2:29:3] = value
    return x


def copied_edge(x: torch.Tensor) -> torch.Tensor:
    x = x.clone()
    x[[3, 6, 7], -1, :] = x[[3, 6, 7], -2, :]
    return x


SCATTERED: dict[str, tuple[Any, ...]] = {
    "along rows": (lambda x, i, u: x.scatter(1, i, u), X, *ALONG),
    "summed along rows": (lambda x, i, u: x.scatter_add(1, i, u), X, *ALONG),
    "largest along rows": (lambda x, i, u: x.scatter_reduce(1, i, u, "amax"), X, *ALONG),
    "a number along rows": (lambda x, i: x.scatter(1, i, 2.5), X, ALONG[0]),
    "into zeros": (lambda i, u: torch.zeros(30, 70).scatter_add(1, i, u), *ALONG),
    "into long rows": (
        lambda x, i, u: x.scatter_add(1, i, u),
        normal(3, 5000),
        indices(5000, 3, 3000),
        normal(3, 3000),
    ),
    "down": (lambda x, i, u: x.scatter_add(0, i, u), X, indices(30, 9, 70), normal(9, 70)),
    "one per row": (lambda x, i: x.scatter(1, i, 1.0), X, indices(70, 30, 1)),
    "rows summed": (lambda x, i, u: x.index_add(0, i, u), X, *ROWS),
    "rows summed, scaled": (lambda x, i, u: x.index_add(0, i, u, alpha=2), X, *ROWS),
    "rows of a middle axis": (
        lambda x, i, u: x.index_add(1, i, u),
        normal(4, 30, 70),
        ROWS[0],
        normal(4, 50, 70),
    ),
    "numbers summed": (lambda x, i, u: x.index_add(0, i, u), normal(300), indices(300, 50), normal(50)),
    "rows copied": (lambda x, i, u: x.index_copy(0, i, u), X, *ONCE),
    "rows filled": (lambda x, i: x.index_fill(0, i, 1.5), X, ROWS[0]),
    "rows of a fixed list": (copied_edge, normal(9, 7, 33)),
    "rows from the end": (lambda x, i, u: x.index_put((i,), u), X, ONCE[0] - 30, ONCE[1]),
    "one row everywhere": (lambda x, i, u: x.index_put((i,), u), X, ROWS[0], normal(70)),
    "single elements": (
        lambda x, i, j, u: x.index_put((i, j), u),
        X,
        ONCE[0],
        indices(70, 20),
        normal(20),
    ),
    "assigned": (_assigned, X, *ONCE),
    "of what is computed": (lambda x, i, u: torch.relu(x.exp().index_add(0, i, u * 2)), X, *ROWS),
    "integers": (lambda x, i, u: x.scatter_add(1, i, u), *(v.int() for v in (X,)), ALONG[0], ALONG[1].int()),
    "windows summed": (lambda x: F.fold(x, (8, 9), 3, 1, 1), normal(2, 18, 72)),
    "every third row": (_every_third, X, normal(9, 70)),
    "along two axes apart": (_put_apart, normal(5, 7, 20), torch.randperm(5), indices(20, 5), normal(5, 7)),
    "summed along two axes apart": (
        lambda x, i, j, u: torch.ops.aten.index_put(x, [None, i, None, j], u, True),
        normal(3, 5, 7, 20),
        indices(5, 6),
        indices(20, 6),
        normal(6, 3, 7),
    ),
    "infinite where a mask holds": (lambda x, m: x.masked_fill(m, float("-inf")), X, X > 0),
    "truth values put": (lambda x, i, u: (x > 0).index_put((i,), u > 0), X[:, 0], ONCE[0], ONCE[1][:, 0]),
    "rows of truth values": (lambda x, i, u: (x > 0).index_copy(0, i, u > 0), X, *ONCE),
    "truth values along rows": (lambda x, i, u: (x > 0).scatter(1, i, u > 0), X, *ALONG),
    "where a mask holds": (lambda x, m: x.masked_fill(m, 3.0), X, X > 0),
}


@pytest.mark.parametrize("name", sampled(SCATTERED, 2))
def test_scattered(name: str) -> None:
    function, *args = SCATTERED[name]
    assert_right(function, tuple(args))


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
def test_half_rows_are_summed_in_several_shapes(dtype: torch.dtype) -> None:
    cases = [
        (normal(n, m, dtype=dtype), torch.randperm(n)[:k], normal(k, m, dtype=dtype))
        for n, m, k in ((30, 70, 20), (9, 200, 5))
    ]
    assert_right(lambda x, i, u: x.index_add(0, i, u), *cases)


@pytest.mark.parametrize(
    "name", sampled(["along rows", "down", "rows summed", "rows from the end", "of what is computed"], 2)
)
def test_scattered_on_the_twin(name: str) -> None:
    function, *args = SCATTERED[name]
    assert_right_on_twin(function, *args)
