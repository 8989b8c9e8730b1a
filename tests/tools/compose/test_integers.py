"""Integer division, remainders of integers and floats, bits and shifts: exactly PyTorch's, in the interpreter."""

from collections.abc import Callable
from typing import Any

import pytest
import torch

from tests.tools.compose.composing import assert_right, assert_right_on_twin, normal

Fn = Callable[..., Any]
DIVIDING: dict[str, Fn] = {
    "floor divide": torch.floor_divide,
    "down": lambda a, b: torch.div(a, b, rounding_mode="floor"),
    "to zero": lambda a, b: torch.div(a, b, rounding_mode="trunc"),
    "remainder": torch.remainder,
    "fmod": torch.fmod,
}


def edges(low: int, high: int, dtype: torch.dtype) -> tuple[torch.Tensor, torch.Tensor]:
    """Return every pair of numbers near powers of two, both signs, with divisors that are not 0."""
    near = [s * ((1 << k) + d) for k in range(31) for d in (-1, 0, 1) for s in (1, -1)]
    values = sorted({v for v in near if low <= v <= high})
    a = torch.tensor(values, dtype=torch.int64)
    x, y = torch.meshgrid(a, a[a != 0], indexing="ij")
    return x.reshape(-1).to(dtype), y.reshape(-1).to(dtype)


@pytest.mark.parametrize("name", DIVIDING)
def test_division_of_integers(name: str) -> None:
    assert_right(DIVIDING[name], edges(-(2**31) + 1, 2**31 - 1, torch.int32))
    small = torch.randint(-128, 128, (40, 7), dtype=torch.int8, generator=torch.Generator().manual_seed(1))
    assert_right(DIVIDING[name], (small, small.flip(0).clamp(1, 90)))
    assert_right(DIVIDING[name], (normal(9, 30, dtype=torch.int64), torch.full((1,), 7)))


@pytest.mark.parametrize("name", DIVIDING)
def test_division_of_floats(name: str) -> None:
    a, b = (t.float() for t in edges(-4096, 4096, torch.int32))
    assert_right(DIVIDING[name], (a, b), (a * 0.3, b * 0.1))
    for divisor in (0.7, -6, 0.3):
        assert_right(lambda x, by=divisor: DIVIDING[name](100 * x, by), (normal(5, 33),))
    assert_right(DIVIDING[name], (normal(5, 33, dtype=torch.float16), normal(5, 33, seed=3).half()))


REDUCING: dict[str, Fn] = {
    "sum": lambda x: x.sum(-1, dtype=torch.int32),
    "sum of columns": lambda x: x.sum(0, dtype=torch.int32),
    "sum of all": lambda x: x.sum(dtype=torch.int32),
    "product": lambda x: x.prod(-1, dtype=torch.int32),
    "greatest": lambda x: x.amax(-1),
    "least of all": lambda x: x.min(),
    "greatest and where": lambda x: torch.max(x, -1),
    "where least": lambda x: torch.argmin(x, 0),
    "kept": lambda x: x - x.amax(-1, keepdim=True),
}


@pytest.mark.parametrize("name", REDUCING)
def test_reductions_of_integers_are_exact(name: str) -> None:
    generator = torch.Generator().manual_seed(5)
    wide, long = (
        torch.randint(-(2**30), 2**30, s, dtype=torch.int32, generator=generator)
        for s in ((7, 65), (3, 20011))
    )
    assert_right(REDUCING[name], (wide,))
    assert_right(REDUCING[name], (long,))


BITS: dict[str, Fn] = {
    "and": lambda a, b: a & b,
    "or": lambda a, b: a | b,
    "xor": lambda a, b: a ^ b,
    "not": lambda a, b: ~a,
    "left": lambda a, b: a << 3,
    "right": lambda a, b: a >> 2,
    "mask": lambda a, b: (a & 255) | (b & 3),
}


@pytest.mark.parametrize("name", BITS)
def test_bits(name: str) -> None:
    assert_right(BITS[name], edges(-(2**31) + 1, 2**31 - 1, torch.int32))
    for dtype in (torch.int8, torch.uint8, torch.int16):
        bounds = torch.iinfo(dtype)
        if name != "left":
            a, b = (torch.randint(bounds.min, bounds.max + 1, (3, 50)).to(dtype) for _ in range(2))
            assert_right(BITS[name], (a, b))


def test_the_bits_of_floats_are_read_and_made() -> None:
    def exponent_and_short(x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        bits = x.view(torch.int32)
        return ((bits >> 23) & 255) - 127, (bits & -65536).view(torch.float32)

    values = torch.tensor([0.0, -0.0, 1e-40, 1.5, -3e38, float("inf"), 7.25])
    assert_right(exponent_and_short, (normal(5, 33),))
    assert_right_on_twin(exponent_and_short, values.repeat(9))


def test_shifts_by_tensors() -> None:
    counts = torch.arange(30, dtype=torch.int32)
    values = torch.arange(-15, 15, dtype=torch.int32) * 71
    assert_right(lambda a, n: a << n, (values, counts))
    assert_right(lambda a, n: a >> n, (values, counts))


WRAPPING: dict[str, Fn] = {
    "product and sum": lambda a, b: a * b + a,
    "difference": lambda a, b: a - b,
    "negative": lambda a, b: -a,
    "magnitude": lambda a, b: a.abs() if a.dtype != torch.uint8 else a,
    "square, then less": lambda a, b: a * a > b,
    "fewer bits": lambda a, b: (a.int() * 7 + b).to(torch.int8),
    "sum of rows in its own type": lambda a, b: a.sum(-1, dtype=a.dtype),
    "cross": lambda a, b: torch.linalg.cross(a[:, :3], b[:, :3]),
}


@pytest.mark.parametrize("name", WRAPPING)
def test_narrow_integers_wrap_around(name: str) -> None:
    for dtype in (torch.int8, torch.uint8, torch.int16):
        bounds, seeded = torch.iinfo(dtype), torch.Generator().manual_seed(5)
        a, b = (
            torch.randint(bounds.min, bounds.max + 1, (5, 60), generator=seeded).to(dtype) for _ in range(2)
        )
        a[0, 0] = bounds.min
        assert_right(WRAPPING[name], (a, b))


def test_bytes_wrap_around_on_the_twin() -> None:
    values = torch.arange(-128, 128, dtype=torch.int8)
    assert_right_on_twin(lambda x: x * x - 100, values)


def test_integers_of_16_bits_on_the_twin() -> None:
    assert_right_on_twin(lambda x: x * 3 - 1, torch.arange(-300, 300, dtype=torch.int16))


def test_a_remainder_of_a_product_that_int32_does_not_hold() -> None:
    def hashed(v: torch.Tensor) -> torch.Tensor:
        return (v * 1000003 + 7).remainder(5000), (v * v - v * 31) % 997

    assert_right(hashed, (torch.randint(-(10**6), 10**6, (64,)),))
