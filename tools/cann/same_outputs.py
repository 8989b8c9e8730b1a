"""Whether a launch that was timed or profiled computed what the one did whose outputs are judged.

A tiling function is called for each launch and may count its calls: a later launch that does nothing is fast. Outputs
may differ where cores add in whatever order; what is compared is far coarser than the judge's tolerance, and as fine as
needed to tell that work was left out: a launch that leaves out less than a hundredth of it gains nothing by that.
"""

import numpy as np

from akgen.tools.core.call import TensorFile
from akgen.tools.core.dtypes import DType
from akgen.tools.core.outcome import Diagnostic

_SHARE = 0.01  # of an output's elements that may be others
_RELATIVE, _OF_LARGEST = 0.05, 1e-3
_FLOATS = {DType.FLOAT32: "<f4", DType.FLOAT64: "<f8", DType.FLOAT16: "<f2"}

Outputs = tuple[TensorFile | tuple[TensorFile, ...], ...]


def differing(judged: Outputs, other: Outputs, what: str, code: str) -> Diagnostic | None:
    """Return what is wrong with the outputs of another launch. `what` names it: "was timed"."""
    for i, (first, second) in enumerate(zip(judged, other, strict=True)):
        parts = zip(_parts(first), _parts(second), strict=True)
        wrong, whole = (sum(n) for n in zip(*(_others(a, b) for a, b in parts), strict=True))
        if wrong > _SHARE * whole:
            text = (
                f"a launch that {what} computed something else than the one whose outputs are judged: "
                f"{wrong} of {whole} elements of output {i} are others"
            )
            return Diagnostic(
                code=code,
                text=text,
                stage="test",
                remedy="Tile each launch of a call alike: tiling data may depend on shapes and attributes alone.",
            )
    return None


def _parts(value: TensorFile | tuple[TensorFile, ...]) -> tuple[TensorFile, ...]:
    return value if isinstance(value, tuple) else (value,)


def _others(first: TensorFile, second: TensorFile) -> tuple[int, int]:
    """Return how many elements are others, and how many there are."""
    a, b = first.path.read_bytes(), second.path.read_bytes()
    if a == b:
        return 0, first.count
    if not first.dtype.is_float:
        rows = (np.frombuffer(x, np.uint8).reshape(-1, first.dtype.size_bytes) for x in (a, b))
        return int(np.any(np.not_equal(*rows), axis=1).sum()), first.count
    x, y = _numbers(a, first.dtype), _numbers(b, first.dtype)
    finite = np.isfinite(x) & np.isfinite(y)
    largest = float(np.abs(x[finite]).max(initial=0.0))
    with np.errstate(invalid="ignore", over="ignore"):
        near = np.abs(x - y) <= _RELATIVE * np.abs(x) + _OF_LARGEST * largest
    same = np.where(finite, near, (x == y) | (np.isnan(x) & np.isnan(y)))
    return int((~same).sum()), first.count


def _numbers(data: bytes, dtype: DType) -> np.ndarray:
    if dtype is DType.BFLOAT16:
        return (np.frombuffer(data, "<u2").astype(np.uint32) << 16).view(np.float32).astype(np.float64)
    return np.frombuffer(data, _FLOATS[dtype]).astype(np.float64)
