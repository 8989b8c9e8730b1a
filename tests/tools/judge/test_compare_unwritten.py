"""An element that still holds the poison was never written: surely so where two launches with two poisons leave it."""

from pathlib import Path

import numpy as np

from akgen.tools.core.call import TensorFile
from akgen.tools.core.dtypes import DType
from akgen.tools.judge.compare import compare
from akgen.tools.judge.tolerance import rule_for
from tests.tools.judge.comparing import POISON, Compare, held, single


def test_a_wrong_byte_that_equals_the_poison_proves_nothing_by_itself(check: Compare) -> None:
    want = np.full(64, 7, np.int8)
    got = want.copy()
    got[3] = held(64, dtype=np.int8)[3]
    found = check(got, want, dtype=DType.INT8)
    assert found.mismatch is not None and not found.unwritten
    assert found.held is not None and np.flatnonzero(found.held).tolist() == [3]


def test_what_held_another_poison_before_was_never_written(check: Compare) -> None:
    want = np.full(64, 7, np.int8)
    got = want.copy()
    got[3:5] = held(64, dtype=np.int8)[3:5]
    before = np.zeros(64, np.bool_)
    before[4] = True
    found = check(got, want, dtype=DType.INT8, held_before=before)
    assert found.unwritten and found.mismatch is not None
    assert check(got, want, dtype=DType.INT8, held_before=np.zeros(64, np.bool_)).unwritten is False


def test_a_right_value_is_wrong_if_nobody_wrote_it(check: Compare) -> None:
    want = np.arange(64, dtype=np.int32)
    want[9] = held(64, dtype=np.int32)[9]
    before = np.zeros(64, np.bool_)
    assert check(want, want, dtype=DType.INT32, held_before=before).mismatch is None
    before[9] = True
    found = check(want, want, dtype=DType.INT32, held_before=before)
    assert found.unwritten and found.mismatch is not None
    assert (found.mismatch.pattern, found.mismatch.count, found.mismatch.first_index) == (
        "unwritten",
        1,
        (9,),
    )


def test_the_largest_error_is_of_what_was_written(check: Compare) -> None:
    want = np.linspace(1, 2, 64)
    got = want.astype(np.float32)
    got[10:20] = held(64)[10:20]
    got[40] += 0.5
    found = check(got, want)
    assert found.max_abs is not None and 0.4 < found.max_abs < 0.6
    whole = check(held(64), want)
    assert whole.unwritten and whole.max_abs is None


def test_right_values_are_not_called_unwritten(check: Compare) -> None:
    found = check(single(1, 2), np.array([1.0, 2.0]))
    assert found.unwritten is False and found.held is None


def test_a_cleared_output_with_poison_has_another_pattern(check: Compare) -> None:
    want = np.arange(64, dtype=np.int32)
    got = want.copy()
    got[40:] = held(64, dtype=np.int32)[40:]
    found = check(got, want, dtype=DType.INT32, poison=None).mismatch
    assert found is not None and found.pattern == "tail"


def test_an_output_is_taken_for_poisoned_only_with_what_it_held(tmp_path: Path) -> None:
    held(4, dtype=np.int32).tofile(tmp_path / "got")
    np.arange(4, dtype=np.int32).tofile(tmp_path / "want")
    got, want = (TensorFile(dtype=DType.INT32, shape=(4,), path=tmp_path / name) for name in ("got", "want"))
    rule = rule_for(DType.INT32, ())
    assert compare(0, got, want, want, rule, poison=POISON.outputs()).unwritten
    assert not compare(0, got, want, want, rule).unwritten
