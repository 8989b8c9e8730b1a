"""A csv's columns get their types as the benchmark's own reader gives them."""

import math
from pathlib import Path

import pytest

from akgen.bench.npukb.rows import Row, read_rows
from akgen.tools.core.outcome import InputError


def rows(tmp_path: Path, text: str) -> list[Row]:
    path = tmp_path / "test_cases.csv"
    path.write_text(text)
    return read_rows(path)


def test_a_column_is_integral_only_if_all_its_values_are(tmp_path: Path) -> None:
    first, second = rows(tmp_path, "case_id;a;b;c\n0;1.0;1;x\n1;3;2.5;4\n")
    assert (first["a"], type(first["a"])) == (1, int)
    assert (first["b"], type(first["b"])) == (1.0, float)
    assert (second["c"], first["c"]) == ("4", "x")


def test_booleans_become_whole_numbers_unless_one_is_missing(tmp_path: Path) -> None:
    first, second = rows(tmp_path, "case_id;a;b\n0;true;False\n1;false;None\n")
    assert (first["a"], second["a"]) == (1, 0)
    assert first["b"] is False
    assert isinstance(second["b"], float)


def test_missing_values_are_nan_in_numbers_and_text(tmp_path: Path) -> None:
    first, second = rows(tmp_path, "case_id;a;b;c\n0;None;;null\n1;5;text;\n")
    assert all(
        isinstance(v, float) and math.isnan(v) for v in (first["a"], first["b"], first["c"], second["c"])
    )
    assert (second["a"], type(second["a"])) == (5.0, float)


def test_shapes_stay_text_and_blank_lines_are_skipped(tmp_path: Path) -> None:
    (only,) = rows(tmp_path, "case_id;shape\n\n0;[2, 3]\n\n")
    assert only == {"case_id": 0, "shape": "[2, 3]"}


@pytest.mark.parametrize(
    ("text", "message"),
    [("a;b\n1;2\n", "no case_id"), ("", "no case_id"), ("case_id;a\n0;1;2\n", "row 2 has 3 cells")],
)
def test_a_broken_csv_is_refused(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        rows(tmp_path, text)


def test_a_missing_csv_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="Cannot read"):
        read_rows(tmp_path / "none.csv")
