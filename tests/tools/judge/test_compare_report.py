"""The errors that a comparison tells, and its words on an output of another form."""

from pathlib import Path

import numpy as np
import pytest

from akgen.tools.core.call import TensorFile
from akgen.tools.core.dtypes import DType
from akgen.tools.judge.compare import compare, refused
from akgen.tools.judge.tolerance import rule_for
from tests.tools.judge.comparing import Compare, literal, single, values


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
    with np.errstate(all="raise"):
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


def test_errors_beyond_all_numbers_are_compared_without_a_warning(check: Compare) -> None:
    with np.errstate(all="raise"):
        found = check(np.array([1.7e308, np.inf]), np.array([-1.7e308, np.inf]), None, DType.FLOAT64)
    assert found.mismatch is not None and found.mismatch.count == 1


def test_the_error_of_a_small_integer_dtype_does_not_wrap_around(check: Compare) -> None:
    found = check(np.array([-128], np.int8), np.array([127], np.int8), dtype=DType.INT8)
    assert found.max_abs == 255.0


@pytest.mark.parametrize(
    ("got", "want", "said"),
    [
        ([3.0, 3.0, 3.0], [1.0, 2.0, 4.0], True),
        ([np.nan, np.nan, np.nan], [1.0, 2.0, 4.0], True),
        ([3.0, 3.0, 3.5], [1.0, 2.0, 4.0], False),
        ([3.0, 3.0, 3.0], [2.0, 2.0, 2.0], False),  # the inputs are alike, and a formula is wrong
        ([3.0], [1.0], False),
    ],
)
def test_an_output_of_one_value_where_several_are_expected(
    check: Compare, got: list[float], want: list[float], said: bool
) -> None:
    found = check(np.array(got), np.array(want), None, DType.FLOAT64)
    assert found.mismatch is not None
    assert found.mismatch.one_value is said
