"""How much an element may differ: the table, a task's own tolerance, the last place, the reference's own error."""

import numpy as np
import pytest

from akgen.tools.core.dtypes import DType
from akgen.tools.core.task import Tolerance
from akgen.tools.judge.tolerance import Allowance, OwnError, Rule, atol, rule_for, unit_in_last_place

BITS = {DType.FLOAT32: 23, DType.FLOAT16: 10, DType.BFLOAT16: 7, DType.FLOAT64: 52, DType.COMPLEX64: 23}


@pytest.mark.parametrize(
    ("dtype", "default"),
    [
        (DType.FLOAT32, (1e-5, 1e-4)),
        (DType.FLOAT16, (1e-3, 2e-3)),
        (DType.BFLOAT16, (1e-3, 8e-3)),
        (DType.FLOAT64, (1e-9, 1e-9)),
        (DType.COMPLEX64, (1e-5, 1e-4)),
        (DType.INT32, (0.0, 0.0)),
    ],
)
def test_each_dtype_has_its_default(dtype: DType, default: tuple[float, float]) -> None:
    assert rule_for(dtype, ()) == Rule(dtype=dtype, atol=default[0], rtol=default[1], literal=False)


def test_a_tasks_own_tolerance_holds_for_its_dtype_only() -> None:
    own = (
        Tolerance(dtype=DType.FLOAT16, atol=0.5, rtol=0.25),
        Tolerance(dtype=DType.FLOAT32, atol=2.0, rtol=3.0),
    )
    assert rule_for(DType.FLOAT32, own) == Rule(dtype=DType.FLOAT32, atol=2.0, rtol=3.0, literal=True)
    assert not rule_for(DType.BFLOAT16, own).literal


@pytest.mark.parametrize(("rms", "shrunk"), [(0.01, 0.002), (1.0, 0.2), (50.0, 0.2)])
def test_the_default_atol_shrinks_with_small_outputs_only(rms: float, shrunk: float) -> None:
    rule = Rule(dtype=DType.FLOAT32, atol=0.2, rtol=0.0, literal=False)
    assert atol(rule, rms) == pytest.approx(shrunk)
    assert atol(rule.model_copy(update={"literal": True}), rms) == 0.2


@pytest.mark.parametrize("dtype", BITS)
def test_a_unit_in_the_last_place_doubles_at_each_power_of_two(dtype: DType) -> None:
    sizes = np.array([1.0, 1.99, 2.0, 0.75, 1024.0])
    units = unit_in_last_place(dtype, sizes) * 2.0 ** BITS[dtype]
    assert units.tolist() == [1.0, 1.0, 2.0, 0.5, 1024.0]


@pytest.mark.parametrize(
    ("dtype", "exponent"),
    [(DType.FLOAT32, -126), (DType.FLOAT16, -14), (DType.BFLOAT16, -126), (DType.COMPLEX64, -126)],
)
def test_units_do_not_shrink_below_the_smallest_normal_number(dtype: DType, exponent: int) -> None:
    smallest = 2.0 ** (exponent - BITS[dtype])
    sizes = np.array([2.0 ** (exponent - 5), 2.0 ** (exponent - 1), 2.0**exponent, 2.0 ** (exponent + 1)])
    assert (unit_in_last_place(dtype, sizes) / smallest).tolist() == [1.0, 1.0, 1.0, 2.0]


def test_the_smallest_unit_of_float64_is_its_smallest_number() -> None:
    assert unit_in_last_place(DType.FLOAT64, np.array([2.0**-1030, 2.0**-1021])).tolist() == [5e-324, 1e-323]


@pytest.mark.parametrize("dtype", BITS)
def test_zero_has_the_unit_of_the_smallest_number(dtype: DType) -> None:
    zero, least = unit_in_last_place(dtype, np.array([0.0, 5e-324]))
    assert zero == least > 0


def test_integers_have_no_room() -> None:
    assert unit_in_last_place(DType.INT32, np.array([1.0, 2e9])).tolist() == [0.0, 0.0]


def test_what_is_allowed_is_the_sum_of_three() -> None:
    rule = Rule(dtype=DType.FLOAT16, atol=0.5, rtol=0.25, literal=False)
    found = Allowance(rule, 0.5).whole(slice(None), np.array([4.0, 1.0]))
    assert found.tolist() == pytest.approx([0.25 + 1.0 + 4 * 2.0**-10, 0.25 + 0.25 + 2.0**-10], abs=1e-12)


def test_the_references_error_is_its_root_mean_square() -> None:
    own = OwnError()
    own.add(np.array([1.0, 1.5]), np.array([3.0, 4.0]))
    assert own.at(np.array([1.2]))[0] == pytest.approx(np.sqrt(12.5))
    assert own.largest == 4.0


def test_errors_are_added_up_over_the_parts() -> None:
    own = OwnError()
    own.add(np.array([1.0]), np.array([4.0]))
    own.add(np.array([1.5]), np.array([3.0]))
    own.add(np.array([]), np.array([]))
    assert own.at(np.array([1.2]))[0] == pytest.approx(np.sqrt(12.5))
    assert own.largest == 4.0


@pytest.mark.parametrize(("size", "found"), [(0.6, 2.0), (1.2, 2.0), (2.5, 2.0), (0.3, 0.0), (5.0, 0.0)])
def test_the_references_error_holds_one_power_of_two_around(size: float, found: float) -> None:
    own = OwnError()
    own.add(np.array([1.5]), np.array([2.0]))
    assert own.at(np.array([size]))[0] == found


def test_the_references_error_is_kept_for_the_smallest_and_largest_numbers() -> None:
    own = OwnError()
    sizes = np.array([5e-324, 1.7e308])
    own.add(sizes, np.array([1.0, 2.0]))
    assert own.at(sizes).tolist() == [1.0, 2.0]


def test_where_the_reference_was_exact_there_is_no_error() -> None:
    own = OwnError()
    assert own.largest == 0.0
    assert own.at(np.array([1.0]))[0] == 0.0
