"""How close an output element must be.

Defaults, per output dtype, when a task names no tolerance of its own:

| dtype    | atol | rtol | why |
|----------|------|------|-----|
| float32  | 1e-5 | 1e-4 | one part in ten thousand, the usual bar for single precision on this hardware |
| float16  | 1e-3 | 2e-3 | four units in the last place: room for a few operations in half precision |
| bfloat16 | 1e-3 | 8e-3 | two units in the last place: computed in float32, rounded once, and once on the way |
| float64  | 1e-9 | 1e-9 | |
| others   | 0    | 0    | integers and booleans are exact |

The default atol shrinks with the root mean square of the expected output where that is below one, so that small outputs
(a softmax over thousands of columns) cannot pass as zeros. A task's own atol shrinks so where the output has an error
bound, but not below an element's bound: a mean over ten thousand elements is about 0.01, and an atol of 0.016 would let
the mean over half of them pass. An output without bounds gets the task's own atol literally.

Every element must be inside |got - want| <= atol + rtol * |want| + one unit in the last place of the output's dtype.
Where the error bound of a sound computation (`tools/reference/rounding`: what every step of the reference may lose in
the task's precision, in any order of summation) is larger than atol + rtol * |want|, it takes their place, up to an
eighth of the output's root mean square, so that no output is free. Where more than a quarter of the bounds are larger
(long recurrences forget in the bound what they forget in the values), they may reach no more than some thousand times
what the reference itself errs by: so far a sum one by one is from PyTorch's. Where everything cancels out (no expected
element reaches a millionth of its bound) the limit is an eighth: what comes out there is rounding alone.

An element whose own bound is larger still (its argument lies within its error of a jump, its index within that of a
tie) may use all of it, if no more than a quarter has such a bound and no more than one in sixteen uses it: a wrong mode
of rounding moves a quarter of all elements and more. Integers and booleans get bounds of this kind only, and as many
as there are.

Elements outside get one more allowance: eight times the error that the reference itself makes around that magnitude,
measured against its float64 run. A loss of precision by the candidate enlarges none of these. There is no share of
elements that may be wrong.
"""

from collections.abc import Iterable, Mapping, Sequence

import numpy as np
import numpy.typing as npt

from akgen.tools.core.dtypes import DType
from akgen.tools.core.frozen import Frozen
from akgen.tools.core.task import Tolerance

Floats = npt.NDArray[np.float64]

DEFAULTS: Mapping[DType, tuple[float, float]] = {
    DType.FLOAT32: (1e-5, 1e-4),
    DType.FLOAT16: (1e-3, 2e-3),
    DType.BFLOAT16: (1e-3, 8e-3),
    DType.FLOAT64: (1e-9, 1e-9),
    DType.COMPLEX64: (1e-5, 1e-4),
}
REFERENCE_ERROR_FACTOR = 8.0
MOST_OF_RMS = 1 / 8  # that an error bound may reach
MOST_OF_OWN = (
    4096.0  # times the reference's own error, root mean square, that bounds may reach where most are larger
)
MOST_BESIDE_JUMPS = 1 / 4  # of an output's elements may have a bound that is larger
MOST_JUMPED = 1 / 16  # and may need it
NOTHING = 1e-6  # of its bound: what float64 leaves of what cancels out
_MANTISSA_BITS = {
    DType.FLOAT32: 23,
    DType.FLOAT16: 10,
    DType.BFLOAT16: 7,
    DType.FLOAT64: 52,
    DType.COMPLEX64: 23,
}
_SMALLEST_EXPONENT = {
    DType.FLOAT32: -126, DType.FLOAT16: -14, DType.BFLOAT16: -126, DType.FLOAT64: -1022, DType.COMPLEX64: -126,
}  # fmt: skip
LARGEST = {
    DType.FLOAT32: float(np.finfo(np.float32).max),
    DType.FLOAT16: 65504.0,
    DType.BFLOAT16: 3.3895313892515355e38,
    DType.FLOAT64: float(np.finfo(np.float64).max),
    DType.COMPLEX64: float(np.finfo(np.float32).max),
}


class Rule(Frozen):
    """What one output is held to."""

    dtype: DType
    atol: float
    rtol: float
    literal: bool  # the task's own: atol shrinks no further than the error bound, and without one not at all


def rule_for(dtype: DType, own: Sequence[Tolerance]) -> Rule:
    for tolerance in own:
        if tolerance.dtype == dtype:
            return Rule(dtype=dtype, atol=tolerance.atol, rtol=tolerance.rtol, literal=True)
    atol, rtol = DEFAULTS.get(dtype, (0.0, 0.0))
    return Rule(dtype=dtype, atol=atol, rtol=rtol, literal=False)


