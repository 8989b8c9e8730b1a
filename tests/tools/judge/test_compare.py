"""An output passes only if every element is as close as its dtype demands; the pattern says where it is not."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from akgen.tools.core.call import TensorFile
from akgen.tools.core.dtypes import DType
from akgen.tools.core.task import Tolerance
from akgen.tools.judge.compare import compare
from akgen.tools.judge.tolerance import rule_for
from tests.tools.judge.comparing import Compare, bfloat16, held, values


def test_equal_values_pass(check: Compare) -> None:
    want = values(8, 33)
    assert check(want.astype(np.float32), want).mismatch is None
    assert check(want.astype(np.float16), want, dtype=DType.FLOAT16).mismatch is None
    assert check(bfloat16(want), want, dtype=DType.BFLOAT16).mismatch is None


def test_half_precision_does_not_pass_as_single(check: Compare) -> None:
    want = values(64, 64)
    assert check(want.astype(np.float16).astype(np.float32), want).mismatch is not None


def test_one_wrong_element_among_many_fails(check: Compare) -> None:
    want = values(100, 100)
    got = want.astype(np.float32)
    got[57, 31] += 0.01
    mismatch = check(got, want).mismatch
    assert mismatch is not None
    assert (mismatch.count, mismatch.total, mismatch.first_index) == (1, 10_000, (57, 31))
    assert mismatch.pattern == "scattered"
    assert mismatch.max_abs == pytest.approx(0.01, rel=1e-3)


def test_small_outputs_do_not_pass_as_zeros(check: Compare) -> None:
    want = np.full((4, 4096), 1 / 4096)
    for dtype, numpy in ((DType.FLOAT32, np.float32), (DType.FLOAT16, np.float16)):
        mismatch = check(np.zeros(want.shape, numpy), want, dtype=dtype).mismatch
        assert mismatch is not None
        assert mismatch.pattern == "all_zero"


def test_denormal_half_results_pass(check: Compare) -> None:
    want = np.linspace(1e-7, 6e-5, 500)
    assert check(want.astype(np.float16), want, dtype=DType.FLOAT16).mismatch is None


def test_the_references_own_error_is_allowed_where_sums_cancel(check: Compare) -> None:
    rng = np.random.default_rng(3)
    terms = rng.standard_normal((400, 4096)) * 1e4
    want = terms.sum(axis=1)
    own = want + rng.standard_normal(400) * 0.3  # what single precision makes of it
    got = (want + rng.standard_normal(400) * 0.3).astype(np.float32)
    assert check(got, want, own.astype(np.float32)).mismatch is None
    assert check(got, want, want).mismatch is not None


def test_a_tasks_own_tolerance_is_taken_literally(check: Compare) -> None:
    loose = (Tolerance(dtype=DType.FLOAT32, atol=0.1, rtol=0.0),)
    want = values(50) * 1e-3
    assert check(np.zeros(50, np.float32), want, tolerances=loose).mismatch is None
    assert check(np.full(50, 0.2, np.float32), want, tolerances=loose).mismatch is not None


def test_integers_are_exact_and_either_rounding_of_the_reference_counts(check: Compare) -> None:
    want, own = np.array([1, 2, 3], np.int32), np.array([1, 2, 4], np.int32)
    for third in (3, 4):
        assert check(np.array([1, 2, third], np.int32), want, own, DType.INT32).mismatch is None
    assert check(np.array([1, 2, 5], np.int32), want, own, DType.INT32).mismatch is not None
    assert check(np.array([1, 3, 3], np.int32), want, own, DType.INT32).mismatch is not None


def test_nan_and_infinities_must_agree(check: Compare) -> None:
    want = np.array([np.nan, np.inf, -np.inf, 1.0])
    assert check(want.astype(np.float32), want).mismatch is None
    for wrong in ([1, np.inf, -np.inf, 1], [np.nan, -np.inf, -np.inf, 1], [np.nan, 3e38, -np.inf, 1]):
        assert check(np.array(wrong, np.float32), want).mismatch is not None
    foreign = check(np.array([np.nan, np.inf, -np.inf, np.nan], np.float32), want)
    assert foreign.foreign_nan


def test_overflow_of_the_output_dtype_is_infinity(check: Compare) -> None:
    want = np.array([1e5, -1e5, 65519.0, 1.0])
    assert (
        check(np.array([np.inf, -np.inf, 65504, 1], np.float16), want, dtype=DType.FLOAT16).mismatch is None
    )
    assert (
        check(np.array([np.inf, np.inf, 65504, 1], np.float16), want, dtype=DType.FLOAT16).mismatch
        is not None
    )
    assert check(np.array([1, -np.inf, 65504, 1], np.float16), want, dtype=DType.FLOAT16).mismatch is not None


def test_where_the_reference_itself_overflows_the_candidate_may(check: Compare) -> None:
    want, own = np.array([1e50, 2.0]), np.array([np.nan, 2.0])
    assert check(np.array([np.nan, 2.0], np.float32), want, own).mismatch is None


def test_shape_dtype_and_size_are_strict(check: Compare, tmp_path: Path) -> None:
    want = values(4, 6)
    flat = check(want.astype(np.float32).reshape(24), want).mismatch
    assert flat is not None and flat.pattern == "shape"
    half = check(want.astype(np.float16), want, dtype=DType.FLOAT16, asked=DType.FLOAT32).mismatch
    assert half is not None and half.pattern == "dtype"
    good = check(want.astype(np.float32), want)
    assert good.mismatch is None
    path = tmp_path / "short"
    path.write_bytes(b"123")
    short = TensorFile(dtype=DType.FLOAT32, shape=(4, 6), path=path)
    full = TensorFile(dtype=DType.FLOAT64, shape=(4, 6), path=tmp_path / "want")
    for file in (short, short.model_copy(update={"path": tmp_path / "missing"})):
        mismatch = compare(0, file, full, full, rule_for(DType.FLOAT32, ())).mismatch
        assert mismatch is not None and mismatch.pattern == "shape"


def test_empty_and_zero_dimensional_outputs(check: Compare) -> None:
    assert check(np.zeros((0, 4), np.float32), np.zeros((0, 4))).mismatch is None
    assert check(np.float32(2.5), np.float64(2.5)).mismatch is None
    wrong = check(np.float32(2.6), np.float64(2.5)).mismatch
    assert wrong is not None and wrong.first_index == ()


def test_poison_is_unwritten(check: Compare) -> None:
    want = values(10, 64)
    got = want.astype(np.float32)
    got[-1, -20:] = held(10, 64)[-1, -20:]
    found = check(got, want)
    assert found.unwritten
    assert found.mismatch is not None and found.mismatch.pattern == "unwritten"
    assert "620 to 639" in found.mismatch.note


def test_poison_in_integers(check: Compare) -> None:
    want = np.arange(64, dtype=np.int32)
    got = want.copy()
    got[40:] = held(64, dtype=np.int32)[40:]
    found = check(got, want, dtype=DType.INT32)
    assert found.unwritten
    cleared = check(got, want, dtype=DType.INT32, poison=None)
    assert not cleared.unwritten and cleared.mismatch is not None


@pytest.mark.parametrize(
    ("pattern", "mutate"),
    [
        ("tail", lambda a: a.reshape(-1).__setitem__(slice(-100, None), 9)),
        ("tail", lambda a: a.__setitem__((slice(None), slice(120, None)), 9)),
        ("row", lambda a: a.__setitem__(([3, 17], slice(None)), 9)),
        (
            "block_edge",
            lambda a: [a.reshape(-1).__setitem__(slice(i, i + 8), 9) for i in range(512, 8000, 1024)],
        ),
        ("all", lambda a: a.__imul__(2)),
        ("all_zero", lambda a: a.__imul__(0)),
        ("nan", lambda a: a.__setitem__((slice(5, 9), slice(3, 90)), np.nan)),
        ("scattered", lambda a: [a.reshape(-1).__setitem__(i, 9) for i in (7, 1000, 4001, 6007, 7777)]),
    ],
)
def test_the_pattern_of_a_mismatch(check: Compare, pattern: str, mutate: Callable[[Any], Any]) -> None:
    want = values(64, 128)
    got = want.astype(np.float32)
    mutate(got)
    mismatch = check(got, want).mismatch
    assert mismatch is not None
    assert mismatch.pattern == pattern, mismatch.note


def test_a_large_output_is_compared_in_parts(check: Compare) -> None:
    want = values(5_000)
    got = want.astype(np.float32)
    assert check(got, want, chunk=1024).mismatch is None
    got[4_999] += 1
    mismatch = check(got, want, chunk=1024).mismatch
    assert mismatch is not None and (mismatch.count, mismatch.first_index) == (1, (4_999,))


def test_the_wrong_elements_are_handed_on(check: Compare) -> None:
    want = values(8, 5)
    got = want.astype(np.float32)
    got[[2, 7], [3, 4]] += 1
    found = check(got, want)
    assert found.wrong is not None and np.flatnonzero(found.wrong).tolist() == [13, 39]
    assert check(want.astype(np.float32), want).wrong is None
