"""What is known of a wrong output: its elements, the expected ones, the inputs, and samples of them."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from math import prod
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from akgen.tools.core.call import Argument, TensorFile
from akgen.tools.core.dtypes import DType
from akgen.tools.core.verdict import Cause
from akgen.tools.judge import raw, tolerance

Floats = npt.NDArray[np.float64]
Places = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]

SAMPLED = 4096  # wrong elements, and as many right ones, that a claim is checked on
LEAST = 0.85  # share of the wrong elements that a cause explains where no other explains more
WHOLE = 1 << 20  # elements of a tensor that is looked at as a whole
_SLACK = 2.0  # tolerances that a corrected element may be away: the mistake may have cost precision too
_GAIN = 0.2  # share of the error that a correction may leave
_BITS = 24  # that integers which are said to be explained must hold together
_FEWEST = 4  # elements that a fitted number must explain


class Claim(NamedTuple):
    """A cause in words, with numbers that stay from trial to trial, and the share of the wrong elements it explains."""

    cause: Cause
    what: str
    share: float = 1.0
    detail: str = ""  # numbers of this trial


class Tensor(NamedTuple):
    """A tensor as it is stored: flat, in its dtype."""

    dtype: DType
    shape: tuple[int, ...]
    stored: raw.Array

    def at(self, places: Places) -> Floats:
        return np.asarray(raw.as_float64(np.asarray(self.stored[places]), self.dtype))

    @property
    def whole(self) -> Floats | None:
        """Return all values in their shape; None of a large tensor."""
        if not 0 < self.stored.size <= WHOLE:
            return None
        return np.asarray(raw.as_float64(np.asarray(self.stored), self.dtype)).reshape(self.shape)


@dataclass(frozen=True)
class Evidence:
    """One wrong output of a trial. `wrong` is flat; at least one element is."""

    got: Tensor
    want: Tensor
    wrong: Mask
    rule: tolerance.Rule
    bounds: raw.Array | None = None  # per element, how far a sound computation may be off
    inputs: Sequence[Tensor] = ()
    before: Tensor | None = None  # what the trial before expected here
    others: Sequence[tuple[int, Tensor]] = field(default_factory=tuple)  # what other outputs should hold

    @property
    def shape(self) -> tuple[int, ...]:
        return self.want.shape

    @property
    def size(self) -> int:
        return int(self.wrong.size)

    @cached_property
    def found(self) -> Places:
        """Return the wrong elements in order; of more than WHOLE every n-th, and the last."""
        places = np.flatnonzero(self.wrong)
        return places if places.size <= WHOLE else np.append(places[:: places.size // WHOLE + 1], places[-1])

    @cached_property
    def places(self) -> Places:
        """Return the sampled wrong elements, in order."""
        return _sampled(self.found)

    @cached_property
    def right(self) -> Places:
        """Return the sampled right elements, in order."""
        return _sampled(np.flatnonzero(~self.wrong))

    @cached_property
    def g(self) -> Floats:
        """Return what was written at `places`."""
        return self.got.at(self.places)

    @cached_property
    def w(self) -> Floats:
        """Return what is expected at `places`."""
        return self.want.at(self.places)

    @cached_property
    def index(self) -> tuple[Places, ...]:
        """Return the index of `places` along each axis."""
        return np.unravel_index(self.places, self.shape) if self.shape else ()

    @cached_property
    def varied(self) -> bool:
        """Say whether the values differ enough for a fit to mean something; few small integers fit by chance."""
        different = max(np.unique(self.w).size, np.unique(self.g).size)
        bits = self.places.size * np.log2(different)
        return bool(different >= _FEWEST and (self.rule.dtype in tolerance.DEFAULTS or bits >= _BITS))

    @cached_property
    def rms(self) -> float:
        values = self.want.at(np.unique(np.linspace(0, self.size - 1, SAMPLED).astype(np.int64)))
        finite = np.abs(values[np.isfinite(values)])
        return float(np.sqrt(np.square(finite / finite.max()).mean()) * finite.max()) if finite.any() else 0.0

    @cached_property
    def window(self) -> tuple[int, Floats]:
        """Return where expected values around the middle of the wrong elements begin, and these."""
        middle = int(self.places[self.places.size // 2])
        start = max(0, min(middle - WHOLE // 2, self.size - WHOLE))
        return start, self.want.at(np.arange(start, min(self.size, start + WHOLE)))

    @cached_property
    def ranked(self) -> tuple[Places, Floats]:
        """Return the order of the window's values, and these in it."""
        order = np.argsort(self.window[1], kind="stable")  # equal values in the same order on every machine
        return order, self.window[1][order]

    @cached_property
    def _allowance(self) -> tolerance.Allowance:
        cancelled = self.bounds is not None and tolerance.cancels(
            [(np.abs(self.want.at(np.arange(self.size))), self.bounds)]
        )
        return tolerance.Allowance(self.rule, self.rms, self.bounds, cancelled=cancelled)

    def room(self, size: Floats, at: Places) -> Floats:
        """Return how far a corrected element may be from what was written: magnitudes `size` at the places `at`."""
        return _SLACK * self._allowance.whole(at, np.where(np.isfinite(size), size, 0.0))

    def explained(self, predicted: Floats) -> float:
        """Return the share of the sampled wrong elements that hold the predicted value and not the expected one."""
        g, w = self.g, self.w
        off = np.abs(g - predicted)
        near = off <= self.room(np.maximum(np.abs(w), np.abs(predicted)), self.places)
        near &= ~(off > _GAIN * np.abs(g - w))
        same = (np.isnan(g) & np.isnan(predicted)) | (np.isinf(g) & (g == predicted))
        return float(np.mean(near | same))

    def moved(self, source: Tensor, places: Places) -> float:
        """Return the share of the sampled wrong elements that hold `source` at `places`; those below 0 are left out."""
        if source.dtype == DType.COMPLEX64:
            return 0.0
        inside = (places >= 0) & (places < source.stored.size)
        predicted = np.full(places.shape, np.nan)
        predicted[inside] = source.at(places[inside])
        if inside.sum() < _FEWEST or np.isnan(predicted[inside]).any():
            return 0.0
        explained = self.explained(predicted)
        return explained * places.size / float(inside.sum())

    @cached_property
    def where(self) -> str:
        """Say in which part of the output the wrong elements lie: the range of their indices along each axis."""
        index = np.unravel_index(self.found, self.shape) if self.shape else ()
        ranges = []
        for axis, (at, length) in enumerate(zip(index, self.shape, strict=True)):
            first, last = int(at.min()), int(at.max())
            if last - first + 1 > 7 / 8 * length:
                continue
            span = f"index {first}" if first == last else f"indices {first} to {last}"
            ranges.append(f"{span} of {length} along axis {axis}")
        return " and ".join(ranges)


