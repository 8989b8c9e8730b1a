"""Raw tensor files as NumPy arrays."""

import hashlib
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from akgen.tools.core.call import TensorFile
from akgen.tools.core.dtypes import DType

Array = npt.NDArray[Any]

_STORAGE = {DType.BFLOAT16: "uint16", DType.BOOL: "uint8"}


def load(file: TensorFile) -> Array:
    """Map a file as a flat array of its dtype; bfloat16 as its bits in uint16, bool as uint8.

    Raises ValueError if the file's size is not the tensor's.
    """
    size = file.path.stat().st_size
    if size != file.size_bytes:
        raise ValueError(f"holds {size} bytes instead of {file.size_bytes}")
    dtype = np.dtype(_STORAGE.get(file.dtype, file.dtype.value))
    if size == 0:
        return np.empty(0, dtype=dtype)
    return np.memmap(file.path, dtype=dtype, mode="r")


def as_float64(stored: Array, dtype: DType) -> Array:
    """Return the values in float64 (complex64 in complex128)."""
    if dtype == DType.BFLOAT16:
        bits = stored.astype(np.uint32) << 16
        return bits.view(np.float32).astype(np.float64)
    if dtype == DType.COMPLEX64:
        return stored.astype(np.complex128)
    return stored.astype(np.float64)


def poisoned(stored: Array, pattern: bytes) -> npt.NDArray[np.bool_]:
    """Mark elements that hold what the toolchain filled an output with: the pattern's bytes at their place."""
    words = f"u{min(stored.dtype.itemsize, 8)}"
    bits, held = np.asarray(stored).view(words), np.frombuffer(pattern, words)
    found: npt.NDArray[np.bool_] = np.empty(bits.size, dtype=np.bool_)
    whole = bits.size // held.size * held.size
    np.equal(bits[:whole].reshape(-1, held.size), held, out=found[:whole].reshape(-1, held.size))
    np.equal(bits[whole:], held[: bits.size - whole], out=found[whole:])
    return np.asarray(found.reshape(stored.size, -1).all(axis=1)) if bits.size != stored.size else found


def encode(values: Array, dtype: DType) -> Array:
    """Return values as they are stored in this dtype, rounded to nearest even."""
    if dtype == DType.BFLOAT16:
        bits = values.astype(np.float32).view(np.uint32)
        rounded: Array = (bits + 0x7FFF + ((bits >> 16) & 1)) >> 16
        return np.asarray(rounded, dtype=np.uint16)
    if dtype == DType.BOOL:
        return np.asarray(values != 0, dtype=np.uint8)
    with np.errstate(over="ignore", invalid="ignore"):
        return np.asarray(values.astype(dtype.value))


def alike(stored: Array) -> bool:
    """Say whether several elements all hold the same bits; a single one tells nothing."""
    if stored.size < 2:
        return False
    rows = np.ascontiguousarray(stored.reshape(-1)).view(np.uint8).reshape(stored.size, -1)
    return bool((rows[:2] == rows[0]).all() and (rows == rows[0]).all())


def same(first: Path, second: Path) -> bool:
    """Compare two files bit by bit."""
    return np.array_equal(np.fromfile(first, dtype=np.uint8), np.fromfile(second, dtype=np.uint8))


def digest(path: Path) -> str:
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "blake2b").hexdigest()
