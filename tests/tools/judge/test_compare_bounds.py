"""An error bound takes the place of a smaller tolerance, up to a part of the output's size, and its use is told."""

import numpy as np
import pytest

from akgen.tools.core.dtypes import DType
from akgen.tools.core.task import Tolerance
from tests.tools.judge.comparing import Compare, values

LITERAL = (Tolerance(dtype=DType.FLOAT32, atol=0.0, rtol=0.0),)


def off(want: np.ndarray, by: float, place: int = 7) -> np.ndarray:
    got = want.astype(np.float32)
    got[place] += by
    return got


@pytest.mark.parametrize(("by", "right"), [(0.009, True), (0.011, False)])
@pytest.mark.parametrize("own", [(), LITERAL])
@pytest.mark.parametrize("chunk", [3, 1000])
def test_a_difference_inside_the_bound_is_right(
    check: Compare, by: float, right: bool, own: tuple[Tolerance, ...], chunk: int
) -> None:
    want, bounds = values(40), np.zeros(40)
    bounds[7] = 0.01
    want[7] = 0.0
    found = check(off(want, by), want, tolerances=own, bounds=bounds, chunk=chunk)
    assert (found.mismatch is None) is right


def test_the_bound_is_that_of_the_element(check: Compare) -> None:
    want, bounds = values(40), np.full(40, 0.01)
    bounds[7] = 0.0
    assert check(off(want, 0.009), want, bounds=bounds).mismatch is not None


def test_a_bound_below_the_tolerance_changes_nothing(check: Compare) -> None:
    want = np.full(40, 1.0)
    assert check(off(want, 1e-4), want, bounds=np.full(40, 1e-9)).mismatch is None


def test_a_bound_is_cut_at_an_eighth_of_the_outputs_size(check: Compare) -> None:
    want, bounds = np.ones(40), np.full(40, 1e30)
    assert check(off(want, 0.12), want, bounds=bounds).mismatch is None
    assert check(off(want, 0.13), want, bounds=bounds).mismatch is not None
    assert check(np.zeros(40, np.float32), want, bounds=bounds).mismatch is not None
    assert check(off(want, 0.0), want, bounds=bounds).max_bound == 0.125


def test_the_share_of_what_is_allowed_is_told(check: Compare) -> None:
    want, bounds = values(40), np.full(40, 0.01)
    assert check(off(want, 0.005), want, bounds=bounds).max_used == pytest.approx(0.5, rel=1e-3)
    assert check(off(want, 0.05), want, bounds=bounds).max_used == pytest.approx(5, rel=1e-3)
    assert check(off(want, 0.0), want.astype(np.float32).astype(float)).max_used == 0.0


def test_without_bounds_none_is_told(check: Compare) -> None:
    want = values(40)
    assert check(off(want, 0.0), want).max_bound is None


def test_integers_use_no_share(check: Compare) -> None:
    whole = np.arange(40, dtype=np.int32)
    assert check(whole, whole, dtype=DType.INT32).max_used is None


def test_a_number_where_nothing_is_comparable_has_no_share(check: Compare) -> None:
    want = np.full(4, np.nan)
    assert check(np.ones(4, np.float32), want, bounds=np.zeros(4)).max_used is None


@pytest.mark.parametrize("chunk", [7, 1000])
@pytest.mark.parametrize(("large", "right"), [(11, False), (10, True)])
def test_where_most_bounds_are_larger_the_references_own_error_limits_them(
    check: Compare, chunk: int, large: int, right: bool
) -> None:
    """As those of long recurrences are, which forget nothing that the values forget."""
    want, bounds = np.ones(40), np.full(40, 0.1)
    bounds[:large] = 1e30
    own = want.astype(np.float32) + np.float32(2.0**-20)
    assert check(off(want, 3.9e-3), want, own=own, bounds=bounds, chunk=chunk).mismatch is None
    assert (check(off(want, 0.05), want, own=own, bounds=bounds, chunk=chunk).mismatch is None) is right


