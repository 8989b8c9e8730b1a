"""Compare one output with what the reference says."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal

import numpy as np
import numpy.typing as npt

from akgen.tools.core.call import TensorFile
from akgen.tools.core.dtypes import DType
from akgen.tools.core.verdict import Mismatch
from akgen.tools.judge import pattern, raw, tolerance

Mask = npt.NDArray[np.bool_]
_MOST = float(np.finfo(np.float64).max)
# Elements: what is computed of so many in float64 stays in the processor's cache, four times as fast for large outputs.
CHUNK = 1 << 16
# The chance that a byte, or a pair of bytes, is the poison's (`tools/core/call.py`), where every one occurs as often.
_BYTE_ALIKE, _PAIR_ALIKE = 1 / 24, 1 / (24 * 253)
_SURELY = 1000  # times as many as by chance
_SMALL_OUTPUT = 1 << 16  # elements, up to which the formula of an output that is accepted is looked at
_MANY = 1 / 4


@dataclass(frozen=True)
class Comparison:
    """One output's comparison. `mismatch` is None if every element is inside its tolerance."""

    max_abs: float | None  # None: no element can be compared
    max_rel: float | None
    mismatch: Mismatch | None
    max_bound: float | None = None  # the largest error bound that was applied; None: none is known
    max_used: float | None = None  # the largest difference as a share of what is allowed there
    unwritten: bool = False  # an element was surely never written
    beyond_rounding: bool = False  # of a small output, many elements are off by more than rounding explains
    foreign_nan: bool = False  # NaN or infinity where the reference has a number
    wrong: Mask | None = field(default=None, compare=False, repr=False)  # flat; None where nothing is
    held: Mask | None = field(
        default=None, compare=False, repr=False
    )  # flat: holds the poison; None where none does

    @property
    def malformed(self) -> bool:
        """Say whether the output has another shape or dtype, or none at all."""
        return self.mismatch is not None and self.mismatch.pattern in ("shape", "dtype")


def compare(
    index: int,
    got: TensorFile,
    want: TensorFile,
    own: TensorFile,
    rule: tolerance.Rule,
    *,
    bounds: TensorFile | None = None,
    poison: bytes | None = None,
    held_before: Mask | None = None,
    chunk: int = CHUNK,
) -> Comparison:
    """Compare output `index` with the golden values; `own` is the reference's result in its own dtype.

    `bounds` holds how far a sound computation may be off, element by element. `poison` is what the output was filled
    with before the launch, None if it was not; `held_before` marks what still held the poison in a launch before, on
    the same inputs with another poison: what holds both was never written, whatever is expected there. `chunk` elements
    are compared at a time, so that a large output does not fill the memory.
    """
    if got.shape != want.shape:
        note = f"the output has shape {list(got.shape)}, the reference {list(want.shape)}"
        return refused(index, "shape", want, note)
    if got.dtype != rule.dtype:
        return refused(index, "dtype", want, f"the output is {got.dtype}, the task asks for {rule.dtype}")
    try:
        stored = raw.load(got)
    except (OSError, ValueError) as e:
        note = f"the output file {e.strerror or 'is missing' if isinstance(e, OSError) else e}"
        return refused(index, "shape", want, note)
    known = None if bounds is None else raw.load(bounds)
    held = None if poison is None else raw.poisoned(stored, poison)
    held = held if held is not None and held.any() else None
    comparison = _Pass(stored, raw.load(want), raw.load(own), known, held, want, own, rule, chunk)
    return comparison.run(index, got, held_before)


def refused(index: int, kind: Literal["shape", "dtype"], want: TensorFile, note: str) -> Comparison:
    """Say that an output is of the wrong form, so that no element can be compared."""
    mismatch = Mismatch(
        output=index,
        pattern=kind,
        count=want.count,
        total=want.count,
        first_index=(0,) * len(want.shape),
        max_abs=None,
        max_rel=None,
        note=note,
    )
    return Comparison(None, None, mismatch)


