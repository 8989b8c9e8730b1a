"""The pattern that memory holds before a launch."""

import numpy as np
import pytest

from akgen.tools.core.call import PERIOD, Poison

SEEDS = range(20)


def bytes_of(poison: Poison) -> "np.ndarray[tuple[int], np.dtype[np.uint8]]":
    return np.frombuffer(poison.outputs(), np.uint8)


def test_every_seed_has_a_pattern_of_its_own() -> None:
    patterns = {Poison(seed=s, second=t).outputs() for s in SEEDS for t in (False, True)}
    assert len(patterns) == 2 * len(SEEDS) and {len(p) for p in patterns} == {PERIOD}
    assert Poison(seed=4).outputs() == Poison(seed=4).outputs()
    assert Poison(seed=4).scratch() != Poison(seed=4).outputs()


@pytest.mark.parametrize("seed", SEEDS)
def test_the_second_pattern_differs_in_every_byte(seed: int) -> None:
    first, second = bytes_of(Poison(seed=seed)), bytes_of(Poison(seed=seed, second=True))
    assert (first != second).all()


@pytest.mark.parametrize("second", [False, True])
def test_no_byte_is_that_of_a_truth_value_or_of_minus_one(second: bool) -> None:
    for seed in SEEDS:
        assert not np.isin(bytes_of(Poison(seed=seed, second=second)), [0, 1, 255]).any()


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64, "bfloat16"])
def test_an_output_starts_with_large_finite_numbers_to_both_sides(dtype: type | str) -> None:
    for seed in SEEDS:
        pattern = Poison(seed=seed).outputs()
        if dtype == "bfloat16":
            values = (np.frombuffer(pattern, np.uint16).astype(np.uint32) << 16).view(np.float32)
        else:
            values = np.frombuffer(pattern, dtype)
        assert np.isfinite(values).all() and np.abs(values.astype(np.float64)).min() >= 2**13
        assert 0.4 < np.mean(values > 0) < 0.6


def test_two_floats_at_one_place_are_far_apart() -> None:
    for dtype in (np.float16, np.float32, np.float64):
        first, second = (
            np.frombuffer(Poison(seed=1, second=t).outputs(), dtype).astype(np.float64) for t in (False, True)
        )
        assert (np.abs(first - second) > 0.05 * np.maximum(np.abs(first), np.abs(second))).all()


def test_scratch_memory_holds_no_number_first_and_numbers_then() -> None:
    for dtype in (np.float16, np.float32):
        assert np.isnan(np.frombuffer(Poison(seed=2).scratch(), dtype)).all()
        assert np.isfinite(np.frombuffer(Poison(seed=2, second=True).scratch(), dtype)).all()
