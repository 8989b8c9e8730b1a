"""The rule that scales sizes: what it keeps."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from akgen.bench.mkb.scale import ROW_BEYOND_UB, SMALLEST_SIZE, STRENGTHS, Strength, scaled

SIZES = st.integers(min_value=1, max_value=1 << 22)
FACTORS = st.integers(min_value=1, max_value=15)
EXPONENTS = st.integers(min_value=0, max_value=20)
STRENGTH = st.sampled_from(STRENGTHS)


@given(SIZES, STRENGTH)
def test_sizes_never_grow_and_small_ones_stay(size: int, strength: Strength) -> None:
    found = scaled(size, strength, keeps_long_rows=False)
    assert 1 <= found <= size
    assert size >= SMALLEST_SIZE or found == size


@given(SIZES)
def test_the_last_strength_leaves_the_files_own_sizes(size: int) -> None:
    if size.bit_length() < 5 or (size & -size).bit_length() + 4 > size.bit_length():
        assert scaled(size, STRENGTHS[-1], keeps_long_rows=False) == size


@given(FACTORS, EXPONENTS, FACTORS, EXPONENTS, STRENGTH)
def test_what_divides_still_divides(a: int, k: int, b: int, extra: int, strength: Strength) -> None:
    small, large = a << k, (a * b << k) << extra
    if large >> ((large & -large).bit_length() - 1) < 16 and small >= SMALLEST_SIZE:
        assert (
            scaled(large, strength, keeps_long_rows=False) % scaled(small, strength, keeps_long_rows=False)
            == 0
        )


@pytest.mark.parametrize(
    ("size", "small"),
    [(4095, 255), (8205, 257), (2949, 383), (65535, 1023), (8192, 256), (393216, 3 << 10), (16, 16)],
)
def test_half_of_the_exponents_above_four(size: int, small: int) -> None:
    assert scaled(size, Strength(exponent=4, share=0.5), keeps_long_rows=False) == small


@given(SIZES, STRENGTH)
def test_ragged_sizes_stay_ragged(size: int, strength: Strength) -> None:
    if size % 2:
        assert scaled(size, strength, keeps_long_rows=False) % 2 == 1


@given(st.integers(min_value=ROW_BEYOND_UB * 2, max_value=1 << 22), STRENGTH)
def test_long_rows_stay_long(size: int, strength: Strength) -> None:
    assert scaled(size, strength, keeps_long_rows=True) >= ROW_BEYOND_UB - (size & -size)
