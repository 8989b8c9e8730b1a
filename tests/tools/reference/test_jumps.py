"""The error bound beside jumps: of what rounds, compares, orders, picks and counts inexact numbers."""

from collections.abc import Callable
from typing import Any

import pytest
import torch

from akgen.tools.reference.golden import golden
from tests.tools.reference.test_rounding import bound, numbers

functional = torch.nn.functional
BESIDE = torch.tensor([2.5, 2.5000001, 3.4, 0.5])  # the first two lie beside a tie and beside 2.5
TIES = torch.tensor([[1.0, 2.0, 2.0, 0.0], [1.0, 2.0, 3.0, 4.0]])
BINS = torch.tensor([1.0, 1.1, 2.3, 4.0])
TABLE = torch.arange(10.0)


def inexact(x: torch.Tensor) -> torch.Tensor:
    """Return the same numbers, rounded twice."""
    return x * 3.1 / 3.1


def above(x: torch.Tensor) -> torch.Tensor:
    return inexact(x) > 2.5


def in_place(x: torch.Tensor) -> torch.Tensor:
    mask = torch.zeros(4, dtype=torch.bool)
    mask[1:] = above(x)[:-1]
    return mask


@pytest.mark.parametrize(
    ("function", "given", "expected"),
    [
        (lambda x: inexact(x).round(), BESIDE, [1, 1, 0, 1]),
        (lambda x: inexact(x).round_(), BESIDE, [1, 1, 0, 1]),
        (lambda x: inexact(x).round().to(torch.int8), BESIDE, [1, 1, 0, 1]),
        (lambda x: inexact(x * 2).int(), BESIDE, [1, 1, 0, 1]),
        (lambda x: inexact(x * 127).round().to(torch.int8), torch.tensor([1.0]), None),
        (lambda x: (inexact(x).round().to(torch.int8) + 1).sum(), BESIDE, 3),
        (lambda x: inexact(x).round().clamp(-9, 2).int(), BESIDE, [1, 1, 0, 1]),
        (lambda x: inexact(x).round().int() << 2, BESIDE, [4, 4, 0, 4]),
        (lambda x: torch.zeros(4, dtype=torch.int32).copy_(inexact(x).round()), BESIDE, [1, 1, 0, 1]),
        (lambda x: (x * 3.0) // 0.5, BESIDE, [1, 1, 0, 1]),
        (lambda x: torch.div(x * 3.1, 1.55, rounding_mode="floor"), BESIDE, [1, 1, 0, 1]),
        (lambda x: (inexact(x) - 2.5).sign(), BESIDE, [1, 1, 0, 0]),
        (above, BESIDE, [1, 1, 0, 0]),
        (lambda x: ~above(x) & (x > 0), BESIDE, [1, 1, 0, 0]),
        (lambda x: above(x) & (x > 9), BESIDE, None),
        (in_place, BESIDE, [0, 1, 1, 0]),
        (lambda x: above(x)[:2].any(), BESIDE, 1),
        (lambda x: above(x).any(), BESIDE, None),
        (lambda x: above(x).cumsum(0), BESIDE, [1, 2, 2, 2]),
        (lambda x: (inexact(x) - 2.5).count_nonzero(), BESIDE, 2),
        (lambda x: torch.where(above(x), 7, 3), BESIDE, [4, 4, 0, 0]),
        (lambda x: x.masked_fill(above(x), 9.0), BESIDE, [6.5, 6.5, 0, 0]),
        (lambda x: TABLE[inexact(x).round().long()], BESIDE, [9, 9, 0, 9]),
        (lambda x: TABLE.index_select(0, inexact(x).round().long()), BESIDE, [9, 9, 0, 9]),
        (lambda x: inexact(x).relu() > 0, torch.tensor([-1.0, 1.0]), None),
        (lambda x: inexact(x).argmax(-1), TIES, [1, 0]),
        (lambda x: inexact(x).argmin(), TIES, None),
        (lambda x: inexact(x).max(-1, keepdim=True)[1], TIES, [1, 0]),
        (lambda x: inexact(x).topk(2).indices, TIES, [1, 1, 0, 0]),
        (lambda x: inexact(x).sort(0).indices, TIES, [1, 1, 0, 0, 1, 1, 0, 0]),
        (lambda x: x.gather(-1, inexact(x).topk(2).indices), TIES, [2, 2, 0, 0]),
        (lambda x: functional.one_hot(inexact(x).argmax(-1), 4), TIES, [1, 0, 1, 0, 0, 0, 0, 0]),
        (lambda x: inexact(x).histc(5, 0, 5), BINS, [1, 1, 0, 1, 1]),
        (lambda x: torch.bucketize(inexact(x), torch.tensor([1.0, 2.5])), BESIDE, [1, 1, 0, 0]),
    ],
)
def test_a_jump_within_the_arguments_error_is_the_results(
    function: Callable[..., Any], given: torch.Tensor, expected: Any
) -> None:
    found = bound(function, given)
    wanted = None if expected is None else torch.tensor(expected).flatten().float()
    assert (found is None) == (wanted is None)
    assert found is None or torch.allclose(found.flatten(), wanted, atol=1e-4)


@pytest.mark.parametrize(
    "function",
    [
        torch.round,
        torch.sign,
        lambda x: x // 0.5,
        lambda x: x > 2.5,
        lambda x: torch.where(x > 2.5, 7, 3),
        lambda x: (x * 2).int(),
        lambda x: x.topk(2).indices,
        lambda x: x.histc(5, 0, 5),
    ],
)
def test_exact_arguments_have_one_answer(function: Callable[..., Any]) -> None:
    assert bound(function, torch.tensor([2.5, 2.5, 1.0, -0.5])) is None


@pytest.mark.parametrize("function", [torch.remainder, torch.fmod])
def test_a_remainder_jumps_by_its_divisor_where_the_quotient_is_whole(function: Callable[..., Any]) -> None:
    found = bound(lambda x: function(x * 3.1, 1.55), BESIDE)
    assert torch.allclose(found[[0, 1, 3]], torch.tensor(1.55)) and found[2] < 1e-5


class Quantised(torch.nn.Module):
    """Compute in float32, whatever the input's dtype."""

    def forward(self, x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        scale = x.float().abs().amax(-1, keepdim=True) / 127
        return torch.round(x.float() / scale).to(torch.int8), torch.softmax(x, -1, dtype=torch.float32)


@pytest.mark.parametrize(
    "function",
    [
        lambda x: x == 0.3,
        lambda x: (x <= 0.3).float(),
        lambda x: torch.where(x >= 0.7, x, 0.0),
        lambda x: (x > 0.1) & (x < 0.7),
        lambda x: torch.floor(x / 0.1),
        lambda x: x // 0.1,
        lambda x: torch.remainder(1000 * x, 0.1),
        lambda x: torch.fmod(5000 * x, 0.7),
    ],
)
def test_a_number_that_is_written_down_is_rounded_to_float32(function: Callable[..., Any]) -> None:
    x = torch.cat([torch.arange(-50, 50) / 10, numbers(500)])
    allowed = bound(function, x)
    off = (function(x).double() - function(x.double()).double()).abs()
    assert bool((off > 1e-3).any())
    assert bool((off <= allowed + 1e-6).all())
    assert float((allowed > 0.05).double().mean()) < 0.25


def test_a_number_that_float32_holds_divides_exact_numbers_sharply() -> None:
    assert bound(lambda x: (x <= 0.5).float(), torch.tensor([0.25, 0.5, 0.75])) is None


def test_what_a_module_computes_in_float32_by_name_is_float64_in_the_run_to_compare_with() -> None:
    x = numbers(64, 256).half()
    outputs, bounds = golden(Quantised(), [x], torch.float16)
    assert outputs is not None and bounds is not None
    quotient = x.double() / (x.double().abs().amax(-1, keepdim=True) / 127)
    assert torch.equal(outputs[0], quotient.round().to(torch.int8))
    assert torch.allclose(outputs[1], torch.softmax(x.double(), -1), atol=1e-15)
    unsure = bounds[0] > 0
    assert ((quotient[unsure] - quotient[unsure].floor() - 0.5).abs() < 1e-4).all()
    assert 0 < unsure.sum() < 100  # in float16 every fifth would be


def test_what_a_model_holds_in_fewer_bits_is_widened_beside_float64() -> None:
    class Mixed(torch.nn.Module):
        def forward(self, x: torch.Tensor, w: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
            product = torch.nn.functional.linear(x, (w * 3).to(torch.bfloat16))
            return product + (x.float() @ w.T).to(product.dtype), x.float() @ torch.tensor([[0.1] * 4] * 8)

    x, w = numbers(2, 8).bfloat16(), numbers(4, 8)
    outputs, _ = golden(Mixed(), [x, w], torch.float32)
    assert outputs is not None and all(o.dtype == torch.float64 for o in outputs)
    rounded = (w.double() * 3).to(torch.bfloat16).double()
    assert torch.allclose(outputs[0], x.double() @ (rounded + w.double()).T, atol=1e-14)
    assert torch.allclose(outputs[1], x.double() @ torch.full((8, 4), 0.1).double(), atol=1e-14)


def test_a_model_that_needs_its_float32_is_run_as_it_is() -> None:
    class Quantising(torch.nn.Module):
        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return torch.quantize_per_tensor(x.float(), 0.1, 0, torch.qint8).dequantize()

    outputs, _ = golden(Quantising(), [numbers(2, 4).half()], torch.float16)
    assert outputs is not None and outputs[0].dtype == torch.float32


def test_sums_into_a_tensor_that_the_model_fills_are_bounded() -> None:
    class Summed(torch.nn.Module):
        def forward(self, x: torch.Tensor, to: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
            most = torch.full((5,), -1e30).scatter_reduce(0, to, x, "amax")
            return torch.zeros(5).index_add(0, to, torch.exp(x - most[to])), most

    x, to = numbers(300), torch.arange(300) % 5
    outputs, bounds = golden(Summed(), [x, to], torch.float32)
    assert outputs is not None and bounds is not None and outputs[0].dtype == torch.float64
    error = (Summed()(x, to)[0].double() - outputs[0]).abs()
    assert bool((error > 0).any()) and bool((error <= bounds[0]).all())
    assert bool((bounds[0] < 1e-4 * outputs[0]).all())