def _sampled(places: Places) -> Places:
    if places.size <= SAMPLED:
        return places
    return places[np.unique(np.random.default_rng(0).integers(0, places.size, SAMPLED))]


def counts(tensors: Iterable[Tensor]) -> list[int]:
    """Return how many elements a reduction over some of the inputs' axes can sum up, each number once."""
    found: dict[int, None] = {}
    for tensor in tensors:
        shape = tensor.shape
        found.update(dict.fromkeys(n for n in shape if n > 1))
        for start in range(len(shape)):
            for end in range(start + 2, len(shape) + 1):
                found.setdefault(prod(shape[start:end]))
    return [n for n in found if n > 1]


def number(value: float) -> str:
    return f"{value:.4g}"


def read(file: TensorFile, *, copy: bool = False) -> Tensor:
    """Map a file; with `copy`, its values outlive it."""
    stored = raw.load(file)
    return Tensor(file.dtype, file.shape, np.array(stored) if copy else stored)


def arguments(inputs: Iterable[Argument]) -> list[Tensor]:
    """Read a call's inputs, lists flattened. One that is absent, complex or cannot be read has no elements."""
    found = []
    for argument in inputs:
        for meta in argument if isinstance(argument, tuple) else (argument,):
            real = isinstance(meta, TensorFile) and meta.dtype != DType.COMPLEX64
            try:
                found.append(read(meta) if isinstance(meta, TensorFile) and real else _NOTHING)
            except (OSError, ValueError):
                found.append(_NOTHING)
    return found


_NOTHING = Tensor(DType.FLOAT32, (0,), np.empty(0, np.float32))
