"""Complex tensors: pairs of floats in memory, two values in the nest."""

from collections.abc import Callable
from typing import Any

import pytest
import torch

from tests.tools.compose.composing import assert_right, assert_right_on_twin, normal

COMPLEX = torch.complex64


def _drawn(*shape: int, seed: int = 0) -> torch.Tensor:
    return torch.complex(normal(*shape, seed=seed), normal(*shape, seed=seed + 1))


def _rotated(x: torch.Tensor, turns: torch.Tensor) -> torch.Tensor:
    return torch.view_as_real(torch.view_as_complex(x.reshape(2, 4, -1, 2)) * turns).flatten(2)


CASES: dict[str, tuple[Callable[..., torch.Tensor], tuple[Any, ...]]] = {
    "product": (lambda x, y: x * y, (_drawn(3, 40), _drawn(3, 40, seed=5))),
    "quotient": (lambda x, y: x / y, (_drawn(40), _drawn(40, seed=5))),
    "size": (lambda x: x.abs(), (_drawn(7, 9),)),
    "parts": (lambda x: torch.argmax(x.real.abs() + x.imag.abs()), (_drawn(50),)),
    "inner product": (lambda x, y: (x.conj() * y).sum(-1), (_drawn(4, 30), _drawn(4, 30, seed=5))),
    "rotary": (_rotated, (normal(2, 4, 16), _drawn(4, 8))),
    "polar": (lambda x, y: torch.polar(x, y) * 2j, (normal(8), normal(8, seed=5))),
    "real operands": (lambda x: torch.complex(x, x + 1) / (x * x + 1) - 1, (normal(20),)),
    "views": (lambda x, y: torch.cat([x, y * 2], 1).mT[:5], (_drawn(4, 4), normal(4, 4))),
    "selection": (lambda x, y: torch.where(x.real > 0, x, y), (_drawn(4, 4), normal(4, 4))),
    "matrices": (lambda x, y: x @ y, (_drawn(4, 6), _drawn(6, 5))),
    "double numbers between": (
        lambda x: (x * torch.tensor([1.5], dtype=torch.float64)).to(COMPLEX),
        (_drawn(9),),
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_complex_values_are_pytorchs(name: str) -> None:
    function, args = CASES[name]
    assert_right(function, args)


def test_one_program_serves_real_and_complex_tensors() -> None:
    assert_right(lambda x: x.abs(), (normal(30),), (_drawn(4, 5),), (normal(6, dtype=torch.int32),))


def test_complex_tensors_on_the_twin() -> None:
    assert_right_on_twin(lambda x, y: (x * y).conj() * 2, _drawn(3, 40), _drawn(3, 40, seed=5))


def _spread(x: torch.Tensor, step: int) -> torch.Tensor:
    places = torch.arange(x.numel()) * step
    out = torch.zeros(int(places.max().item()) + 1, dtype=x.dtype)
    out[places] = x.flatten()
    return out


@pytest.mark.parametrize("step", [1, 3])
def test_numbers_that_no_input_decides_are_known_while_tracing(step: int) -> None:
    assert_right(lambda x: _spread(x, step), (normal(10, 10),))
