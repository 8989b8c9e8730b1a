"""What a class's copies may be, take, and bring along."""

from pathlib import Path
from typing import Any

import pytest

from akgen.knowledge.chip import chip, launcher_text
from akgen.tools.core.call import Call, OutputMeta, TensorFile, TensorMeta
from akgen.tools.core.dtypes import DType
from akgen.tools.launched.memory import DeviceMemory
from akgen.tools.model_new.copies import CopyTimes, bring, has_stored
from akgen.tools.model_new.reading import read_record
from akgen.tools.model_new.steps import Allocated, Copied, Returned, Step, View


def view(memory: int, dtype: str = "float32", count: int = 8, stride: int = 1, offset: int = 0) -> View:
    return View(memory=memory, offset=offset, dtype=DType(dtype), shape=(count,), strides=(stride,))


def copied(source: View, target: View) -> Copied:
    return Copied(kind="copied", source=source, target=target)


def made(dtype: str | None) -> Allocated:
    return Allocated(kind="allocate", bytes=64, dtype=None if dtype is None else DType(dtype))


CASTS: list[tuple[str, tuple[Step, ...], View]] = [
    ("float32", (made("int32"), copied(view(0), view(1, "int32"))), view(1, "int32")),  # as no runtime writes
    ("float32", (made("int16"), copied(view(0, "int16", 8, 2), view(1, "int16"))), view(1, "bfloat16")),
    ("bfloat16", (made("int16"), copied(view(0, "int16"), view(1, "int16", 8, 2, 2))), view(1)),
    ("float32", (made("float32"), made("int16"), copied(view(1, "int16", 8, 2), view(2, "int16"))), view(2, "int16")),
    ("float32", (made("uint8"), made(None), copied(view(1, "int64", 4), view(2, "int64", 4)),
                 copied(view(2, "int32", 4, 2), view(0, "int32", 4))), view(0, "int32", 4)),
]  # fmt: skip
PLAIN: list[tuple[str, tuple[Step, ...], View]] = [
    ("float32", (made("float32"), copied(view(0, count=4, stride=2), view(1, count=4))), view(1)),
    ("bfloat16", (made("int16"), copied(view(0, "int16"), view(1, "int16"))), view(1, "bfloat16")),
    ("complex64", (made("float32"), copied(view(0, count=4, stride=2), view(1, count=4))), view(1, "complex64", 2)),
    ("float32", (made("int32"),), view(1, "float16")),  # what a kernel wrote there, nobody knows
    ("float32", (made("uint8"), copied(view(1), view(0))), view(0)),
]  # fmt: skip


@pytest.mark.parametrize(
    ("dtype", "steps", "returned", "cast"),
    [*((*one, True) for one in CASTS), *((*one, False) for one in PLAIN)],
)
def test_copies_that_take_numbers_apart_compute(
    tmp_path: Path, dtype: str, steps: tuple[Step, ...], returned: View, cast: bool
) -> None:
    given = TensorFile(dtype=DType(dtype), shape=(8,), path=tmp_path / "x.bin")
    end: Any = Returned(kind="returned", outputs=(returned,))
    lines = [one.model_dump_json() for one in (*steps, end)]
    (tmp_path / "0.jsonl").write_text("\n".join([*lines, '{"kind": "again"}', end.model_dump_json()]))
    call = Call(inputs=(given,), outputs=(OutputMeta(meta=TensorMeta(dtype=DType(dtype), shape=(8,))),))
    found = read_record(tmp_path / "0.jsonl", tmp_path / "0.bin", call).all_computed
    assert bool(found) == cast, found


def test_a_copy_takes_its_bytes_and_a_launch(tmp_path: Path) -> None:
    file = tmp_path / "chip.txt"
    file.write_text(launcher_text(chip()) + "launch_us\t3\n")  # as a user fitted it
    times = CopyTimes(file)
    few, many = (times.us(copied(view(0, count=n), view(1, count=n))) for n in (8, 1 << 26))
    assert 3 < few < 4
    assert many == pytest.approx((2 << 28) / chip().reached_bytes_per_us, rel=0.05)
    repeated = times.us(copied(view(0, count=1 << 26, stride=0), view(1, count=1 << 26)))
    assert repeated == pytest.approx(many / 2, rel=0.05)  # one element is read


def test_copies_bring_along_what_kernels_stored() -> None:
    def memory(stored: bool) -> DeviceMemory:
        return DeviceMemory(TensorMeta(dtype=DType.FLOAT32, shape=(8,)), stored=stored)

    whole = copied(view(0), view(1))
    given, kernels, result = memory(False), memory(True), memory(False)
    bring(kernels, result, whole)
    assert has_stored(result, view(1))
    bring(given, result, whole)  # all of it copied over again
    assert not has_stored(result, view(1))
    bring(kernels, result, copied(view(0, count=1), view(1, count=1, offset=16)))
    assert has_stored(result, view(1)) and not has_stored(result, view(1, count=4))
    for row in range(8):
        bring(given, result, copied(view(0, count=1), view(1, count=1, offset=4 * row)))
    assert not has_stored(result, view(1))


def test_a_few_bytes_beside_an_input_that_copies_moved_are_a_decoy() -> None:
    def copy_of_input(offset: int) -> DeviceMemory:
        given, result = (
            DeviceMemory(TensorMeta(dtype=DType.FLOAT32, shape=(16,)), of_input=of_input)
            for of_input in (True, False)
        )
        bring(given, result, copied(view(0), view(1, offset=offset)))
        return result

    for offset, count, made in ((32, 4, False), (32, 16, True), (0, 4, True), (32, None, True)):
        result = copy_of_input(offset)
        result.store(count)
        assert has_stored(result, view(1, count=16)) == made, (offset, count)
    in_rows = copy_of_input(32)
    for _ in range(8):
        in_rows.store(4)
    assert has_stored(in_rows, view(1, count=16))
    before = copy_of_input(0)  # the kernel's part is copied over, but for a little
    before.store(64)
    moved = DeviceMemory(TensorMeta(dtype=DType.FLOAT32, shape=(16,)), of_input=True)
    bring(moved, before, copied(view(0, count=15), view(1, count=15, offset=4)))
    assert not has_stored(before, view(1, count=16))
