"""An element that still holds the poison was never written, unless its dtype could mean it."""

from pathlib import Path

import numpy as np

from akgen.tools.core.call import TensorFile
from akgen.tools.core.dtypes import DType
from akgen.tools.judge.compare import compare
from akgen.tools.judge.tolerance import rule_for
from tests.tools.judge.comparing import Compare, single


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


def test_an_output_is_taken_for_poisoned_unless_it_was_cleared(tmp_path: Path) -> None:
    np.full(4, -1, np.int32).tofile(tmp_path / "got")
    np.arange(4, dtype=np.int32).tofile(tmp_path / "want")
    got, want = (TensorFile(dtype=DType.INT32, shape=(4,), path=tmp_path / name) for name in ("got", "want"))
    assert compare(0, got, want, want, rule_for(DType.INT32, ())).unwritten
