"""What tells a launch that left work out from one that added in another order."""

from pathlib import Path

import numpy as np
import pytest

from akgen.tools.cann.same_outputs import differing
from akgen.tools.core.call import Poison, TensorFile
from akgen.tools.core.dtypes import DType
from akgen.tools.core.outcome import Diagnostic

FLOATS = (DType.FLOAT32, DType.FLOAT16, DType.BFLOAT16)


def _bits(values: np.ndarray, dtype: DType) -> np.ndarray:
    if dtype is DType.BFLOAT16:
        return (values.astype(np.float32).view(np.uint32) >> 16).astype(np.uint16)
    return values.astype({DType.FLOAT32: np.float32, DType.FLOAT16: np.float16}.get(dtype, np.int32))


def _found(folder: Path, dtype: DType, first: np.ndarray, second: np.ndarray) -> Diagnostic | None:
    files = []
    for name, bits in (("first", first), ("second", second)):
        bits.tofile(folder / name)
        files.append(TensorFile(dtype=dtype, shape=first.shape, path=folder / name))
    return differing((files[0],), (files[1],), "was timed", "TAMPERED")


@pytest.mark.parametrize("dtype", FLOATS)
def test_sums_in_another_order_are_the_same(tmp_path: Path, dtype: DType) -> None:
    rng = np.random.default_rng(0)
    values = rng.standard_normal(1000) * 100
    other = values * (1 + rng.uniform(-0.01, 0.01, 1000)) + rng.uniform(-0.01, 0.01, 1000)
    values[:3], other[:3] = (np.nan, np.inf, -np.inf), (np.nan, np.inf, -np.inf)
    assert _found(tmp_path, dtype, _bits(values, dtype), _bits(other, dtype)) is None


@pytest.mark.parametrize("dtype", [*FLOATS, DType.INT32])
@pytest.mark.parametrize("left_out", [20, 1000])
def test_work_that_was_left_out_is_found(tmp_path: Path, dtype: DType, left_out: int) -> None:
    right = _bits(np.arange(1000) + 1.0, dtype)
    poison = np.frombuffer(Poison(seed=2).outputs(), np.uint8)[: right.nbytes].view(right.dtype)
    wrong = right.copy()
    wrong[:left_out] = poison[:left_out]
    found = _found(tmp_path, dtype, right, wrong)
    assert found is not None and f"{left_out} of 1000 elements" in found.text
    assert found.remedy
