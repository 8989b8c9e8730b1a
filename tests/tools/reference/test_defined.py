"""Draws on which PyTorch leaves a result open are noticed, and others are not."""

from collections.abc import Callable

import pytest
import torch

from akgen.tools.reference.followed import Openness

EQUAL = torch.full((3, 8), 0.5)
DIFFERENT = torch.arange(24.0).reshape(3, 8) / 7
NAN = torch.where(DIFFERENT == 0, torch.nan, DIFFERENT)
LOW_TIES = torch.tensor([[1.0, 1.0, 5.0, 7.0]])  # equal elements that are not chosen

Fn = Callable[[torch.Tensor], object]
OPEN: dict[str, tuple[Fn, torch.Tensor]] = {
    "topk of equal elements": (lambda x: torch.topk(x, 2), EQUAL),
    "topk that cuts equal elements": (lambda x: torch.topk(x, 3), LOW_TIES),
    "sort of equal elements": (lambda x: torch.sort(x, dim=0), EQUAL),
    "argsort of equal elements": (lambda x: torch.argsort(x), EQUAL),
    "kthvalue of equal elements": (lambda x: torch.kthvalue(x, 2), EQUAL),
    "median of equal elements": (lambda x: torch.median(x, dim=1), EQUAL),
    "search in what is not sorted": (lambda x: torch.searchsorted(x.flip(1), x), DIFFERENT),
    "buckets that are not sorted": (lambda x: torch.bucketize(x, x[0].flip(0)), DIFFERENT),
    "argmax of NaN": (lambda x: torch.argmax(x, 1), NAN),
    "largest of NaN, with its place": (lambda x: torch.max(x, 1), NAN),
    "NaN as an integer": (lambda x: x.to(torch.int32), NAN),
    "an integer out of range": (lambda x: (x * 1000).to(torch.int8), DIFFERENT),
    "a product that overflows on its way": (
        lambda x: x.cumprod(-1),
        10.0 ** torch.tensor([30.0, 20, -30, -15]),
    ),
    "a product that vanishes on its way": (lambda x: x.prod(0), 10.0 ** -torch.tensor([30.0, 20, -30, -15])),
    "a product of halves that overflows": (lambda x: x.prod(), torch.full((20,), 2.0).half()),
    "quantised by a scale near 0": (lambda x: torch.quantize_per_tensor(x, 1e-30, 3, torch.qint8), DIFFERENT),
    "a channel beyond its range": (
        lambda x: torch.quantize_per_channel(
            x, torch.tensor([1.0, 1e-12, 1.0]), torch.zeros(3), 0, torch.qint8
        ),
        DIFFERENT,
    ),
}
DEFINED: dict[str, tuple[Fn, torch.Tensor]] = {
    "search in what is sorted": (lambda x: torch.searchsorted(x, x + 1), DIFFERENT),
    "search by a sorter": (
        lambda x: torch.searchsorted(x.flip(1), x, sorter=torch.arange(7, -1, -1).repeat(3, 1)),
        DIFFERENT,
    ),
    "topk of different elements": (lambda x: torch.topk(x, 2), DIFFERENT),
    "topk above equal elements": (lambda x: torch.topk(x, 2), LOW_TIES),
    "stable sort of equal elements": (lambda x: torch.sort(x, stable=True), EQUAL),
    "sort of different elements": (lambda x: torch.sort(x, dim=0, descending=True), DIFFERENT),
    "first of equal elements": (lambda x: torch.argmax(x, 1), EQUAL),
    "largest of equal elements": (lambda x: torch.max(x, 1), EQUAL),
    "kthvalue of different elements": (lambda x: torch.kthvalue(x, 2, dim=0), DIFFERENT),
    "NaN that stays NaN": (lambda x: x * 2, NAN),
    "largest of all": (lambda x: torch.max(x), EQUAL),
    "numbers as complex ones": (lambda x: x.to(torch.complex64) * 1j, DIFFERENT),
    "truth of NaN": (lambda x: (x > 1).to(torch.int32), NAN),
    "integers in range": (lambda x: (x * 30).to(torch.int8), DIFFERENT),
    "a product in range": (lambda x: x.prod(-1), DIFFERENT[0]),
    "products in range, and one with zero": (
        lambda x: x.cumprod(0),
        torch.tensor([[1e20, 0.0], [1e-20, 2.0]]),
    ),
    "quantised and clamped": (lambda x: torch.quantize_per_tensor(x, 1e-4, 3, torch.qint8), DIFFERENT),
    "channels": (
        lambda x: torch.quantize_per_channel(
            x, torch.tensor([0.1, 0.2, 0.3]), torch.zeros(3), 0, torch.quint8
        ),
        DIFFERENT,
    ),
}


@pytest.mark.parametrize("name", OPEN)
def test_an_open_result_is_noticed(name: str) -> None:
    function, value = OPEN[name]
    with Openness() as openness:
        function(value)
    assert openness.found


@pytest.mark.parametrize("name", DEFINED)
def test_a_defined_result_is_not(name: str) -> None:
    function, value = DEFINED[name]
    with Openness() as openness:
        function(value)
    assert not openness.found
