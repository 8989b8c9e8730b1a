"""A wrong output is explained by the one operation of the reference that gives it when it is done otherwise."""

import math
from collections.abc import Callable

import pytest
import torch

from akgen.tools.reference.protocol import Binding, Sample
from akgen.tools.reference.variants.search import Permitted, explain

Call = Callable[..., torch.Tensor]
X = torch.randn(12, 40, generator=torch.Generator().manual_seed(1))
SQUARE = torch.randn(24, 24, generator=torch.Generator().manual_seed(2))
ROW = torch.rand(40, generator=torch.Generator().manual_seed(3)) + 0.5
INDEX = torch.tensor([3, 0, 7, 11, 2, 5])


class Calling(torch.nn.Module):
    """A reference made of a function."""

    def __init__(self, function: Call) -> None:
        super().__init__()
        self.function = function

    def forward(self, *args: torch.Tensor) -> torch.Tensor:
        return self.function(*args)


def _explained(want: Call, got: torch.Tensor, *args: torch.Tensor) -> dict[str, str] | None:
    exact = want(*(a.double() if a.is_floating_point() else a for a in args))
    sample = Sample(inputs=args, expected=[exact], returned=[exact.to(got.dtype)], args=args)
    binding = Binding(inputs=(), attrs=(), aliases=(None,), output_dtypes=(None,))
    return explain(Calling(want), sample, binding, __file__, 0, got, Permitted(1e-5, 1e-4, False))


def _norm(x: torch.Tensor, weight: torch.Tensor) -> torch.Tensor:
    return torch.nn.functional.layer_norm(x, (40,), weight, None, 1e-2)


def _wrong_norm(x: torch.Tensor, variance: torch.Tensor, eps: float = 1e-2) -> torch.Tensor:
    return (x - x.mean(-1, keepdim=True)) / torch.sqrt(variance + eps) * ROW


MISTAKES: dict[str, tuple[Call, torch.Tensor, tuple[torch.Tensor, ...], str]] = {
    "unbiased variance": (_norm, _wrong_norm(X, X.var(-1, keepdim=True)), (X, ROW), "divisor"),
    "no eps": (_norm, _wrong_norm(X, X.var(-1, correction=0, keepdim=True), 0.0), (X, ROW), "missing_eps"),
    "not centred": (_norm, _wrong_norm(X, (X * X).mean(-1, keepdim=True)), (X, ROW), "uncentred"),
    "softmax along the other axis": (lambda x: torch.softmax(x, 1), torch.softmax(SQUARE, 0), (SQUARE,), "axis"),
    "a transposed matrix": (torch.mm, SQUARE @ SQUARE.T, (SQUARE, SQUARE), "transposed"),
    "products left out": (torch.mm, X[:, :32] @ X.T[:32], (X, X.T), "partial_sum"),
    "branches exchanged": (
        lambda x: torch.where(x > 0, x, 0.1 * x.exp()), torch.where(X > 0, 0.1 * X.exp(), X), (X,), "branch",
    ),
    "the row before": (lambda x, i: x[i] * 2, X[(INDEX - 1).clamp(min=0)] * 2, (X, INDEX), "neighbour"),
    "an index of half the width": (
        lambda x, i: x[i] * 2, X[INDEX.view(torch.int32)[:6].long()] * 2, (X, INDEX), "reinterpreted",
    ),
    "added before it is scaled": (lambda x, w: x * w + 2.0 * w, (X + 2.0 * ROW) * ROW, (X, ROW), "order"),
    "inputs exchanged": (
        lambda x, w, b: x * w + b.exp(), X * ROW.flip(0) + ROW.exp(), (X, ROW, ROW.flip(0)), "swapped_inputs",
    ),
    "one weight for all": (lambda x, w: x * w, X * ROW[0], (X, ROW), "repeated"),
    "a window of two": (
        lambda x: torch.nn.functional.max_pool1d(x, 3, 1, 1),
        torch.maximum(X, torch.nn.functional.pad(X, (1, 0), value=-math.inf)[:, :-1]), (X,), "window",
    ),
    "the border counted": (
        lambda x: torch.nn.functional.avg_pool1d(x, 3, 1, 1, count_include_pad=False),
        torch.nn.functional.avg_pool1d(X, 3, 1, 1), (X,), "divisor",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", MISTAKES)
def test_the_altered_operation_is_named(name: str) -> None:
    want, got, args, cause = MISTAKES[name]
    found = _explained(want, got, *args)
    assert found is not None and found["cause"] == cause, found


def test_the_line_of_the_reference_is_told() -> None:
    found = _explained(_norm, _wrong_norm(X, X.var(-1, keepdim=True)), X, ROW)
    assert found is not None
    assert found["line"] == "return torch.nn.functional.layer_norm(x, (40,), weight, None, 1e-2)"
    assert "39 instead of 40" in found["what"] or "39, one less, instead of 40" in found["what"]


@pytest.mark.parametrize("seed", range(6))
def test_what_no_single_change_gives_is_not_explained(seed: int) -> None:
    noise = torch.randn(X.shape, generator=torch.Generator().manual_seed(seed))
    assert _explained(_norm, noise, X, ROW) is None


def test_a_multiple_of_a_single_number_is_told() -> None:
    found = _explained(lambda x: x.sum().reshape(1), 8 * X.sum().reshape(1), X)
    assert found is not None and (found["cause"], "8 times" in found["what"]) == ("scaled", True)
