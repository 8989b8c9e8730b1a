"""How far an element may be off: atol, rtol, one unit in the last place, and the size of small outputs."""

from pathlib import Path

import numpy as np
import pytest

from akgen.tools.core.call import TensorFile
from akgen.tools.core.dtypes import DType
from akgen.tools.judge.compare import compare
from akgen.tools.judge.tolerance import rule_for
from tests.tools.judge.comparing import Compare, bfloat16, literal, values


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


@pytest.mark.parametrize("chunk", [1, 2, 4])
def test_the_size_of_a_small_output_is_that_of_all_its_elements(check: Compare, chunk: int) -> None:
    want = np.array([3e-3, 1e-4, 1e-4, 1e-3])
    room = 1e-5 * float(np.sqrt(np.square(want).mean())) + 1e-4 * 1e-4
    for offset, right in ((0.98 * room, True), (1.1 * room, False)):
        got = want + np.array([0.0, offset, 0.0, 0.0])
        assert (check(got.astype(np.float32), want, chunk=chunk).mismatch is None) is right


def test_the_size_of_one_small_element_is_its_own(check: Compare) -> None:
    want = np.array([1e-3])
    room = 1e-5 * 1e-3 + 1e-4 * 1e-3
    for offset, right in ((0.985 * room, True), (1.05 * room, False)):
        assert (check((want + offset).astype(np.float32), want).mismatch is None) is right


def test_the_size_of_a_small_output_is_read_in_its_own_dtype(check: Compare, tmp_path: Path) -> None:
    files = []
    for name, array in (("g", np.zeros(64)), ("w", np.full(64, 1e-3)), ("o", np.full(64, 1e-3))):
        bfloat16(array).tofile(tmp_path / name)
        files.append(TensorFile(dtype=DType.BFLOAT16, shape=(64,), path=tmp_path / name))
    assert compare(0, *files, rule_for(DType.BFLOAT16, ())).mismatch is not None
