"""Where the reference's own error is larger than the tolerance, eight times that error is forgiven, and no more."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from akgen.tools.core.call import TensorFile
from akgen.tools.core.dtypes import DType
from akgen.tools.judge.compare import compare
from akgen.tools.judge.tolerance import rule_for
from tests.tools.judge.comparing import Compare, bfloat16


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


def test_bfloat16_is_forgiven_by_the_references_own_error(tmp_path: Path) -> None:
    want, own, got = np.full(64, 1.0), np.full(64, 1.0), np.full(64, 1.0)
    own += np.where(np.arange(64) % 2, 0.05, -0.05)
    got[3] = 1.25
    files = []
    for name, array in (("g", got), ("w", want), ("o", own)):
        bfloat16(array).tofile(tmp_path / name)
        files.append(TensorFile(dtype=DType.BFLOAT16, shape=(64,), path=tmp_path / name))
    assert compare(0, *files, rule_for(DType.BFLOAT16, ())).mismatch is None


def test_the_allowance_comes_on_top_of_the_tolerance(check: Compare) -> None:
    assert check(*near(0.00808)).mismatch is None  # 0.008 and 0.000135


def test_the_references_error_on_the_first_element_counts(check: Compare) -> None:
    want, own, got = np.array([1.25]), np.array([1.251], np.float32), np.array([1.2575], np.float32)
    assert check(got, want, own).mismatch is None


@pytest.mark.parametrize("chunk", [1, 2, 3])
def test_every_element_counts_once_in_the_references_error(check: Compare, chunk: int) -> None:
    """Off by 0.02 in one of two: a root mean square of 0.0141, times eight."""
    want, own = np.array([1.25, 1.25]), np.array([1.25, 1.27], np.float32)
    for offset, right in ((0.1125, True), (0.1145, False)):
        got = np.array([1.25 + offset, 1.25], np.float32)
        assert (check(got, want, own, chunk=chunk).mismatch is None) is right


def test_what_cannot_be_subtracted_is_compared_without_a_warning(check: Compare) -> None:
    want = np.array([np.inf, 1.0, np.inf])
    with np.errstate(all="raise"):
        found = check(np.array([np.inf, 2.0, -np.inf], np.float32), want)
    assert found.mismatch is not None and found.mismatch.count == 2
