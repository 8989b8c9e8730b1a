"""Find the altered reference whose numbers an accepted output has: what its kernel left out, the tolerance hides.

A tolerance must leave room for functions that a device computes roughly, so a small term, or a mean that is small, can
be left out within it. But rounding leads away from the reference to all sides, and never to what the reference would
be without one of its operations.
"""

import copy
from typing import Any

import torch

from akgen.tools.reference import golden
from akgen.tools.reference.halved import restore
from akgen.tools.reference.protocol import Binding, Sample
from akgen.tools.reference.variants.recording import TooLarge, record
from akgen.tools.reference.variants.search import FAILS, altered

FEWEST = 64  # elements; of fewer nothing can be said
APART = 0.25  # share of the elements that have to be off by more than rounding
NEARLY_ALL = 0.95  # share of these that the altered reference has to meet
NEARER = 8.0  # times as near as the reference
LONGEST_S = 1.0


def other_formula(
    model: Any, sample: Sample, binding: Binding, path: str | None, index: int, got: torch.Tensor
) -> dict[str, str] | None:
    """Return cause, words and the reference's line of the alteration that output `index` fits; None if none does.

    Nothing is said of an output that rounding alone explains: one within the error bounds, of a shorter floating type
    one with the reference's own bits, or those of its float64 run.
    """
    want, own = sample.expected[index], sample.returned[index]
    bounds = None if sample.bounds is None else sample.bounds[index]
    if not all(isinstance(v, torch.Tensor) and v.shape == got.shape for v in (want, own)):
        return None
    if sample.args is None or not got.is_floating_point() or got.numel() < FEWEST:
        return None
    known = bounds if isinstance(bounds, torch.Tensor) else None
    single = got.dtype == torch.float32
    if got.dtype not in (torch.float32, torch.float16, torch.bfloat16) or (single and known is None):
        return None
    fit = _Fit(got, want, own, known if single else None)
    if not fit.apart:
        return None
    exact = copy.deepcopy(model)
    restore(exact, sample, binding)
    try:
        recording, outputs = record(exact.double(), golden.upcast(list(sample.args)), path)
    except (TooLarge, *FAILS):
        return None
    return altered(recording, outputs[index], fit.met_by, LONGEST_S)


class _Fit:
    """An output beside the reference, and beside what the reference would be otherwise."""

    def __init__(
        self, got: torch.Tensor, want: torch.Tensor, own: torch.Tensor, bounds: torch.Tensor | None
    ) -> None:
        self._dtype, self._shape = got.dtype, got.shape
        self._got = got.double()
        self._error = torch.minimum(self._off(want), self._off(own))
        self._bounds = torch.zeros(()) if bounds is None else bounds.double()
        self._there = self._error > self._bounds
        finite = bool(torch.isfinite(self._error).all())
        self.apart = finite and float(self._there.double().mean()) >= APART

    def met_by(self, value: torch.Tensor) -> bool:
        """Say whether the output is this value, where it is not the reference, and no further off elsewhere."""
        if value.shape != self._shape:
            return False
        off = self._off(value)
        near = (off * NEARER <= self._error)[self._there]
        elsewhere = (off <= 2 * self._bounds)[~self._there]
        shares = [float(part.double().mean()) for part in (near, elsewhere) if part.numel()]
        return min(shares) >= NEARLY_ALL

    def _off(self, value: torch.Tensor) -> torch.Tensor:
        # An output of a short type is rounded once, and so is what it may be.
        rounded = value if self._dtype == torch.float32 else value.to(self._dtype)
        return (rounded.double() - self._got).abs()
