"""The pattern of the wrong elements, at the edge where one becomes another."""

from typing import Any

import numpy as np
import pytest

from akgen.tools.judge.pattern import Described, by_axis, describe, heat_map


def at(size: int, *places: int | range) -> Any:
    mask = np.zeros(size, dtype=np.bool_)
    for place in places:
        mask[list(place) if isinstance(place, range) else place] = True
    return mask


def described(
    wrong: Any,
    shape: tuple[int, ...] | None = None,
    *,
    poison: Any = None,
    nan: Any = None,
    stored: Any = None,
) -> Described:
    return describe(
        wrong=wrong,
        stored=np.ones(wrong.size) if stored is None else stored,
        shape=(wrong.size,) if shape is None else shape,
        poison=poison,
        nan=np.zeros_like(wrong) if nan is None else nan,
    )


def test_the_first_index_is_in_the_outputs_shape() -> None:
    assert described(at(24, 7, 20), (2, 3, 4)).first_index == (0, 1, 3)
    assert described(at(1, 0), ()).first_index == ()


def test_half_of_the_wrong_elements_unwritten_is_unwritten() -> None:
    wrong = at(100, 10, 30, 50, 70)
    found = described(wrong, poison=at(100, 30, 50))
    assert found == ("unwritten", (10,), "2 elements were never written: 30 to 30, 50 to 50")
    assert described(wrong, poison=at(100, 30)).pattern != "unwritten"


def test_without_poison_nothing_is_called_unwritten() -> None:
    assert described(at(100, 10)).pattern == "scattered"


def test_the_shape_is_told_with_many_unwritten_runs() -> None:
    places = (1, 20, 40, 60, 80)
    found = described(at(100, *places), (10, 10), poison=at(100, *places))
    assert found.note == "5 elements were never written: 5 runs between elements 1 and 80 of shape [10, 10]"


def test_more_than_half_of_the_wrong_elements_nan_is_nan() -> None:
    wrong = at(100, 10, 30, 50, 70)
    assert described(wrong, nan=at(100, 10, 30, 50)).pattern == "nan"
    assert described(wrong, nan=at(100, 10, 30)).pattern != "nan"


def test_the_note_on_nan_says_where() -> None:
    wrong = at(100, 1, 20, 40, 60, 80)
    assert described(wrong, (10, 10), nan=wrong).note == "5 runs between elements 1 and 80 of shape [10, 10]"


def test_an_output_of_zeros_is_all_zero() -> None:
    found = described(at(100, 10), stored=np.zeros(100))
    assert found == ("all_zero", (10,), "every element of the output is zero")


@pytest.mark.parametrize(("count", "pattern"), [(90, "all"), (89, "scattered")])
def test_nine_tenths_are_all(count: int, pattern: str) -> None:
    assert described(at(100, range(count))).pattern == pattern


def test_an_output_of_one_element_is_not_all() -> None:
    assert described(at(1, 0), ()).pattern == "scattered"
    assert described(at(2, 0, 1)).pattern == "all"


def test_the_note_on_all_says_where() -> None:
    assert described(at(100, range(95)), (10, 10)).note == "elements 0 to 94"
    holes = ~at(100, 10, 20, 30, 40)
    assert described(holes, (10, 10)).note == "5 runs between elements 0 and 99 of shape [10, 10]"


@pytest.mark.parametrize(("first", "pattern"), [(50, "tail"), (49, "scattered")])
def test_a_tail_is_at_most_the_second_half(first: int, pattern: str) -> None:
    assert described(at(100, range(first, 100))).pattern == pattern


def test_half_of_a_tail_is_a_tail() -> None:
    assert described(at(100, 90, 91, 92, 95, 97)).pattern == "tail"
    assert described(at(100, 90, 91, 92, 95)).pattern == "scattered"


def test_the_note_on_a_tail_says_where_it_begins() -> None:
    assert described(at(100, range(93, 100))).note == "elements 93 to 99 of 100"


@pytest.mark.parametrize(("start", "pattern"), [(5, "tail"), (4, "scattered")])
def test_the_tail_of_rows_is_at_most_their_second_half(start: int, pattern: str) -> None:
    wrong = np.zeros((8, 10), dtype=np.bool_)
    wrong[:6, start:] = True
    assert described(wrong.reshape(-1), (8, 10)).pattern == pattern


def test_more_than_half_of_the_columns_make_the_tail_of_rows() -> None:
    wrong = np.zeros((8, 10), dtype=np.bool_)
    wrong[:6, [6, 7]] = True
    assert described(wrong.reshape(-1), (8, 10)).pattern != "tail"
    wrong[:6, 9] = True
    found = described(wrong.reshape(-1), (8, 10))
    assert (found.pattern, found.note) == ("tail", "columns 6 to 9 of rows of 10")


def test_the_second_of_two_columns_is_a_tail() -> None:
    wrong = np.zeros((8, 2), dtype=np.bool_)
    wrong[:6, 1] = True
    found = described(wrong.reshape(-1), (8, 2))
    assert (found.pattern, found.note) == ("tail", "columns 1 to 1 of rows of 2")


def test_the_first_of_two_columns_is_no_tail() -> None:
    wrong = np.zeros((8, 2), dtype=np.bool_)
    wrong[:6, 0] = True
    assert described(wrong.reshape(-1), (8, 2)).pattern == "scattered"


def test_a_whole_row_is_a_row() -> None:
    found = described(at(80, range(10, 20)), (8, 10))
    assert (found.pattern, found.note) == ("row", "1 of 8 rows: 1")


