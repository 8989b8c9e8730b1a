"""Records that a class has written itself: nothing of them leads the judge to other files, or to work without end."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from akgen.tools.core.call import Call, OutputMeta, TensorFile, TensorMeta
from akgen.tools.core.dtypes import DType
from akgen.tools.model_new.reading import RecordRefused, read_record

SECRET = b"\1" * 16  # what lies elsewhere: an expected output


def view(memory: int, *, shape: tuple[int, ...] = (4,), strides: tuple[int, ...] = (1,)) -> dict[str, Any]:
    return {"memory": memory, "offset": 0, "dtype": "float32", "shape": shape, "strides": strides}


def call(folder: Path) -> Call:
    given = TensorFile(dtype=DType("float32"), shape=(4,), path=folder / "x.bin")
    return Call(inputs=(given,), outputs=(OutputMeta(meta=TensorMeta(dtype=DType("float32"), shape=(4,))),))


def written(folder: Path, *steps: dict[str, Any]) -> tuple[Path, Path]:
    """Write a record of these steps, of which the second call has none."""
    returned = {"kind": "returned", "outputs": [view(1)]}
    lines = [{"kind": "allocate", "bytes": 16}, *steps, returned, {"kind": "again"}, returned]
    (folder / "0.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    (folder / "expected.bin").write_bytes(SECRET)
    return folder / "0.jsonl", folder / "0.bin"


def linked(file: Path) -> None:
    file.symlink_to("expected.bin")


def hard_linked(file: Path) -> None:
    file.hardlink_to(file.with_name("expected.bin"))


@pytest.mark.parametrize("put", [linked, hard_linked])
def test_constants_lie_in_a_file_of_their_own(tmp_path: Path, put: Callable[[Path], None]) -> None:
    lines, constants = written(tmp_path, {"kind": "constant", "memory": 1, "offset": 0, "at": 0, "count": 16})
    constants.write_bytes(SECRET)
    assert read_record(lines, constants, call(tmp_path)).constants == constants
    constants.unlink()
    put(constants)
    with pytest.raises(RecordRefused, match="no plain file"):
        read_record(lines, constants, call(tmp_path))


@pytest.mark.parametrize(("size", "refused"), [(1 << 20, False), (1 << 39, True)])
def test_views_that_repeat_an_element_are_bounded(tmp_path: Path, size: int, refused: bool) -> None:
    repeated = {"shape": (size,), "strides": (0,)}
    copied = {"kind": "copied", "source": view(0, **repeated), "target": view(1, **repeated)}
    lines, constants = written(tmp_path, copied)
    if refused:
        with pytest.raises(RecordRefused, match="copies"):
            read_record(lines, constants, call(tmp_path))
    else:
        assert len(read_record(lines, constants, call(tmp_path)).steps) == 2
