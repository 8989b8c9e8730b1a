"""Raw files as arrays: dtypes that NumPy lacks, poison, rounding."""

from pathlib import Path

import numpy as np
import pytest

from akgen.tools.core.call import TensorFile
from akgen.tools.core.dtypes import DType
from akgen.tools.judge import raw

STORED = {DType.BFLOAT16: np.uint16, DType.BOOL: np.uint8, DType.INT8: np.int8, DType.FLOAT16: np.float16}


@pytest.mark.parametrize("dtype", STORED)
@pytest.mark.parametrize("count", [0, 3])
def test_a_file_is_read_in_its_storage_dtype(tmp_path: Path, dtype: DType, count: int) -> None:
    path = tmp_path / "x"
    np.arange(count, dtype=STORED[dtype]).tofile(path)
    found = raw.load(TensorFile(dtype=dtype, shape=(count,), path=path))
    assert found.dtype == STORED[dtype]
    assert found.tolist() == list(range(count))


def test_a_read_file_cannot_be_written_through(tmp_path: Path) -> None:
    path = tmp_path / "x"
    np.zeros(2, np.int32).tofile(path)
    found = raw.load(TensorFile(dtype=DType.INT32, shape=(2,), path=path))
    with pytest.raises(ValueError, match="read-only"):
        found[0] = 1


def test_a_file_of_another_size_is_refused_with_both(tmp_path: Path) -> None:
    path = tmp_path / "x"
    path.write_bytes(b"12345")
    with pytest.raises(ValueError, match=r"^holds 5 bytes instead of 8$"):
        raw.load(TensorFile(dtype=DType.INT32, shape=(2,), path=path))


def test_bfloat16_is_the_upper_half_of_a_float32() -> None:
    bits = np.array([0x3F80, 0xC000, 0x7F80, 0x0001], np.uint16)
    found = raw.as_float64(bits, DType.BFLOAT16)
    assert found.dtype == np.float64
    assert found.tolist() == [1.0, -2.0, np.inf, 2.0**-133]


def test_complex_numbers_keep_both_parts() -> None:
    found = raw.as_float64(np.array([1 + 2j], np.complex64), DType.COMPLEX64)
    assert found.dtype == np.complex128 and found.tolist() == [1 + 2j]


def test_other_numbers_are_widened_to_float64() -> None:
    found = raw.as_float64(np.array([0.1], np.float32), DType.FLOAT32)
    assert found.dtype == np.float64 and found[0] == float(np.float32(0.1))


@pytest.mark.parametrize("dtype", [np.uint8, np.float16, np.int32, np.float32, np.float64, np.complex128])
def test_an_element_is_poisoned_if_all_its_bytes_are(dtype: type) -> None:
    width = np.dtype(dtype).itemsize
    pattern = bytes(range(1, 33))  # two elements of the widest dtype
    period = 32 // width
    held = bytearray(pattern * 3 + pattern[:width])  # the pattern begins anew, and ends anywhere
    held[width - 1] ^= 1
    held[32 + width] ^= 128
    found = raw.poisoned(np.frombuffer(held, dtype), pattern)
    assert found.dtype == np.bool_ and found.size == 3 * period + 1
    assert np.flatnonzero(~found).tolist() == [0, period + 1]


@pytest.mark.parametrize("count", [0, 1])
def test_an_array_of_few_elements_is_looked_at_for_poison(count: int) -> None:
    found = raw.poisoned(np.full(count, -1, np.int32), b"\xff" * 16)
    assert found.dtype == np.bool_ and found.tolist() == [True] * count


@pytest.mark.parametrize(
    ("value", "bits"),
    [
        (1.0, 0x3F80),
        (1.0 + 2.0**-9, 0x3F80),  # below the middle
        (1.0 + 2.0**-8, 0x3F80),  # the middle: to even, down
        (1.0 + 3 * 2.0**-8, 0x3F82),  # the middle: to even, up
        (1.0 + 2.0**-8 + 2.0**-20, 0x3F81),  # above the middle
        (-2.0, 0xC000),
        (np.inf, 0x7F80),
    ],
)
def test_bfloat16_is_rounded_to_nearest_even(value: float, bits: int) -> None:
    found = raw.encode(np.array([value]), DType.BFLOAT16)
    assert found.dtype == np.uint16 and found.tolist() == [bits]


def test_booleans_are_one_byte_each() -> None:
    found = raw.encode(np.array([0.0, 0.5, -3.0, 1.0]), DType.BOOL)
    assert found.dtype == np.uint8 and found.tolist() == [0, 1, 1, 1]


def test_other_dtypes_are_cast_without_a_warning() -> None:
    with np.errstate(all="raise"):
        assert raw.encode(np.array([1e6, np.nan, 2.5]), DType.FLOAT16).tolist()[0] == np.inf
        assert raw.encode(np.array([np.nan, 2.0]), DType.INT32)[1] == 2


def test_files_are_the_same_bit_by_bit(tmp_path: Path) -> None:
    a, b, c = (tmp_path / name for name in "abc")
    a.write_bytes(b"12345")
    b.write_bytes(b"12345")
    c.write_bytes(b"12346")
    assert raw.same(a, b) and raw.digest(a) == raw.digest(b)
    assert not raw.same(a, c) and raw.digest(a) != raw.digest(c)
