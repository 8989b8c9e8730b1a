"""The limits of a comparison, to the last place: what is forgiven, what is told of it, and where parts meet."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from akgen.tools.core.call import TensorFile
from akgen.tools.core.dtypes import DType
from akgen.tools.core.task import Tolerance
from akgen.tools.judge.compare import compare, refused
from akgen.tools.judge.tolerance import rule_for
from tests.tools.judge.comparing import Compare, bfloat16, values

LARGEST_HALF = 65504.0


def literal(atol: float = 0.0, rtol: float = 0.0, dtype: DType = DType.FLOAT64) -> tuple[Tolerance, ...]:
    return (Tolerance(dtype=dtype, atol=atol, rtol=rtol),)


def half(*numbers: float) -> Any:
    return np.array(numbers, np.float16)


def single(*numbers: float) -> Any:
    return np.array(numbers, np.float32)


# The allowance for the reference's own error


def near(offset: float, size: int = 400) -> tuple[Any, Any, Any]:
    """Expected values of about 1, a reference off by 0.001 everywhere, and one answer off by `offset`."""
    want = np.full(size, 1.25)
    own = (want + 0.001 * np.where(np.arange(size) % 2, 1, -1)).astype(np.float32)
    got = want.astype(np.float32)
    got[7] += offset
    return got, want, own


@pytest.mark.parametrize("sign", [1, -1])
def test_less_than_eight_times_the_references_own_error_is_forgiven(check: Compare, sign: int) -> None:
    assert check(*near(sign * 0.0079)).mismatch is None


@pytest.mark.parametrize("sign", [1, -1])
def test_more_than_eight_times_the_references_own_error_is_not_forgiven(check: Compare, sign: int) -> None:
    found = check(*near(sign * 0.0085)).mismatch
    assert found is not None and found.count == 1


def test_the_references_error_is_measured_over_all_parts(check: Compare) -> None:
    got, want, own = near(0.0079)
    own[:350] = want[:350]  # exact there: the root mean square of the error is a third of what it was
    assert check(got, want, own, chunk=64).mismatch is not None
    own[350:] = want[350:] + 0.003
    assert check(got, want, own, chunk=64).mismatch is None


def test_a_reference_without_error_forgives_nothing(check: Compare) -> None:
    got, want, _ = near(0.0005)
    assert check(got, want, want).mismatch is not None


def test_an_exact_reference_that_is_off_by_more_than_one_forgives(check: Compare) -> None:
    want = np.full(100, 1e6)
    got = (want + 500).astype(np.float32)
    own = (want + 100.0).astype(np.float32)
    assert check(got, want, own).mismatch is None


def test_the_references_error_elsewhere_forgives_nothing_here(check: Compare) -> None:
    want = np.concatenate([np.full(50, 1.25), np.full(50, 1e6)])
    own = want.copy()
    own[50:] += 100.0
    got = want.astype(np.float32)
    got[3] += 0.01
    found = check(got, want, own.astype(np.float32)).mismatch
    assert found is not None and found.first_index == (3,)


def test_what_is_forgiven_leaves_the_other_wrong_elements(check: Compare) -> None:
    got, want, own = near(0.0079)
    got[200] += 0.5
    found = check(got, want, own).mismatch
    assert found is not None and (found.count, found.first_index) == (1, (200,))


def test_a_nan_is_not_forgiven_by_the_references_error(check: Compare) -> None:
    got, want, own = near(0.0)
    got[9] = np.nan
    found = check(got, want, own)
    assert found.foreign_nan
    assert found.mismatch is not None and found.mismatch.first_index == (9,)


def test_nan_of_the_reference_does_not_spoil_its_error(check: Compare) -> None:
    got, want, own = near(0.0079)
    own[11] = np.nan
    assert check(got, want, own).mismatch is None


def test_a_reference_of_another_size_forgives_nothing(check: Compare, tmp_path: Path) -> None:
    got, want, own = near(0.0079)
    files = []
    for name, array, dtype in (
        ("g", got, DType.FLOAT32),
        ("w", want, DType.FLOAT64),
        ("o", own[:399], DType.FLOAT32),
    ):
        array.tofile(tmp_path / name)
        files.append(TensorFile(dtype=dtype, shape=array.shape, path=tmp_path / name))
    assert compare(0, *files, rule_for(DType.FLOAT32, ())).mismatch is not None


# NaN and infinity


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
    [(70000.0, True), (65504.0, True), (65503.9, True), (65503.0, False), (-65504.0, False)],
)
def test_infinity_is_right_from_the_largest_number_on(check: Compare, want: float, right: bool) -> None:
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


# Tolerances


@pytest.mark.parametrize(("offset", "right"), [(0.25, True), (0.2500001, False)])
def test_the_tolerance_is_reached_inclusively(check: Compare, offset: float, right: bool) -> None:
    found = check(
        np.array([1.0 + offset, 1.0]),
        np.array([1.0, 1.0]),
        None,
        DType.FLOAT64,
        tolerances=literal(atol=0.25),
    )
    assert (found.mismatch is None) is right


@pytest.mark.parametrize(("got", "right"), [(10.9, True), (9.1, True), (11.1, False), (8.9, False)])
def test_atol_and_rtol_add_up(check: Compare, got: float, right: bool) -> None:
    found = check(
        np.array([got]), np.array([10.0]), None, DType.FLOAT64, tolerances=literal(atol=0.5, rtol=0.05)
    )
    assert (found.mismatch is None) is right


@pytest.mark.parametrize(("steps", "right"), [(1, True), (2, False)])
def test_one_unit_in_the_last_place_is_given_beside_the_tolerance(
    check: Compare, steps: int, right: bool
) -> None:
    want = np.array([1.0, 4.0])
    got = want.astype(np.float32)
    got[1] += steps * 2.0**-21  # a unit of numbers from 4 to 8
    found = check(got, want, tolerances=literal(dtype=DType.FLOAT32))
    assert (found.mismatch is None) is right


def test_a_unit_in_the_last_place_is_given_beside_an_infinity_too(check: Compare) -> None:
    want = np.array([np.inf, 4.0])
    for steps, right in ((1, True), (2, False)):
        got = want.astype(np.float32)
        got[1] += steps * 2.0**-21
        assert (check(got, want, tolerances=literal(dtype=DType.FLOAT32)).mismatch is None) is right


def test_small_outputs_are_held_to_their_own_size_over_all_parts(check: Compare) -> None:
    want = np.full(64, 1e-4)
    want[-8:] = 1e-3
    rms = float(np.sqrt(np.square(want).mean()))
    room = 1e-5 * rms + 1e-4 * 1e-4
    for offset, right in ((0.98 * room, True), (1.1 * room, False)):
        got = want.astype(np.float64)
        got[0] += offset
        assert (check(got.astype(np.float32), want, chunk=8).mismatch is None) is right


def test_infinities_do_not_enlarge_the_tolerance_of_small_outputs(check: Compare) -> None:
    want = np.full(64, 1e-4)
    want[5] = np.inf
    got = want.astype(np.float32)
    assert check(got, want).mismatch is None
    got[0] += 3e-6
    assert check(got, want).mismatch is not None


def test_large_outputs_do_not_enlarge_the_absolute_tolerance(check: Compare) -> None:
    want = np.full(64, 1e4)
    want[0] = 0.0
    got = want.astype(np.float32)
    got[0] = 2e-5
    assert check(got, want).mismatch is not None


def test_outputs_so_large_that_their_squares_overflow_are_compared(check: Compare) -> None:
    want = np.full(8, 1e200)
    assert check(want, want, dtype=DType.FLOAT64).mismatch is None
    assert check(want * 1.1, want, dtype=DType.FLOAT64).mismatch is not None


def test_an_integer_task_with_a_tolerance_of_its_own_is_not_exact(check: Compare) -> None:
    tolerances = literal(atol=2.0, dtype=DType.INT32)
    want = np.array([10, 20], np.int32)
    assert (
        check(np.array([11, 22], np.int32), want, None, DType.INT32, tolerances=tolerances).mismatch is None
    )
    assert (
        check(np.array([13, 20], np.int32), want, None, DType.INT32, tolerances=tolerances).mismatch
        is not None
    )


def test_bfloat16_expectations_are_read_as_such(check: Compare, tmp_path: Path) -> None:
    want = values(32)
    files = []
    for name in ("g", "w", "o"):
        bfloat16(want).tofile(tmp_path / name)
        files.append(TensorFile(dtype=DType.BFLOAT16, shape=(32,), path=tmp_path / name))
    assert compare(0, *files, rule_for(DType.BFLOAT16, ())).mismatch is None
    got = bfloat16(want)
    got[4] = bfloat16([np.inf])[0]
    got.tofile(tmp_path / "g")
    found = compare(0, *files, rule_for(DType.BFLOAT16, ()))
    assert found.foreign_nan and found.mismatch is not None and found.mismatch.first_index == (4,)
    got[4] = bfloat16([want[4] + 3])[0]
    got.tofile(tmp_path / "g")
    found = compare(0, *files, rule_for(DType.BFLOAT16, ()))
    assert found.mismatch is not None and found.mismatch.max_abs == pytest.approx(3, rel=0.02)


# What is told


def test_the_largest_errors_are_told_of_a_right_output_too(check: Compare) -> None:
    want = np.array([1.0, 2.0, 4.0])
    got = want + np.array([0.0, 0.02, 0.03])
    found = check(got, want, None, DType.FLOAT64, tolerances=literal(atol=0.1))
    assert found.mismatch is None
    assert (found.max_abs, found.max_rel) == (pytest.approx(0.03), pytest.approx(0.01))


def test_the_largest_errors_are_those_of_all_parts(check: Compare) -> None:
    want = np.array([1.0, 2.0, 4.0, 4.0])
    got = want + np.array([0.5, 0.0, 0.8, 0.0])
    found = check(got, want, None, DType.FLOAT64, chunk=2)
    assert (found.max_abs, found.max_rel) == (pytest.approx(0.8), pytest.approx(0.5))
    assert found.mismatch is not None
    assert (found.mismatch.max_abs, found.mismatch.max_rel) == (found.max_abs, found.max_rel)


def test_the_relative_error_of_what_should_be_zero_is_over_atol(check: Compare) -> None:
    found = check(np.array([0.5]), np.array([0.0]), None, DType.FLOAT64, tolerances=literal(atol=0.25))
    assert found.max_rel == pytest.approx(2.0)


def test_the_relative_error_of_an_integer_that_should_be_zero_is_over_one(check: Compare) -> None:
    found = check(np.array([5, 8], np.int32), np.array([0, 4], np.int32), dtype=DType.INT32)
    assert (found.max_abs, found.max_rel) == (5.0, 5.0)


def test_the_error_of_an_integer_is_its_difference(check: Compare) -> None:
    found = check(np.array([90, -4], np.int32), np.array([100, -4], np.int32), dtype=DType.INT32)
    assert (found.max_abs, found.max_rel) == (10.0, pytest.approx(0.1))
    assert found.mismatch is not None and (found.mismatch.count, found.mismatch.max_abs) == (1, 10.0)


def test_right_integers_have_no_error(check: Compare) -> None:
    found = check(np.array([1, 2], np.int32), np.array([1, 2], np.int32), dtype=DType.INT32)
    assert (found.max_abs, found.max_rel) == (0.0, 0.0)


def test_errors_are_those_of_the_finite_elements(check: Compare) -> None:
    found = check(single(np.nan, 2.5, 1), np.array([1.0, 2.0, 1.0]))
    assert (found.max_abs, found.max_rel) == (pytest.approx(0.5), pytest.approx(0.25))


def test_the_error_of_nothing_but_nan_cannot_be_told(check: Compare) -> None:
    found = check(single(np.nan, np.nan), np.array([1.0, 2.0]))
    assert (found.max_abs, found.max_rel) == (None, None)
    assert found.mismatch is not None and found.mismatch.max_abs is None


def test_an_output_without_elements_has_no_error(check: Compare) -> None:
    found = check(np.zeros(0, np.float32), np.zeros(0))
    assert (found.mismatch, found.max_abs, found.max_rel) == (None, 0.0, 0.0)


def test_a_relative_error_beyond_all_numbers_is_the_largest_number(check: Compare) -> None:
    found = check(np.array([1e300]), np.array([1e-300]), None, DType.FLOAT64, tolerances=literal())
    assert found.max_rel == np.finfo(np.float64).max


def test_an_output_of_another_form_is_told_with_no_error(tmp_path: Path) -> None:
    want = TensorFile(dtype=DType.FLOAT32, shape=(2, 3), path=tmp_path / "w")
    found = refused(4, "shape", want, "the output is missing")
    assert found.malformed and not found.unwritten and not found.foreign_nan
    assert (found.max_abs, found.max_rel) == (None, None)
    m = found.mismatch
    assert m is not None
    assert (m.output, m.pattern, m.count, m.total, m.first_index) == (4, "shape", 6, 6, (0, 0))
    assert (m.max_abs, m.max_rel, m.note) == (None, None, "the output is missing")


def test_a_note_says_how_the_form_differs(check: Compare, tmp_path: Path) -> None:
    want = values(4, 6)
    shape = check(want.astype(np.float32).reshape(24), want).mismatch
    assert shape is not None and shape.note == "the output has shape [24], the reference [4, 6]"
    dtype = check(want.astype(np.float16), want, dtype=DType.FLOAT16, asked=DType.FLOAT32).mismatch
    assert dtype is not None and dtype.note == "the output is float16, the task asks for float32"
    missing = TensorFile(dtype=DType.FLOAT32, shape=(2,), path=tmp_path / "missing")
    gone = compare(0, missing, missing, missing, rule_for(DType.FLOAT32, ())).mismatch
    assert gone is not None and gone.note == "the output file No such file or directory"
    (tmp_path / "short").write_bytes(b"123")
    short = missing.model_copy(update={"path": tmp_path / "short"})
    cut = compare(0, short, short, short, rule_for(DType.FLOAT32, ())).mismatch
    assert cut is not None and cut.note == "the output file holds 3 bytes instead of 8"


# What was never written


def test_a_wrong_integer_that_equals_the_poison_proves_nothing_where_it_is_expected_elsewhere(
    check: Compare,
) -> None:
    want = np.array([-1, 2, 3], np.int32)
    found = check(np.array([-1, -1, 3], np.int32), want, dtype=DType.INT32)
    assert found.mismatch is not None and not found.unwritten


def test_poison_in_an_integer_of_another_width_than_expected_is_unwritten(check: Compare) -> None:
    want = np.array([-1, 2, 3], np.int64)
    found = check(np.array([-1, -1, 3], np.int32), want, dtype=DType.INT32)
    assert found.unwritten


def test_poison_in_floating_point_is_unwritten_whatever_is_expected(check: Compare) -> None:
    poison = np.frombuffer(b"\xff" * 8, np.float64)
    want = np.concatenate([poison, [1.0, 2.0]])
    found = check(np.concatenate([poison, poison, [2.0]]), want, None, DType.FLOAT64)
    assert found.unwritten


def test_right_values_are_not_called_unwritten(check: Compare) -> None:
    assert check(single(1, 2), np.array([1.0, 2.0])).unwritten is False


def test_a_cleared_output_with_poison_has_another_pattern(check: Compare) -> None:
    want = np.arange(64, dtype=np.int32)
    got = want.copy()
    got[40:] = -1
    found = check(got, want, dtype=DType.INT32, zeroed=True).mismatch
    assert found is not None and found.pattern == "tail"


def test_nan_in_integers_is_no_pattern(check: Compare) -> None:
    found = check(np.array([7, 2, 3, 4, 9], np.int32), np.array([1, 2, 3, 4, 5], np.int32), dtype=DType.INT32)
    assert found.mismatch is not None and found.mismatch.pattern == "scattered"


def test_errors_beyond_all_numbers_are_compared_without_a_warning(check: Compare) -> None:
    with np.errstate(all="raise"):
        found = check(np.array([1.7e308, np.inf]), np.array([-1.7e308, np.inf]), None, DType.FLOAT64)
    assert found.mismatch is not None and found.mismatch.count == 1


def test_the_error_of_a_small_integer_dtype_does_not_wrap_around(check: Compare) -> None:
    found = check(np.array([-128], np.int8), np.array([127], np.int8), dtype=DType.INT8)
    assert found.max_abs == 255.0


def test_bfloat16_is_forgiven_by_the_references_own_error(tmp_path: Path) -> None:
    want, own, got = np.full(64, 1.0), np.full(64, 1.0), np.full(64, 1.0)
    own += np.where(np.arange(64) % 2, 0.05, -0.05)
    got[3] = 1.25
    files = []
    for name, array in (("g", got), ("w", want), ("o", own)):
        bfloat16(array).tofile(tmp_path / name)
        files.append(TensorFile(dtype=DType.BFLOAT16, shape=(64,), path=tmp_path / name))
    assert compare(0, *files, rule_for(DType.BFLOAT16, ())).mismatch is None
