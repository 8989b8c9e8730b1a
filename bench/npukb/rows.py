"""The rows of a task's csv, typed the way the benchmark's own reader types them.

A column is integral if every value is, numeric if every value is, boolean if every value is; otherwise its values
stay text. A boolean column without a missing value becomes 0 and 1, as the benchmark makes every integral column
integers. Missing values (empty, `None`, `null`, `NaN`, ...) are float NaN, also in a text column.
"""

import csv
import math
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from akgen.tools.core.outcome import InputError
from akgen.tools.core.untrusted import read_text

Cell = int | float | bool | str
Row = dict[str, Cell]
T = TypeVar("T", int, float)

_MISSING = {
    "", "#N/A", "#N/A N/A", "#NA", "-1.#IND", "-1.#QNAN", "-NaN", "-nan", "1.#IND", "1.#QNAN", "<NA>", "N/A", "NA",
    "NULL", "NaN", "None", "n/a", "nan", "null",
}  # fmt: skip
_BOOLEAN = {"True": True, "TRUE": True, "true": True, "False": False, "FALSE": False, "false": False}


def read_rows(path: Path) -> list[Row]:
    """Read a ';'-separated csv with a header; every row holds every column.

    Raises InputError when the file is missing, has no case_id column, or a row is longer than the header.
    """
    try:
        lines = list(csv.reader(read_text(path).splitlines(), delimiter=";"))
    except (InputError, csv.Error) as e:
        raise InputError(
            f"Cannot read the test cases in {path}: {e}.", "Check that the checkout is complete."
        ) from e
    lines = [line for line in lines if any(cell.strip() for cell in line)]
    if not lines or "case_id" not in lines[0]:
        raise InputError(f"{path} has no case_id column.", "The first line names ';'-separated columns.")
    header, body = lines[0], lines[1:]
    for number, line in enumerate(body, start=2):
        if len(line) > len(header):
            raise InputError(
                f"{path} row {number} has {len(line)} cells, the header has {len(header)}.",
                "Separate the cells by ';' and keep ';' out of them.",
            )
    columns = [_typed([line[i] if i < len(line) else "" for line in body]) for i in range(len(header))]
    return [{name: columns[i][n] for i, name in enumerate(header)} for n in range(len(body))]


def _typed(texts: list[str]) -> list[Cell]:
    present = [t for t in texts if t.strip() not in _MISSING]
    if present and all(t.strip() in _BOOLEAN for t in present):
        if len(present) == len(texts):
            return [int(_BOOLEAN[t.strip()]) for t in texts]
        return [_BOOLEAN.get(t.strip(), math.nan) for t in texts]
    integers = _parse(present, int)
    if integers is not None and len(present) == len(texts):
        return list(integers)
    numbers = _parse(present, float)
    if numbers is None or not present:
        return [math.nan if t.strip() in _MISSING else t for t in texts]
    if len(present) == len(texts) and all(math.isfinite(x) and x == int(x) for x in numbers):
        return [int(x) for x in numbers]
    return [math.nan if t.strip() in _MISSING else float(t) for t in texts]


def _parse(texts: list[str], kind: Callable[[str], T]) -> list[T] | None:
    try:
        return [kind(t.strip()) for t in texts]
    except ValueError:
        return None