def test_more_than_four_fifths_of_a_row_are_a_row() -> None:
    assert described(at(80, range(10, 19)), (8, 10)).pattern == "row"
    assert described(at(80, range(10, 18)), (8, 10)).pattern == "scattered"


@pytest.mark.parametrize(
    ("rows", "note"),
    [
        (range(6), "6 of 20 rows: 0, 1, 2, 3, 4, 5"),
        (range(7), "7 of 20 rows: 0, 1, 2, 3, 4, 5, ..."),
    ],
)
def test_the_first_six_rows_are_listed(rows: range, note: str) -> None:
    wrong = np.zeros((20, 10), dtype=np.bool_)
    wrong[list(rows)] = True
    assert described(wrong.reshape(-1), (20, 10)).note == note


def test_rows_of_two_elements_are_rows() -> None:
    wrong = np.zeros((8, 2), dtype=np.bool_)
    wrong[1] = True
    assert described(wrong.reshape(-1), (8, 2)).pattern == "row"


def test_rows_of_one_element_are_no_rows() -> None:
    assert described(at(8, 1), (8, 1)).pattern == "scattered"


def test_where_every_row_is_touched_there_is_no_row() -> None:
    wrong = np.ones((8, 10), dtype=np.bool_)
    wrong[:, 0] = False
    wrong[0, 5] = False
    assert described(wrong.reshape(-1)[:71], (71,)).pattern != "row"
    wrong[:, 0] = True
    wrong[:, 9] = False
    wrong[0, :] = [True] * 9 + [False]
    wrong[1, 3] = False
    assert described(wrong.reshape(-1), (8, 10)).pattern == "scattered"


def test_two_short_runs_are_block_edges() -> None:
    found = described(at(160, range(3, 7), range(19, 22)))
    assert (found.pattern, found.note) == (
        "block_edge",
        "runs of at most 4 elements, 16 apart, from element 3",
    )


def test_runs_less_than_sixteen_apart_are_no_block_edges() -> None:
    assert described(at(160, 3, 18)).pattern == "scattered"


def test_runs_longer_than_a_quarter_of_their_distance_are_no_block_edges() -> None:
    assert described(at(160, range(3, 8), range(19, 22))).pattern == "scattered"


def test_as_many_runs_as_an_eighth_of_the_elements_and_one_may_be_edges() -> None:
    assert described(at(17, 0, 16)).pattern == "block_edge"
    assert described(at(15, 0)).pattern == "scattered"


def test_too_many_runs_for_the_output_are_no_edges() -> None:
    assert described(at(33, 0, 16)).pattern == "block_edge"


def test_runs_that_touch_are_one() -> None:
    assert described(at(100, 10, 11, 12)).note == "elements 10 to 12"


def test_a_gap_of_one_element_parts_two_runs() -> None:
    assert described(at(100, 10, 12)).note == "10 to 10, 12 to 12"


@pytest.mark.parametrize(
    ("places", "note"),
    [
        ((range(10, 12), 20), "10 to 11, 20 to 20"),
        ((10, 20, 31, range(40, 43)), "10 to 10, 20 to 20, 31 to 31, 40 to 42"),
        ((10, 20, 31, 40, range(45, 48)), "5 runs between elements 10 and 47 of shape [100]"),
    ],
)
def test_up_to_four_runs_are_listed(places: Any, note: str) -> None:
    assert described(at(100, *places)).note == note


def test_a_heat_map_is_told_in_words() -> None:
    wrong = np.zeros((37, 200), np.bool_)
    wrong[:, 192:] = True
    assert by_axis(wrong.reshape(-1), (37, 200)) == (
        "4% of all; axis 0: all 37 indices alike; axis 1: indices 192 to 199 of 200 100%, the others 0%"
    )
    wrong[:] = False
    wrong[::8] = True
    assert "axis 0: 1 of every 8 indices from 0 of 37 100%" in by_axis(wrong.reshape(-1), (37, 200))
    assert by_axis(np.ones(6, np.bool_), (2, 3)) == ""


def test_a_heat_map_shows_the_share_of_wrong_elements_with_the_last_axis_across() -> None:
    wrong = np.zeros((2, 3, 4), np.bool_)
    wrong[1, 2, 1:3] = True
    found = heat_map(wrong.reshape(-1), (2, 3, 4))
    assert found is not None
    assert (found.rows, found.columns) == (6, 4)
    assert found.cells == ("....", "....", "....", "....", "....", ".99.")


def test_a_heat_map_of_a_large_output_is_small_and_loses_no_wrong_element() -> None:
    wrong = np.zeros((1000, 6400), np.bool_)
    wrong[:, 6300:] = True
    wrong[7, 0] = True
    found = heat_map(wrong.reshape(-1), (1000, 6400))
    assert found is not None
    assert (len(found.cells), len(found.cells[0])) == (24, 64)
    assert all(line.endswith(".9") for line in found.cells), "the last hundred columns are the last cell"
    assert found.cells[0][0] == "0" and sum(line.count("0") for line in found.cells) == 1


def test_a_heat_map_folds_one_axis_and_has_nothing_to_say_of_none() -> None:
    found = heat_map(at(1000, range(990, 1000)), (1000,))
    assert found is not None
    assert found.rows * found.columns >= 1000
    assert [i for i, line in enumerate(found.cells) if line.strip(".")] == [len(found.cells) - 1]
    assert heat_map(at(1, 0), ()) is not None
    assert heat_map(np.zeros(0, np.bool_), (0, 3)) is None