def atol(rule: Rule, rms: float) -> float:
    return rule.atol if rule.literal else rule.atol * min(1.0, rms)


class Allowance:
    """What each element of one output may differ by: its rule, widened by the error bounds of its elements."""

    def __init__(
        self,
        rule: Rule,
        rms: float,
        bounds: npt.NDArray[np.float32] | None = None,
        *,
        cancelled: bool = False,
    ) -> None:
        """`cancelled`: what is expected is nothing beside the bounds."""
        self._rule, self._bounds = rule, bounds
        self._most = MOST_OF_RMS * (max(rms, 1.0) if cancelled else rms)
        self._atol = atol(rule, rms)
        self._shrunk = self._atol if bounds is None else rule.atol * min(1.0, rms)
        self.largest_bound = None if bounds is None else 0.0  # of the elements that were asked for

    def nearly(self, places: slice | npt.NDArray[np.intp], size: Floats) -> Floats:
        """Return the allowed differences without the unit in the last place, which takes longer."""
        room: Floats = self._rule.rtol * size
        if self._bounds is None or size.size == 0:
            return room + self._atol
        known = self._bounds[places]
        room += np.clip(known, self._shrunk, self._atol) if self._shrunk < self._atol else self._atol
        bounds = np.minimum(known, self._most)
        self.largest_bound = max(self.largest_bound or 0.0, float(bounds.max()))
        return np.maximum(room, bounds)

    def beyond(self, bounds: npt.NDArray[np.float32]) -> int:
        """Return how many of an output's bounds are larger than what they may reach."""
        return int(np.count_nonzero(bounds > self._most))

    def limit(self, own_error: float) -> None:
        """Let no bound reach further than a multiple of what the reference errs by; zero says nothing."""
        if own_error > 0:
            self._most = min(self._most, MOST_OF_OWN * own_error)

    def whole(self, places: slice | npt.NDArray[np.intp], size: Floats) -> Floats:
        return self.nearly(places, size) + unit_in_last_place(self._rule.dtype, size)


def most_jumped(count: int, *, exact: bool) -> int:
    """Return how many of an output's elements may need their whole bound; `exact`: of integers or booleans."""
    return max(int(count * MOST_JUMPED), 1 if exact else 0)


def cancels(parts: Iterable[tuple[Floats, npt.NDArray[np.float32]]]) -> bool:
    """Say whether every expected element is nothing beside its bound; parts are magnitudes and bounds."""
    return all(bool(np.all(size <= NOTHING * bound)) for size, bound in parts)


def unit_in_last_place(dtype: DType, size: Floats) -> Floats:
    if dtype not in _MANTISSA_BITS:
        return np.zeros_like(size)
    smallest = _SMALLEST_EXPONENT[dtype]
    exponent = np.where(size > 0, np.frexp(size)[1] - 1, smallest)  # frexp(0) looks like that of 0.5
    exponent = np.maximum(exponent, smallest)
    unit: Floats = np.ldexp(1.0, exponent - _MANTISSA_BITS[dtype])
    return unit


class OwnError:
    """The reference's own error by magnitude: its root mean square among expected values of about the same size."""

    _OFFSET = 1100  # frexp's exponents of float64 lie above -1100

    def __init__(self) -> None:
        self._square = np.zeros(2 * self._OFFSET)
        self._count = np.zeros(2 * self._OFFSET)
        self.largest = 0.0

    def add(self, size: Floats, error: Floats) -> None:
        """Take in expected magnitudes and the reference's errors there; all finite."""
        if size.size == 0:
            return
        place = np.frexp(size)[1] + self._OFFSET
        self._square += np.bincount(place, weights=np.square(error), minlength=self._square.size)
        self._count += np.bincount(place, minlength=self._count.size)
        self.largest = max(self.largest, float(error.max()))

    @property
    def overall(self) -> float:
        """Return the root mean square of all errors."""
        return float(np.sqrt(self._square.sum() / max(self._count.sum(), 1.0)))

    def at(self, size: Floats) -> Floats:
        """Return the error around these magnitudes, over three powers of two."""
        square, count = (np.convolve(v, np.ones(3), mode="same") for v in (self._square, self._count))
        mean: Floats = np.sqrt(square / np.maximum(count, 1))
        return np.asarray(mean[np.frexp(size)[1] + self._OFFSET])
