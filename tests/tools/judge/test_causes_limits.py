"""Where a cause begins and ends: the shares, tolerances and places that decide between two names."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from akgen.tools.core.dtypes import DType
from akgen.tools.core.verdict import Mismatch
from akgen.tools.judge.causes import location
from akgen.tools.judge.causes.diagnose import diagnose, named
from akgen.tools.judge.causes.evidence import SAMPLED, Claim, Evidence, Tensor, counts
from akgen.tools.judge.tolerance import rule_for

RNG = np.random.default_rng(7)


def tensor(array: Any, dtype: DType = DType.FLOAT64) -> Tensor:
    values = np.asarray(array)
    return Tensor(dtype, values.shape, np.ascontiguousarray(values).reshape(-1))


def evidence(want: Any, got: Any, wrong: Any = None, *inputs: Any, dtype: DType = DType.FLOAT32) -> Evidence:
    want, got = np.asarray(want), np.asarray(got)
    mask = np.abs(got - want) > 1e-3 if wrong is None else wrong
    return Evidence(
        got=tensor(got.astype(dtype.value), dtype),
        want=tensor(want),
        wrong=np.asarray(mask).reshape(-1),
        rule=rule_for(dtype, ()),
        inputs=[tensor(x) for x in inputs],
    )


def located(wrong: Any) -> Claim | None:
    """Return what the place alone says, of an output whose values say nothing."""
    mask = np.asarray(wrong, dtype=np.bool_)
    zero = np.zeros(mask.shape)
    return next(location.claims(evidence(zero, mask.astype(float), mask)), None)


# What a prediction must meet


def test_a_corrected_element_may_be_twice_its_tolerance_away() -> None:
    want = np.full(8, 100.0)  # tolerance 1e-5 + 1e-4 * 100, and one unit in the last place
    e = evidence(want, np.full(8, 50.0))
    room = 2 * (1e-5 + 1e-2 + 2.0**-17)
    assert e.explained(np.full(8, 50 + 0.999 * room)) == 1.0
    assert e.explained(np.full(8, 50 + 1.001 * room)) == 0.0


def test_a_corrected_element_may_be_twice_its_error_bound_away() -> None:
    want = np.full(8, 100.0)
    bounds = np.array([0.0] * 4 + [2.0] * 4, np.float32)
    e = replace(evidence(want, np.full(8, 50.0)), bounds=bounds)
    assert e.explained(np.full(8, 50 + 3.9)) == 0.5
    assert e.explained(np.full(8, 50 + 4.1)) == 0.0


def test_a_correction_leaves_a_fifth_of_the_error_at_most() -> None:
    e = evidence(np.full(8, 100.0), np.full(8, 100.0625), np.ones(8))
    e.wrong[:] = True
    assert e.explained(np.full(8, 100.0625 + 0.0124)) == 1.0
    assert e.explained(np.full(8, 100.0625 + 0.0126)) == 0.0


def test_not_a_number_is_explained_by_itself_and_infinity_by_its_sign() -> None:
    got = np.array([np.nan, np.inf, -np.inf, 1.0])
    e = evidence(np.zeros(4), got, np.ones(4, dtype=np.bool_))
    with np.errstate(invalid="ignore"):
        assert e.explained(np.array([np.nan, np.inf, -np.inf, 1.0])) == 1.0
        assert e.explained(np.array([0.0, -np.inf, np.inf, 1.0])) == 0.25


@pytest.mark.parametrize(("spoilt", "cause"), [(5, "scaled"), (14, "scaled"), (16, None)])
def test_a_cause_explains_eighty_five_of_a_hundred(spoilt: int, cause: str | None) -> None:
    want = RNG.standard_normal(100) + 3
    got = 1.7 * want
    got[np.linspace(0, 99, spoilt).astype(int)] = RNG.standard_normal(spoilt) - 40
    found = diagnose(evidence(want, got, np.ones(100, dtype=np.bool_)))
    assert (found.cause if found else None) == cause
    if found:
        assert (found.what, found.share) == ("it is the expected value times 1.7", (100 - spoilt) / 100)


def test_the_cause_that_explains_nearly_all_goes_before_an_earlier_one_that_explains_less() -> None:
    want = np.concatenate([RNG.standard_normal(90) + 8, [-5.0] * 10])
    found = diagnose(evidence(want, np.abs(want) - 2 * want * (want > 0), np.ones(100, dtype=np.bool_)))
    assert found is not None and found.cause == "sign" and found.share == 1.0


def test_three_wrong_elements_prove_no_factor() -> None:
    want = RNG.standard_normal(200) + 5
    for many, cause in ((3, None), (4, "scaled")):
        places = np.array([3, 50, 121, 158])[:many]
        got = want.copy()
        got[places] *= 3
        found = diagnose(evidence(want, got))
        assert (found.cause if found else None) == cause


def test_a_few_small_integers_fit_by_chance_and_prove_nothing() -> None:
    want = np.arange(40).reshape(5, 8) % 5
    got = want.copy()
    got[[0, 1, 3, 4, 2], [1, 6, 2, 5, 7]] = want[::-1][[0, 1, 3, 4, 2], [1, 6, 2, 5, 7]]
    assert diagnose(evidence(want, got, got != want, dtype=DType.INT32)) is None


def test_large_outputs_are_sampled_alike_each_time() -> None:
    want = RNG.standard_normal(3 * SAMPLED)
    first, second = (evidence(want, want + 1, np.ones(want.size, dtype=np.bool_)) for _ in range(2))
    assert first.places.size <= SAMPLED and np.array_equal(first.places, second.places)
    assert first.right.size == 0


def test_a_count_is_an_axis_or_neighbouring_axes_together() -> None:
    assert counts([tensor(np.zeros((2, 3, 5)))]) == [2, 3, 5, 6, 30, 15]
    assert counts([tensor(np.zeros((1, 4))), tensor(np.zeros(4))]) == [4]


def test_where_names_the_axes_of_which_an_eighth_is_right() -> None:
    wrong = np.zeros((16, 16), dtype=np.bool_)
    wrong[1:, 1:] = True
    assert evidence(np.zeros((16, 16)), wrong, wrong).where == ""
    wrong[1] = False
    assert evidence(np.zeros((16, 16)), wrong, wrong).where == "indices 2 to 15 of 16 along axis 0"
    wrong[:, :9], wrong[:, 10:] = False, False
    both = "indices 2 to 15 of 16 along axis 0 and index 9 of 16 along axis 1"
    assert evidence(np.zeros((16, 16)), wrong, wrong).where == both


# Places


def test_both_ends_of_two_axes_are_a_border() -> None:
    wrong = np.ones((2, 20, 30), dtype=np.bool_)
    wrong[:, 2:-2, 2:-2] = False
    assert located(wrong) == Claim(
        "border",
        "it is wrong at the border only: the first and last 2 indices of axis 1 (of 20)"
        " and the first and last 2 indices of axis 2 (of 30)",
    )


def test_four_indices_from_the_end_are_no_border() -> None:
    wrong = np.ones((2, 20, 30), dtype=np.bool_)
    wrong[:, 4:-4, 4:-4] = False
    found = located(wrong)
    assert found is None or found.cause != "border"


def test_one_part_of_a_border_is_named_by_its_end() -> None:
    wrong = np.zeros((3, 20, 30), dtype=np.bool_)
    wrong[..., -1] = True
    found = located(wrong)
    assert found is not None
    assert found.what == "it is wrong at the border only: the last index of axis 2 (of 30)"


@pytest.mark.parametrize(
    ("begin", "end", "said"),
    [
        (0, 100, "it is wrong in elements 0 to 99 only: the first of 8 parts of 100 elements"),
        (200, 300, "it is wrong in elements 200 to 299 only: the 3rd of 8 parts of 100 elements"),
        (700, 800, "it is wrong in elements 700 to 799 only: the last of 8 parts of 100 elements"),
    ],
)
def test_a_part_is_one_of_equal_parts(begin: int, end: int, said: str) -> None:
    wrong = np.zeros(800)
    wrong[begin:end] = 1
    assert located(wrong) == Claim("part", said)


def test_a_run_that_begins_beside_the_parts_is_none_of_them() -> None:
    wrong = np.zeros(800)
    wrong[150:250] = 1
    assert located(wrong) is None


def test_one_column_is_one_index() -> None:
    wrong = np.zeros((9, 12))
    wrong[:, 7] = 1
    assert located(wrong) == Claim("one_index", "it is wrong at index 7 of 12 along axis 1 only")


@pytest.mark.parametrize(("step", "said"), [(2, "2nd"), (3, "3rd"), (8, "8th"), (22, "22nd"), (12, "12th")])
def test_every_nth_element_is_a_lane(step: int, said: str) -> None:
    wrong = np.zeros(1320)
    wrong[1::step] = 1
    assert located(wrong) == Claim("lanes", f"every {said} element is wrong, from element 1, and no other")


def test_the_ends_of_tiles_are_edges_the_shorter_last_tile_too() -> None:
    wrong = np.zeros(1000)
    for end in (300, 600, 900, 1000):
        wrong[end - 50 : end] = 1
    assert located(wrong) == Claim("block_edge", "it is wrong in the last 50 elements of every 300")


def test_nearly_all_elements_are_no_place() -> None:
    wrong = np.ones((10, 100))
    wrong[:, 0] = 0
    assert located(wrong) is None


def test_a_factor_in_one_part_is_that_parts_fault() -> None:
    want = RNG.standard_normal(800) + 5
    got = want.copy()
    got[200:300] *= 0.5
    found = diagnose(evidence(want, got))
    place = "it is wrong in elements 200 to 299 only: the 3rd of 8 parts of 100 elements"
    assert found is not None and found.cause == "part"
    assert found.what == f"{place}; there it is the expected value times 0.5, in a part of the elements"


def cause_of(wrong: Any) -> str | None:
    found = located(wrong)
    return found.cause if found else None


def first(size: int, *ranges: tuple[int, int]) -> Any:
    wrong = np.zeros(size)
    for begin, end in ranges:
        wrong[begin:end] = 1
    return wrong


def test_nine_tenths_of_the_elements_still_are_a_place() -> None:
    grid = np.zeros((10, 10, 20))
    grid[:9, :, 1:] = 1  # 1710 of 2000
    assert cause_of(grid) == "row"
    grid[:9] = 1
    assert cause_of(grid) == "row"
    grid[9, 0, 0] = 1
    assert cause_of(grid) is None


def test_two_elements_may_be_a_place_and_one_is_none() -> None:
    assert cause_of(first(160, (3, 4), (19, 20))) == "block_edge"
    assert located(first(160, (3, 4))) is None


def test_tails_rows_and_edges_are_said_as_their_pattern_says_them() -> None:
    assert located(first(1000, (950, 1000))) == Claim("part", (
        "it is wrong in elements 950 to 999 only: the last of 20 parts of 50 elements"
    ))  # fmt: skip
    assert located(first(1000, (957, 1000))) == Claim(
        "tail", "it is wrong in elements 957 to 999 of 1000 only"
    )
    rows = np.zeros((20, 10))
    rows[[3, 11]] = 1
    assert located(rows) == Claim("row", "it is wrong in 2 of 20 rows: 3, 11 only")


@pytest.mark.parametrize(("length", "cause"), [(13, "border"), (12, None)])
def test_an_axis_with_a_border_has_more_than_twelve_indices(length: int, cause: str | None) -> None:
    wrong = np.zeros((length, length))
    wrong[[0, -1]] = 1
    wrong[:, [0, -1]] = 1
    assert cause_of(wrong) == cause


def test_one_edge_of_a_matrix_is_a_row_and_two_are_a_border() -> None:
    wrong = np.zeros((20, 30))
    wrong[0] = 1
    assert cause_of(wrong) == "part"
    wrong[-1] = 1
    assert cause_of(wrong) == "border"


def test_half_of_a_border_must_be_wrong() -> None:
    wrong = np.zeros((4, 20, 30))
    wrong[:2, 0] = 1
    wrong[2, 0, 0] = 1
    assert cause_of(wrong) == "border"
    wrong[1:3, 0, 0] = 0
    assert cause_of(wrong) != "border"


def test_corners_alone_are_no_border() -> None:
    wrong = np.zeros((3, 20, 30))
    wrong[:, [0, 0, -1, -1], [0, -1, 0, -1]] = 1
    assert cause_of(wrong) != "border"


@pytest.mark.parametrize(
    ("size", "begin", "end", "cause"),
    [
        (64, 16, 32, "part"),
        (60, 15, 30, None),  # shorter than sixteen
        (64, 0, 32, "part"),
        (1024, 512, 528, "part"),  # one of 64
        (1040, 512, 528, None),  # one of 65
        (329, 100, 200, "part"),  # the last part is shorter
    ],
)
def test_what_is_a_part(size: int, begin: int, end: int, cause: str | None) -> None:
    assert cause_of(first(size, (begin, end))) == cause


def test_half_of_a_parts_elements_are_a_part() -> None:
    wrong = first(800, (200, 201), (251, 300))
    assert cause_of(wrong) == "part"
    wrong[260] = 0
    assert cause_of(wrong) is None


def test_one_index_of_four_is_one_index_and_one_of_three_is_not() -> None:
    for length, cause in ((4, "one_index"), (3, None)):
        wrong = np.zeros((10, length, 6))
        wrong[:, 1, ::2] = 1
        wrong[0, 1, 1:4] = 0, 1, 0
        assert cause_of(wrong) == cause


def test_four_fifths_of_a_lane_are_a_lane() -> None:
    wrong = np.zeros(100)
    wrong[np.arange(100) % 5 == 3] = 1
    wrong[[13, 28, 43, 58]] = 0
    assert cause_of(wrong) == "lanes"
    wrong[63] = 0
    assert cause_of(wrong) is None


def test_four_elements_are_no_lane_and_five_are() -> None:
    assert cause_of(np.arange(35) % 9 == 4) is None
    assert cause_of(np.arange(44) % 9 == 4) == "lanes"


@pytest.mark.parametrize(
    ("distance", "longest", "cause"), [(16, 8, "block_edge"), (15, 7, None), (16, 9, None)]
)
def test_the_ends_of_tiles_of_sixteen_are_at_most_half_of_them(
    distance: int, longest: int, cause: str | None
) -> None:
    ends = range(distance, 5 * distance + 1, distance)
    assert cause_of(first(5 * distance, *((end - longest, end) for end in ends))) == cause


def test_the_ends_of_two_tiles_are_no_pattern_and_of_three_are() -> None:
    assert cause_of(first(203, (60, 100), (163, 203))) is None
    found = located(first(303, (60, 100), (160, 200), (263, 303)))
    assert found == Claim("block_edge", "it is wrong in the last 40 elements of every 100")


@pytest.mark.parametrize(
    ("number", "said"),
    [(1, "1st"), (2, "2nd"), (3, "3rd"), (4, "4th"), (10, "10th"), (11, "11th"), (13, "13th"), (14, "14th"),
     (21, "21st"), (53, "53rd"), (112, "112th"), (122, "122nd")],
)  # fmt: skip
def test_ordinals(number: int, said: str) -> None:
    assert location.ordinal(number) == said


# Values that stand elsewhere


def test_moved_values_are_counted_where_their_place_is_inside() -> None:
    want = np.arange(10.0) * 3
    e = evidence(want, np.append(want[1:], 0.0), np.ones(10, dtype=np.bool_))
    assert e.moved(e.want, e.places + 1) == 1.0  # nine, and the tenth is outside
    assert e.moved(e.want, np.where(e.places < 4, e.places + 1, -1)) == 1.0
    assert e.moved(e.want, np.where(e.places < 3, e.places + 1, -1)) == 0.0  # three prove nothing
    assert e.moved(e.want, e.places) == 0.0
    assert evidence(want, want + 1, np.ones(10, dtype=np.bool_)).moved(tensor(want + 1), e.places) == 1.0


def test_a_source_with_not_a_number_or_complex_explains_nothing() -> None:
    want = np.arange(10.0)
    e = evidence(want, want + 1, np.ones(10, dtype=np.bool_))
    holed = want + 1
    holed[2] = np.nan
    assert e.moved(tensor(holed), e.places) == 0.0
    assert e.moved(tensor((want + 1).astype(np.complex64), DType.COMPLEX64), e.places) == 0.0


def test_the_sample_reaches_from_the_first_wrong_elements_to_the_last() -> None:
    size = 40 * SAMPLED
    e = evidence(np.zeros(size), np.ones(size), np.ones(size, dtype=np.bool_))
    assert 0.95 * SAMPLED < e.places.size <= SAMPLED
    assert e.places[0] < size / 100 and e.places[-1] > size * 0.99


# What an unknown cause is told by


def test_two_unknown_failures_are_told_apart_by_the_size_of_their_errors() -> None:
    want = RNG.choice([-1.0, 1.0], 400)
    told = []
    for size in (0.3, 0.7):
        mismatch = Mismatch(
            output=0, pattern="all", count=400, total=400, first_index=(0,), max_abs=1, max_rel=1
        )
        got = want + size * RNG.uniform(0.98, 1.02, 400) * RNG.choice([-1.0, 1.0], 400)
        told.append(named(mismatch, evidence(want, got, np.ones(400, dtype=np.bool_))).explanation)
    said = "cause unknown: half of the wrong elements are off by more than {} of the values' root mean square"
    assert told == [said.format(0.3), said.format(0.7)]


# What becomes of the mismatch


def mismatch(pattern: str) -> Mismatch:
    return Mismatch(output=0, pattern=pattern, count=40, total=40, first_index=(0,), max_abs=1, max_rel=1)


@pytest.mark.parametrize("pattern", ["shape", "dtype", "all_zero", "stale", "unwritten"])
def test_a_pattern_that_is_its_own_cause_stays_as_it_is(pattern: str) -> None:
    want = RNG.standard_normal(40) + 3
    e = evidence(want, 2 * want, np.ones(40, dtype=np.bool_))
    assert named(mismatch(pattern), e) == mismatch(pattern)
    assert named(mismatch("all"), e).cause == "scaled"


def test_a_half_that_was_written_as_another_type_is_named_although_the_rest_is_unwritten() -> None:
    want = RNG.standard_normal(64)
    halves = np.concatenate([want.astype(np.float16).view(np.float32), np.full(32, np.nan, np.float32)])
    e = evidence(want, halves, np.ones(64, dtype=np.bool_))
    found = named(mismatch("unwritten"), e)
    assert (found.cause, found.pattern) == ("reinterpreted", "unwritten")
    assert (
        found.what == "its bytes are the expected values as float16, where the operator's output is float32"
    )


def test_the_evidence_tells_the_share_and_the_place_and_keeps_the_rest() -> None:
    want = RNG.standard_normal((40, 8)) + 3
    got = want.copy()
    got[:, 6:] = want[:, :2]
    found = named(mismatch("tail"), evidence(want, got))
    assert found == mismatch("tail").model_copy(
        update={
            "cause": "shifted",
            "what": "it holds the value that belongs 6 elements before it along axis 1",
            "evidence": "true of 100% of the wrong elements, which lie at indices 6 to 7 of 8 along axis 1",
        }
    )


def test_a_places_evidence_is_the_place_itself() -> None:
    want = RNG.standard_normal((9, 12)) + 3
    got = want.copy()
    got[:, 7] = RNG.standard_normal(9)
    found = named(mismatch("scattered"), evidence(want, got))
    assert (found.cause, found.evidence) == ("one_index", "")
    got[:, 7] = 0
    assert named(mismatch("scattered"), evidence(want, got)).what == (
        "it is wrong at index 7 of 12 along axis 1 only; there it is 0"
    )


def test_an_unknown_cause_of_nothing_but_nan_has_no_size() -> None:
    e = evidence(np.ones(40), np.where(np.arange(40) % 7 < 3, np.nan, 1), np.arange(40) % 7 < 3)
    found = named(mismatch("nan"), e)
    assert (found.cause, found.what) == ("unknown", "")