class _Pass:
    """One pass over an output in chunks; keeps a mask of the elements that are wrong."""

    def __init__(
        self,
        stored: raw.Array,
        want: raw.Array,
        own: raw.Array,
        bounds: raw.Array | None,
        held: Mask | None,
        want_file: TensorFile,
        own_file: TensorFile,
        rule: tolerance.Rule,
        chunk: int,
    ) -> None:
        self._stored, self._want, self._own, self._held = stored, want, own, held
        self._want_dtype, self._own_dtype = want_file.dtype, own_file.dtype
        self._rule, self._chunk = rule, chunk
        self._exact = rule.dtype not in tolerance.DEFAULTS and rule.atol == 0 and rule.rtol == 0
        needless = self._exact or (rule.literal and bounds is None)
        self._rms = 0.0 if needless else self._root_mean_square()
        cancelled = bounds is not None and not self._exact and tolerance.cancels(self._sizes(bounds))
        self._bounds = bounds
        self._allowed = tolerance.Allowance(rule, self._rms, bounds, cancelled=cancelled)
        if bounds is not None and not (self._exact or cancelled) and self._many_beyond(bounds):
            self._allowed.limit(self._own_error.overall)
        self._max_abs = self._max_rel = self._max_used = 0.0
        self._comparable = self._exact or stored.size == 0  # else once a pair of finite numbers is met
        self._foreign = False

    def run(self, index: int, got: TensorFile, held_before: Mask | None) -> Comparison:
        wrong = np.zeros(self._stored.size, dtype=np.bool_)
        for start in range(0, self._stored.size, self._chunk):
            part = slice(start, start + self._chunk)
            wrong[part] = self._exactly(part) if self._exact else self._closely(part)
        if self._bounds is not None and wrong.any():
            self._excuse(wrong, self._bounds)
        if not self._exact and wrong.any():
            self._forgive(wrong)
        max_abs, max_rel = (self._max_abs, self._max_rel) if self._comparable else (None, None)
        used = self._max_used if self._comparable and not self._exact else None
        max_bound = self._allowed.largest_bound
        if self._exact and self._bounds is not None:
            max_bound = float(self._bounds.max(initial=0.0))
        left, held = None, self._held
        if held is not None:
            left = held & wrong if held_before is None else held & held_before
            wrong |= left
        if not wrong.any():
            return Comparison(
                max_abs, max_rel, None, max_bound, used,
                beyond_rounding=self._beyond_rounding(), foreign_nan=self._foreign, held=held,
            )  # fmt: skip
        count = 0 if left is None else int(np.count_nonzero(left))
        by_chance = 0.0 if held_before is not None else self._alike(int(np.count_nonzero(wrong)))
        unwritten = count > _SURELY * by_chance
        described = pattern.describe(
            wrong=wrong,
            stored=self._stored,
            shape=got.shape,
            poison=left,
            nan=self._nan_at(wrong),
        )
        mismatch = Mismatch(
            output=index,
            pattern=described.pattern,
            count=int(np.count_nonzero(wrong)),
            total=int(wrong.size),
            first_index=described.first_index,
            max_abs=max_abs,
            max_rel=max_rel,
            note=described.note,
            one_value=raw.alike(self._stored) and not raw.alike(self._want),
            by_axis=pattern.by_axis(wrong, got.shape),
            heat=pattern.heat_map(wrong, got.shape),
        )
        return Comparison(
            max_abs,
            max_rel,
            mismatch,
            max_bound,
            used,
            unwritten=unwritten,
            foreign_nan=self._foreign,
            wrong=wrong,
            held=held,
        )

    def _beyond_rounding(self) -> bool:
        """Say whether many elements are off by more than their error bounds, or, in a short type, by a bit."""
        size, dtype = self._stored.size, self._rule.dtype
        if not 0 < size <= _SMALL_OUTPUT or self._own.size != size:
            return False
        if dtype in (DType.FLOAT16, DType.BFLOAT16):
            return bool(np.count_nonzero(self._stored != self._own) >= _MANY * size)
        if dtype != DType.FLOAT32 or self._bounds is None:
            return False
        with np.errstate(invalid="ignore"):
            off = np.abs(self._stored - raw.as_float64(self._want, self._want_dtype))
        return bool(np.count_nonzero(off > self._bounds) >= _MANY * size)

    def _exactly(self, part: slice) -> Mask:
        """Integers and booleans: equal to the golden value, or to what the reference itself returns."""
        got, want, own = self._stored[part], self._want[part], self._own[part]
        wrong = np.asarray((got != want) & (got != own))
        if wrong.any():
            noted = wrong if self._held is None else wrong & ~self._held[part]
            difference = np.abs(got[noted].astype(np.float64) - want[noted].astype(np.float64))
            self._note(difference, np.abs(want[noted].astype(np.float64)))
        return wrong

    def _closely(self, part: slice) -> Mask:
        """Floating point: inside the tolerance, or a NaN or infinity in its right place."""
        rule = self._rule
        got = raw.as_float64(self._stored[part], rule.dtype)
        want = raw.as_float64(self._want[part], self._want_dtype)
        with np.errstate(invalid="ignore", over="ignore"):
            difference, size = np.abs(got - want), np.abs(want)
            room = self._allowed.nearly(part, size)
            right = difference <= room
        if difference.size == 0:
            return np.asarray(~right)
        self._use(difference, room, right)
        if np.isfinite(difference.max()):  # a NaN anywhere would be the maximum
            self._note(*self._written(part, right, difference, size))
            if not right.all():
                self._round(part, right, difference, size)
            return np.asarray(~right)
        finite = np.isfinite(difference)
        self._note(*self._written(part, right, difference, size, finite))
        right &= finite
        self._round(part, right, difference, np.where(finite, size, 0.0))
        own = raw.as_float64(self._own[part], self._own_dtype)
        edge = np.where(np.isfinite(want), np.abs(want), 0.0)  # also where only `got` is infinite
        right |= self._special(got, want, own, self._allowed.whole(part, edge))
        self._foreign |= bool((~right & ~np.isfinite(got) & np.isfinite(want)).any())
        return np.asarray(~right)

    def _round(self, part: slice, right: Mask, difference: raw.Array, size: raw.Array) -> None:
        """Give elements that are still outside one unit in the last place more."""
        places = np.flatnonzero(~right)
        room = self._allowed.whole(part.start + places, size[places])
        right[places] = difference[places] <= room
        self._use(difference[places], room, right[places])

    def _use(self, difference: raw.Array, room: raw.Array, among: Mask) -> None:
        """Take in what share of the room is used, at these elements."""
        with np.errstate(invalid="ignore", over="ignore", divide="ignore"):
            share = (difference / room).max(initial=0.0) if among.all() else np.nan  # mostly, and faster
            if np.isnan(share):
                share = np.divide(difference, room, out=np.zeros(room.shape), where=among & (room > 0)).max(
                    initial=0.0
                )
        self._max_used = max(self._max_used, min(float(share), _MOST))

    def _special(self, got: raw.Array, want: raw.Array, own: raw.Array, room: raw.Array) -> Mask:
        """Say where NaN and infinities agree with the reference."""
        if np.iscomplexobj(got):
            return np.asarray((np.isnan(got) & np.isnan(want)) | (got == want) | (got == own))
        largest = tolerance.LARGEST[self._rule.dtype]
        agree = np.isnan(got) & np.isnan(want)
        agree |= got == want
        # Where the reference's own precision overflows, so may the candidate's.
        agree |= (np.isnan(own) & np.isnan(got)) | (np.isinf(own) & (own == got))
        # At the edge of what the dtype holds, rounding decides between the largest number and infinity.
        same_sign = np.sign(got) == np.sign(want)
        agree |= np.isinf(got) & same_sign & (np.abs(want) + room >= largest)
        edge = np.abs(got) >= largest * (1 - 2 * self._rule.rtol)
        agree |= (
            edge
            & same_sign
            & (np.abs(want) >= largest)
            & (np.abs(want) <= largest * (1 + 2 * self._rule.rtol))
        )
        return np.asarray(agree)

    def _forgive(self, wrong: Mask) -> None:
        """Take back elements that are inside the reference's own error at their magnitude."""
        own_error = self._own_error
        places = np.flatnonzero(wrong)
        got = raw.as_float64(self._stored[places], self._rule.dtype)
        want = raw.as_float64(self._want[places], self._want_dtype)
        with np.errstate(invalid="ignore", over="ignore"):
            difference, size = np.abs(got - want), np.abs(want)
        near = np.isfinite(difference)
        size = np.where(near, size, 0.0)
        room = self._allowed.whole(places, size)
        room += tolerance.REFERENCE_ERROR_FACTOR * own_error.at(size)
        wrong[places[near & (difference <= room)]] = False
        self._use(difference, room, near if self._held is None else near & ~(self._held & wrong)[places])

    @cached_property
    def _own_error(self) -> tolerance.OwnError:
        own_error = tolerance.OwnError()
        comparable = self._own.size == self._want.size
        for start in range(0, self._want.size if comparable else 0, self._chunk):
            part = slice(start, start + self._chunk)
            want = raw.as_float64(self._want[part], self._want_dtype)
            own = raw.as_float64(self._own[part], self._own_dtype)
            with np.errstate(invalid="ignore"):
                error = np.abs(own - want)
            finite = np.isfinite(error)
            own_error.add(np.abs(want[finite]), error[finite])
        return own_error

    def _many_beyond(self, bounds: raw.Array) -> bool:
        return self._allowed.beyond(bounds) > bounds.size * tolerance.MOST_BESIDE_JUMPS

    def _excuse(self, wrong: Mask, bounds: raw.Array) -> None:
        """Take back elements inside their whole bound, if they and such bounds are few: they lie beside a jump."""
        if not self._exact and self._many_beyond(bounds):
            return
        places = np.flatnonzero(wrong & (bounds > 0))
        got = raw.as_float64(self._stored[places], self._rule.dtype)
        want = raw.as_float64(self._want[places], self._want_dtype)
        with np.errstate(invalid="ignore", over="ignore"):
            difference = np.abs(got - want)
        inside = difference <= bounds[places]
        if np.count_nonzero(inside) <= tolerance.most_jumped(wrong.size, exact=self._exact):
            wrong[places[inside]] = False
            self._use(difference[inside], bounds[places[inside]], inside[inside])

    def _written(
        self, part: slice, right: Mask, difference: raw.Array, size: raw.Array, among: Mask | None = None
    ) -> tuple[raw.Array, raw.Array]:
        """Leave out what still holds the poison: an error is of something that was written."""
        if self._held is not None:
            written = right | ~self._held[part]
            among = written if among is None else among & written
        return (difference, size) if among is None else (difference[among], size[among])

    def _root_mean_square(self) -> float:
        total, count = 0.0, 0
        for start in range(0, self._want.size, self._chunk):
            want = np.abs(raw.as_float64(self._want[start : start + self._chunk], self._want_dtype))
            finite = want[np.isfinite(want)]
            with np.errstate(over="ignore"):
                total += float(np.square(finite).sum())
            count += finite.size
        return float(np.sqrt(total / count)) if count else 0.0

    def _sizes(self, bounds: raw.Array) -> Iterator[tuple[raw.Array, raw.Array]]:
        for start in range(0, self._want.size, self._chunk):
            part = slice(start, start + self._chunk)
            yield np.abs(raw.as_float64(self._want[part], self._want_dtype)), bounds[part]

    def _note(self, difference: raw.Array, size: raw.Array) -> None:
        if difference.size == 0:
            return
        self._max_abs = max(self._max_abs, float(difference.max()))
        floor = 1.0 if self._exact else max(self._rule.atol, 1e-30)
        with np.errstate(over="ignore"):  # an error of 1e300 where 1e-30 is expected
            relative = float((difference / np.maximum(size, floor)).max())
        self._max_rel = max(self._max_rel, min(relative, _MOST))
        self._comparable = True

    def _nan_at(self, wrong: Mask) -> Mask:
        if self._exact:
            return np.zeros_like(wrong)
        found = np.zeros_like(wrong)
        places = np.flatnonzero(wrong)
        found[places] = ~np.isfinite(raw.as_float64(self._stored[places], self._rule.dtype))
        return found

    def _alike(self, count: int) -> float:
        """Return how many of `count` written elements hold what the poison holds there by chance, at most."""
        width = self._stored.dtype.itemsize
        return count * (_BYTE_ALIKE if width == 1 else _PAIR_ALIKE ** (width // 2))
