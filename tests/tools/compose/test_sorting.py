"""Sorting in the interpreter beside PyTorch: any axis, either direction, ragged rows, rows that do not fit."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch

from akgen.tools.core.call import TensorMeta
from akgen.tools.core.dtypes import DType
from akgen.tools.dsl import DslError
from akgen.tools.dsl.interpret import interpret
from akgen.tools.dsl.parse import parse
from tests.sampled import sampled
from tests.tools.compose.composing import assert_right, assert_right_on_twin, composed, normal

Fn = Callable[..., Any]
SORTING: dict[str, Fn] = {
    "greatest": lambda x: torch.topk(x, 3),
    "least": lambda x: torch.topk(x, 4, largest=False),
    "greatest down": lambda x: torch.topk(x, 2, dim=0)[0],
    "all": lambda x: torch.sort(x, stable=True),
    "all, largest first": lambda x: torch.sort(x, descending=True)[0],
    "order": lambda x: torch.argsort(x, dim=-1, stable=True),
    "down": lambda x: torch.sort(x, dim=0)[0],
    "third": lambda x: torch.kthvalue(x, 3),
    "middle": lambda x: torch.median(x, -1),
    "computed before and after": lambda x: torch.topk(torch.softmax(x, -1), 2)[0] * 2,
    "gate": lambda x: torch.softmax(torch.topk(x, 2)[0], -1),
}


@pytest.mark.parametrize("name", sampled(SORTING, 2))
def test_sorting(name: str) -> None:
    assert_right(SORTING[name], (normal(7, 65),), (normal(50, 13),))


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
def test_sorting_of_half_types(dtype: torch.dtype) -> None:
    x = (torch.randperm(5 * 40).view(5, 40) / 8).to(dtype)
    assert_right(SORTING["greatest"], (x,))
    assert_right(lambda x: torch.sort(x, dim=1, stable=True), (x,))


def test_equal_values_keep_their_order() -> None:
    x = torch.randint(0, 4, (6, 100), generator=torch.Generator().manual_seed(3)).float()
    assert_right(lambda x: torch.sort(x, dim=-1, stable=True), (x,))
    assert_right(lambda x: torch.sort(x, dim=-1, stable=True, descending=True), (x,))


def test_one_row_and_several_axes() -> None:
    assert_right(lambda x: torch.topk(x, 5), (normal(1000),))
    assert_right(lambda x: torch.sort(x, dim=1)[0], (normal(3, 9, 17),))
    assert_right(lambda x: torch.topk(x, 1), (normal(3, 9, 17),))


def test_rows_that_do_not_fit() -> None:
    assert_right(lambda x: torch.topk(x, 50), (normal(3, 30011),))
    assert_right(lambda x: torch.sort(x, dim=-1, stable=True), (normal(2, 12011),))
    few = torch.randint(-3, 3, (2, 9000), generator=torch.Generator().manual_seed(2)).float()
    few[few == -3] = -torch.inf
    few[few == 2] = torch.inf
    assert_right(lambda x: torch.sort(x, dim=-1, stable=True, descending=True), (few,))
    assert_right(lambda x: torch.sort(x, dim=-1, stable=True), (few,))


def test_a_list_that_its_first_tile_does_not_fill() -> None:
    assert_right_on_twin(lambda x: torch.topk(x, 3000), -torch.arange(1.0, 9001.0)[None])


@pytest.mark.parametrize("most", [5, 2**31 - 1])
def test_wide_integers_are_sorted_exactly(most: int) -> None:
    generator = torch.Generator().manual_seed(9)
    x = torch.randint(-most, most, (4, 70), dtype=torch.int32, generator=generator)
    assert_right(lambda x: torch.sort(x, dim=-1, stable=True), (x,))
    assert_right(lambda x: torch.sort(x, dim=0, stable=True, descending=True), (x,))
    assert_right(lambda x: torch.topk(x, 3)[0], (x.long(),))


COUNTING: dict[str, Fn] = {
    "median of all": torch.median,
    "places": lambda x: torch.searchsorted(torch.sort(x)[0], x * 0.5),
    "places to the right": lambda x: torch.searchsorted(torch.sort(x)[0], torch.sort(x)[0], right=True),
    "buckets": lambda x: torch.bucketize(x, torch.arange(9.0) / 4 - 1),
    "histogram": lambda x: torch.histc(x, 20, -1, 1),
    "histogram between extremes": lambda x: torch.histc(x, 13),
}


@pytest.mark.parametrize("name", COUNTING)
def test_counting(name: str) -> None:
    assert_right(COUNTING[name], (normal(7, 65),))


@pytest.mark.parametrize(
    "function", [lambda x: torch.argmax(x, -1), lambda x: torch.topk(x, 3000)[1]], ids=["argmax", "topk"]
)
def test_places_that_float32_does_not_count_are_refused(function: Fn) -> None:
    composition, _, (raw, _) = composed(function, (normal(2, 5001),), (normal(3, 7003),))
    x = np.zeros((1, (1 << 24) + 1), dtype=np.float32)
    y = TensorMeta(dtype=raw.output_dtypes[0], shape=(1, *function(normal(1, 4000)).shape[1:]))
    with pytest.raises(DslError, match="refuses the call"):
        interpret(parse(composition.dsl), [x], {}, dtypes={"x": DType.FLOAT32}, outputs=[y])