@pytest.mark.parametrize("chunk", [7, 1000])
def test_where_all_cancels_out_rounding_is_allowed_and_no_more(check: Compare, chunk: int) -> None:
    bounds = np.full(40, 1e-5)
    bounds[3] = 0.0
    want = np.full(40, 1e-17)
    want[3] = 0.0
    noise = np.full(40, 9e-6, np.float32)
    noise[3] = 0.0
    assert check(noise, want, bounds=bounds, chunk=chunk).mismatch is None
    assert check(2 * noise, want, bounds=bounds, chunk=chunk).mismatch is not None
    want[20] = 1e-8  # something is left: the output's own size limits its bounds
    assert check(noise, want, bounds=bounds, chunk=chunk).mismatch is not None


def counted(wrong: int, total: int = 160) -> np.ndarray:
    """Return integers of which some are one too large."""
    numbers = np.arange(total, dtype=np.int32)
    numbers[:wrong] += 1
    return numbers


@pytest.mark.parametrize(("wrong", "right"), [(0, True), (1, True), (10, True), (11, False), (160, False)])
@pytest.mark.parametrize("chunk", [3, 1000])
def test_integers_beside_a_jump_may_be_off_by_it_if_they_are_few(
    check: Compare, wrong: int, right: bool, chunk: int
) -> None:
    found = check(counted(wrong), counted(0), dtype=DType.INT32, bounds=np.ones(160), chunk=chunk)
    assert (found.mismatch is None) is right
    assert found.max_bound == 1.0


def test_an_integer_without_a_bound_is_exact(check: Compare) -> None:
    bounds = np.ones(160)
    bounds[0] = 0.0
    found = check(counted(2), counted(0), dtype=DType.INT32, bounds=bounds)
    assert found.mismatch is not None and found.mismatch.count == 1
    two_less = check(counted(0) - 2, counted(0), dtype=DType.INT32, bounds=np.ones(160))
    assert two_less.mismatch is not None


@pytest.mark.parametrize(("beside", "right"), [(40, True), (41, False)])
def test_a_number_beside_a_jump_may_be_off_by_it_where_such_bounds_are_few(
    check: Compare, beside: int, right: bool
) -> None:
    want, bounds = np.ones(160), np.zeros(160)
    bounds[:beside] = 1.5
    found = check(off(want, 1.4), want, bounds=bounds)
    assert (found.mismatch is None) is right
    if right:
        assert found.max_used is not None and 0.9 < found.max_used < 1.0
    assert check(off(want, 1.6), want, bounds=bounds).mismatch is not None
    assert check(want + np.where(np.arange(160) < 11, 1.4, 0), want, bounds=bounds).mismatch is not None


OWN = (Tolerance(dtype=DType.FLOAT32, atol=0.5, rtol=0.0),)


@pytest.mark.parametrize(
    ("by", "bound", "right"),
    [
        (0.004, 1e-9, True),  # inside the share of atol that an output of 0.01 leaves
        (0.006, 1e-9, False),
        (0.09, 0.1, True),  # a bound that is larger holds, although it is more than an eighth of the output
        (0.11, 0.1, False),
        (0.49, 9.0, True),  # and atol is the most
        (0.51, 9.0, False),
        (0.49, None, True),
        (0.51, None, False),
    ],
)
def test_a_tasks_own_atol_shrinks_to_the_outputs_size_or_the_bound(
    check: Compare, by: float, bound: float | None, right: bool
) -> None:
    want = np.full(40, 0.01)
    bounds = None if bound is None else np.full(40, bound)
    assert (check(off(want, by), want, tolerances=OWN, bounds=bounds).mismatch is None) is right
    large = check(off(np.full(40, 2.0), 0.49), np.full(40, 2.0), tolerances=OWN, bounds=np.full(40, 1e-9))
    assert large.mismatch is None


@pytest.mark.parametrize("off_by", [0.009, 0.009j, 0.011j, 0.008 + 0.008j])
@pytest.mark.parametrize("known", [True, False])
def test_a_complex_number_may_be_off_by_its_bound(check: Compare, off_by: complex, known: bool) -> None:
    want = (values(40) + 1j * values(40, seed=2)).astype(np.complex64)
    got, bounds = want.copy(), np.zeros(40)
    bounds[7] = 0.01
    got[7] += off_by
    found = check(got, want, dtype=DType.COMPLEX64, bounds=bounds if known else None)
    assert (found.mismatch is None) is (known and abs(off_by) < 0.01)
