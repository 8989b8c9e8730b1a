"""The floor in operations: who did too little, and who never is accused of it."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from akgen.tools.core.call import Call, OutputMeta, TensorFile, TensorMeta
from akgen.tools.core.dtypes import DType
from akgen.tools.core.toolchain import Launch
from akgen.tools.judge.outputs import from_table, too_little
from akgen.tools.reference.client import SampleFiles

NUMBERS = np.random.default_rng(5).standard_normal(8192).astype(np.float32)
Files = Callable[[str, Any], TensorFile]


@pytest.fixture
def stored(tmp_path: Path) -> Files:
    def store(name: str, array: Any) -> TensorFile:
        array.tofile(tmp_path / name)
        return TensorFile(dtype=DType(array.dtype.name), shape=array.shape, path=tmp_path / name)

    return store


def trial(x: TensorFile, y: TensorFile, *, computed: bool | None = True, least: int = 0) -> SampleFiles:
    meta = TensorMeta(dtype=y.dtype, shape=y.shape)
    call = Call(inputs=(x,), outputs=(OutputMeta(meta=meta),))
    return SampleFiles(
        call=call,
        expected=(None,),
        returned=(None,),
        computed=None if computed is None else (computed,),
        least_operations=least,
    )


def launched(
    y: TensorFile, operations: int | None, library: Path | None = None, tiling_data: Path | None = None
) -> Launch:
    return Launch(outcome=None, outputs=(y,), operations=operations, library=library, tiling_data=tiling_data)


@pytest.mark.parametrize(("operations", "accused"), [(4095, True), (4096, False), (None, False)])
def test_each_new_number_was_made_by_something(stored: Files, operations: int | None, accused: bool) -> None:
    x, y = stored("x", NUMBERS), stored("y", NUMBERS * 2)
    found = too_little(trial(x, y), launched(y, operations), computes=False)
    assert (found is not None) == accused
    assert found is None or (found.code, found.severity) == ("FEWER_OPERATIONS", "error")


@pytest.mark.parametrize(
    "made",
    [
        lambda x: x[::-1].copy(),  # moved
        lambda x: np.full_like(x, 3.25),  # a constant
        lambda x: x.view(np.int32),  # read as another type
        lambda x: np.maximum(x, 0),  # inputs and one more number
        lambda x: (x > 0).astype(np.int8),
        lambda x: x.view(np.int16)[::2].copy(),
    ],
)
def test_numbers_of_the_inputs_need_no_operation(stored: Files, made: Any) -> None:
    x, y = stored("x", NUMBERS), stored("y", made(NUMBERS))
    assert too_little(trial(x, y), launched(y, 8), computes=True) is None


def test_without_a_trace_the_category_says_whether_outputs_are_new(stored: Files) -> None:
    x, y = stored("x", NUMBERS), stored("y", NUMBERS * 2)
    assert too_little(trial(x, y, computed=None), launched(y, 10), computes=True) is not None
    assert too_little(trial(x, y, computed=None), launched(y, 10), computes=False) is None
    assert too_little(trial(x, y, computed=False), launched(y, 10), computes=True) is None


def test_the_reference_asks_for_operations_of_its_own(stored: Files) -> None:
    x, y = stored("x", NUMBERS), stored("y", NUMBERS[:1] * 2)
    assert too_little(trial(x, y, least=100), launched(y, 99), computes=False) is not None
    assert too_little(trial(x, y, least=100), launched(y, 100), computes=False) is None


def test_numbers_that_stand_in_a_table_are_told(stored: Files, tmp_path: Path) -> None:
    x, y = stored("x", NUMBERS), stored("y", NUMBERS * 2)
    table, other = tmp_path / "table", tmp_path / "other"
    table.write_bytes(b"code" * 99 + (NUMBERS * 2).tobytes() + b"more")
    other.write_bytes(b"code" * 99 + (NUMBERS * 3).tobytes())
    found = from_table(trial(x, y), launched(y, 1 << 30, other, table))
    assert found is not None and (found.code, found.severity) == ("ANSWER_TABLE", "error")
    assert from_table(trial(x, y), launched(y, 1 << 30, other)) is None


def test_what_the_table_and_the_inputs_both_hold_was_moved(stored: Files, tmp_path: Path) -> None:
    x, y = stored("x", NUMBERS), stored("y", NUMBERS[::-1].copy())
    table = tmp_path / "table"
    table.write_bytes(NUMBERS.tobytes())
    assert from_table(trial(x, y), launched(y, 1 << 30, table)) is None


def test_a_few_numbers_may_be_looked_up(stored: Files, tmp_path: Path) -> None:
    few = np.tile(NUMBERS[:256] * 2, 32)
    x, y = stored("x", NUMBERS), stored("y", few)
    table = tmp_path / "table"
    table.write_bytes(few.tobytes())
    assert from_table(trial(x, y), launched(y, 1 << 30, table)) is None


@pytest.mark.parametrize(("count", "accused"), [(33, True), (15, False)])
def test_a_short_output_that_the_host_handed_over(
    stored: Files, tmp_path: Path, count: int, accused: bool
) -> None:
    x, y = stored("x", NUMBERS), stored("y", np.arange(1000, 1000 + count, dtype=np.int32))
    table = tmp_path / "table"
    table.write_bytes(b"sizes" + y.path.read_bytes())
    assert (from_table(trial(x, y), launched(y, 1 << 30, None, table)) is not None) == accused
    assert from_table(trial(x, y), launched(y, 1 << 30, table)) is None  # numbers that code has anyway
    assert from_table(trial(y, y), launched(y, 1 << 30, None, table)) is None  # the input itself
