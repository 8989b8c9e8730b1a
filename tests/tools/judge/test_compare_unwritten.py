"""An element that still holds the poison was never written, unless its dtype could mean it."""

import numpy as np

from akgen.tools.core.dtypes import DType
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
