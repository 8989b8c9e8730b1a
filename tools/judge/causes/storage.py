"""Causes that show in how numbers are stored: bytes of another dtype, and the rounding of a shorter one."""

from collections.abc import Iterator

import numpy as np

from akgen.tools.core.dtypes import DType
from akgen.tools.judge.causes.evidence import Claim, Evidence, Tensor

_FLOATS = (DType.FLOAT32, DType.FLOAT16, DType.BFLOAT16, DType.FLOAT64)
_OTHERS = (*_FLOATS, DType.INT32, DType.INT16, DType.INT8, DType.INT64)
# Median relative errors that rounding on the way leaves: of what was rounded, or of a sum that it is a part of.
_ROUNDING = {DType.FLOAT16: (2.0**-15, 2.0**-10.75), DType.BFLOAT16: (2.0**-10.75, 2.0**-7.5)}


def reinterpreted(e: Evidence) -> Iterator[Claim]:
    """The bytes of the output, read as another dtype, are the expected values: its global pointer has that dtype."""
    stored = np.asarray(e.got.stored)
    if stored.size < 8:
        return
    for dtype in _OTHERS:
        storage = np.dtype("u2" if dtype == DType.BFLOAT16 else dtype.value)
        if dtype == e.got.dtype or stored.nbytes % storage.itemsize:
            continue
        read = Tensor(dtype, (), stored.view(storage))
        many = min(read.stored.size, e.size)
        at = np.unique(np.linspace(0, many - 1, min(many, 2048)).astype(np.int64))
        values, want = read.at(at), e.want.at(at)
        near = np.abs(values - want) <= e.room(np.abs(want)) + 2.0**-7 * np.abs(want)
        if near.mean() >= 0.98 and np.unique(want).size >= 4 and np.any(want != 0):
            text = (
                f"its bytes are the expected values as {dtype}, where the operator's output is {e.got.dtype}"
            )
            yield Claim("reinterpreted", text, float(near.mean()))


def rounding(e: Evidence) -> Iterator[Claim]:
    """Errors of the size of a shorter dtype's rounding, to both sides, all over."""
    if e.got.dtype not in _FLOATS or e.places.size < 32:
        return
    every = np.sort(np.concatenate([e.places, e.right]))
    got, want = e.got.at(every), e.want.at(every)
    sized = np.isfinite(got) & np.isfinite(want) & (np.abs(want) > 0.1 * e.rms)
    if sized.sum() < 32:
        return
    relative = ((got - want) / np.abs(want))[sized]
    size, lean = float(np.median(np.abs(relative))), float(np.mean(relative > 0))
    if not 0.35 <= lean <= 0.65 or np.percentile(np.abs(relative), 99) > 40 * size:
        return
    for dtype, (least, most) in _ROUNDING.items():
        if dtype != e.got.dtype and least <= size < most:
            detail = f"half of them below {size:.1e} of the value, {lean:.0%} of them upwards"
            yield Claim("precision", f"the errors look like {dtype}'s rounding", 1.0, detail)
