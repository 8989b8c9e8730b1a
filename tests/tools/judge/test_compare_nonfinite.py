"""NaN and infinities stand where the reference has them, and rounding decides at the edge of what a dtype holds."""

import numpy as np
import pytest

from akgen.tools.core.dtypes import DType
from tests.tools.judge.comparing import Compare, bfloat16, half, literal, single


@pytest.mark.parametrize("foreign", [np.nan, np.inf, -np.inf])
def test_a_foreign_nan_or_infinity_is_told(check: Compare, foreign: float) -> None:
    assert check(single(1, foreign), np.array([1.0, 2.0])).foreign_nan


def test_a_foreign_nan_is_told_whatever_the_parts_after_it_hold(check: Compare) -> None:
    want = np.array([1.0, 2.0, 3.0, np.inf])
    found = check(single(np.nan, 2, 3, np.inf), want, chunk=2)
    assert found.foreign_nan


def test_a_wrong_number_is_no_foreign_nan(check: Compare) -> None:
    found = check(single(np.nan, 9, 3), np.array([np.nan, 2.0, 3.0]))
    assert found.mismatch is not None and not found.foreign_nan


def test_a_number_where_nan_is_expected_is_no_foreign_nan(check: Compare) -> None:
    found = check(single(1, 2), np.array([np.nan, 2.0]))
    assert found.mismatch is not None and not found.foreign_nan


def test_equal_values_hold_no_foreign_nan(check: Compare) -> None:
    assert check(single(1, 2), np.array([1.0, 2.0])).foreign_nan is False
    assert check(single(np.nan, 2), np.array([np.nan, 2.0])).foreign_nan is False


def test_an_infinity_of_the_reference_may_be_returned(check: Compare) -> None:
    want, own = np.array([1e300, 2.0]), np.array([np.inf, 2.0])
    assert check(np.array([np.inf, 2.0]), want, own, DType.FLOAT64).mismatch is None
    assert check(np.array([-np.inf, 2.0]), want, own, DType.FLOAT64).mismatch is not None


def test_a_nan_of_the_reference_does_not_allow_an_infinity(check: Compare) -> None:
    want, own = np.array([5.0, 2.0]), np.array([np.nan, 2.0])
    assert check(single(np.inf, 2), want, own).mismatch is not None


def test_right_infinities_and_nan_stand_beside_each_other(check: Compare) -> None:
    want = np.array([np.nan, np.inf, -np.inf])
    own = np.array([1.0, 1.0, 1.0])
    assert check(single(np.nan, np.inf, -np.inf), want, own).mismatch is None


@pytest.mark.parametrize(
    ("want", "right"),
    [(70000.0, True), (65504.0, True), (65472.0, True), (65471.0, False), (-65504.0, False)],
)
def test_infinity_is_right_from_a_tolerance_below_the_largest_number_on(
    check: Compare, want: float, right: bool
) -> None:
    # One unit in the last place is 32 here.
    tolerances = literal(atol=0.5, dtype=DType.FLOAT16)
    found = check(half(np.inf, 1), np.array([want, 1.0]), None, DType.FLOAT16, tolerances=tolerances)
    assert (found.mismatch is None) is right


@pytest.mark.parametrize(
    ("got", "want", "right"),
    [
        (65504.0, 70000.0, False),
        (65504.0, 65700.0, True),  # within twice rtol above the largest
        (65440.0, 65600.0, True),
        (65184.0, 65700.0, False),
        (65504.0, 65800.0, False),
        (-65504.0, 65700.0, False),
        (60000.0, 65700.0, False),
    ],
)
def test_the_largest_number_may_stand_for_what_is_just_above_it(
    check: Compare, got: float, want: float, right: bool
) -> None:
    # An infinity beside it, so that the elements are looked at one by one.
    found = check(
        half(got, np.inf),
        np.array([want, np.inf]),
        None,
        DType.FLOAT16,
        tolerances=literal(rtol=2e-3, dtype=DType.FLOAT16),
    )
    assert (found.mismatch is None) is right


def test_complex_numbers_agree_in_both_parts(check: Compare) -> None:
    want = np.array([1 + 2j, 3 - 1j], np.complex64)
    assert check(want.astype(np.complex64), want, dtype=DType.COMPLEX64).mismatch is None
    assert check(np.conj(want).astype(np.complex64), want, dtype=DType.COMPLEX64).mismatch is not None


@pytest.mark.parametrize(
    ("got", "own", "right"),
    [
        (complex(np.nan, 0), 1j, True),  # NaN where NaN is expected
        (2j, 2j, False),  # a number where NaN is expected, although the reference says so: see below
        (1j, 2j, False),
    ],
)
def test_a_complex_nan_is_expected_or_the_references_own(
    check: Compare, got: complex, own: complex, right: bool
) -> None:
    want = np.array([complex(np.nan, 0), 1], np.complex64)
    found = check(np.array([got, 1], np.complex64), want, np.array([own, 1], np.complex64), DType.COMPLEX64)
    assert (found.mismatch is None) is (right or got == own)


def test_a_complex_nan_where_a_number_is_expected_is_wrong(check: Compare) -> None:
    want = np.array([1 + 1j, 1], np.complex64)
    assert (
        check(np.array([complex(np.nan, 0), 1], np.complex64), want, dtype=DType.COMPLEX64).mismatch
        is not None
    )


def test_a_complex_infinity_is_compared(check: Compare) -> None:
    want = np.array([complex(np.inf, 0), 1], np.complex64)
    assert (
        check(np.array([complex(np.inf, 0), 1], np.complex64), want, dtype=DType.COMPLEX64).mismatch is None
    )
    assert (
        check(np.array([complex(-np.inf, 0), 1], np.complex64), want, dtype=DType.COMPLEX64).mismatch
        is not None
    )


def test_nan_in_integers_is_no_pattern(check: Compare) -> None:
    found = check(np.array([7, 2, 3, 4, 9], np.int32), np.array([1, 2, 3, 4, 5], np.int32), dtype=DType.INT32)
    assert found.mismatch is not None and found.mismatch.pattern == "scattered"


@pytest.mark.parametrize(
    ("got", "want", "right"),
    [
        (32752.0, 65504.0, True),  # half of the largest number; and the largest number itself
        (32736.0, 65504.0, False),
        (32752.0, 65503.0, False),
        (65504.0, 98256.0, True),  # half above the largest number
        (65504.0, 98257.0, False),
    ],
)
def test_the_edge_of_a_dtype_is_reached_inclusively(
    check: Compare, got: float, want: float, right: bool
) -> None:
    tolerances = literal(rtol=0.25, dtype=DType.FLOAT16)
    wants = np.array([want, np.inf])
    found = check(half(got, np.inf), wants, None, DType.FLOAT16, tolerances=tolerances)
    assert (found.mismatch is None) is right


def test_a_right_nan_does_not_make_a_wrong_number_one(check: Compare) -> None:
    found = check(single(np.nan, 9, 3), np.array([np.nan, 2.0, 3.0])).mismatch
    assert found is not None and found.pattern == "scattered"


def test_a_nan_in_bfloat16_has_the_pattern_of_one(check: Compare) -> None:
    want = np.arange(1.0, 65.0)
    got = bfloat16(want)
    got[5:9] = bfloat16([np.nan])[0]
    found = check(got, want, dtype=DType.BFLOAT16)
    assert found.foreign_nan and found.mismatch is not None and found.mismatch.pattern == "nan"
