"""Find the one altered operation that gives the wrong output which a kernel gave.

Which alterations are tried for which operation stands here; causes are names of `knowledge/data/mismatch_causes.json`.
"""

import copy
import time
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import torch
from torch.utils._pytree import tree_map

from akgen.tools.reference import golden
from akgen.tools.reference.halved import restore
from akgen.tools.reference.protocol import Binding, Sample
from akgen.tools.reference.variants.alteration import Alterations
from akgen.tools.reference.variants.arithmetic import (
    TURNED,
    added,
    chosen,
    compared,
    extreme,
    left_out,
    rooted,
    scaled,
)
from akgen.tools.reference.variants.gathering import given, multiplied_matrices, pooled, taken
from akgen.tools.reference.variants.recording import Recorded, Recording, TooLarge, record
from akgen.tools.reference.variants.reductions import ran, reduced, varied

ENOUGH = 0.95  # share of the wrong elements that an alteration has to explain
NEAR = 0.2  # share of the error that it may leave
FEW = 4  # wrong elements; below, a match may be chance and has to be closer
MOST_TIMES = 1024
LONGEST_S = 4.0
FAILS = (RuntimeError, ValueError, IndexError, TypeError, NotImplementedError, ArithmeticError)


class Permitted(NamedTuple):
    """What the output is held to. `atol` shrinks with outputs below one; if it is literal, no further than bounds."""

    atol: float
    rtol: float
    literal: bool


def explain(
    model: Any,
    sample: Sample,
    binding: Binding,
    path: str | None,
    index: int,
    got: torch.Tensor,
    tolerance: Permitted,
) -> dict[str, str] | None:
    """Return cause, words and the reference's line of what explains output `index`; None where nothing does."""
    if sample.args is None:
        return None
    want = sample.expected[index]
    if not isinstance(want, torch.Tensor) or want.shape != got.shape or got.is_complex():
        return None
    exact = copy.deepcopy(model)
    restore(exact, sample, binding)
    try:
        recording, outputs = record(exact.double(), golden.upcast(list(sample.args)), path)
    except (TooLarge, *FAILS):
        return None
    bounds = None if sample.bounds is None else sample.bounds[index]
    known = bounds if isinstance(bounds, torch.Tensor) else None
    compared = _Compared(got.to(torch.float64), want.to(torch.float64), tolerance, known)
    if (times := compared.times()) is not None:
        return {"cause": "scaled", "what": f"it is {times} times the expected value", "line": ""}
    for one, other in exchanged(recording):
        values = {one: recording.calls[other].value, other: recording.calls[one].value}
        try:
            value = recording.again(values, outputs[index])
        except FAILS:
            continue
        if isinstance(value, torch.Tensor) and compared.explained(value):
            return {
                "cause": "swapped_inputs",
                "what": "two inputs of the same shape are exchanged",
                "line": "",
            }
    return altered(recording, outputs[index], compared.explained, LONGEST_S)


def altered(
    recording: Recording, output: Any, fits: Callable[[torch.Tensor], bool], longest_s: float
) -> dict[str, str] | None:
    """Return cause, words and line of the first alteration whose output fits; None if none does, or time is up."""
    ends = time.monotonic() + longest_s
    for at in range(len(recording.calls)):
        for alteration in alterations(recording, at):
            if time.monotonic() > ends:
                return None
            try:
                value = recording.again({at: alteration.make()}, output)
            except FAILS:
                continue
            if isinstance(value, torch.Tensor) and fits(value):
                line = recording.calls[at].line
                return {"cause": alteration.cause, "what": alteration.what, "line": line}
    return None


class _Compared:
    """A wrong output beside the expected one."""

    def __init__(
        self, got: torch.Tensor, want: torch.Tensor, tolerance: Permitted, bounds: torch.Tensor | None
    ) -> None:
        finite = want[torch.isfinite(want)]
        rms = float(finite.square().mean().sqrt()) if finite.numel() else 0.0
        shrunk = torch.tensor(tolerance.atol * min(1.0, rms), dtype=torch.float64)
        if tolerance.literal:
            known = torch.full((), torch.inf) if bounds is None else bounds.double()
            shrunk = torch.maximum(shrunk, known).clamp(max=tolerance.atol)
        self._atol = shrunk
        self._rtol = tolerance.rtol
        self._least = torch.zeros(()) if bounds is None else bounds.double().clamp(max=rms / 8)
        self._got, self._want, self._error = got, want, (got - want).abs()
        self._wrong = ~(self._error <= self._room(want.abs())) & ~(got == want)

    def explained(self, value: torch.Tensor) -> bool:
        """Say whether a value is what was given: nearly everywhere where that is wrong, and elsewhere."""
        if value.shape != self._got.shape:
            return False
        value = value.to(torch.float64)
        off = (value - self._got).abs()
        room = 2 * self._room(torch.maximum(value.abs(), self._want.abs()))
        same = (off <= room) | (value.isnan() & self._got.isnan()) | (value == self._got)
        there = self._wrong
        few = int(there.sum()) < FEW
        better = (off <= (NEAR / 20 if few else NEAR) * self._error) | ~torch.isfinite(self._error)
        return _share((same & better)[there]) >= ENOUGH and _share(same[~there]) >= ENOUGH

    def times(self) -> int | None:
        """Return by which whole number a few elements were multiplied; several are looked at elsewhere."""
        if self._got.numel() >= FEW:
            return None
        ratio = float((self._got / self._want).reshape(-1)[0])
        whole = round(ratio) if 1.5 < ratio < MOST_TIMES else 0
        return whole if whole > 1 and self.explained(whole * self._want) else None

    def _room(self, size: torch.Tensor) -> torch.Tensor:
        return torch.maximum(self._atol + self._rtol * size, self._least)


def _share(mask: torch.Tensor) -> float:
    return float(mask.double().mean()) if mask.numel() else 1.0


def alterations(recording: Recording, at: int) -> Alterations:
    """Yield the alterations of one call, the likeliest first."""
    call = recording.calls[at]
    if call.function is None:
        yield from given(call.value)
        return
    if not isinstance(call.value, torch.Tensor) and call.name != "max_pool2d_with_indices":
        return
    args, kwargs = tree_map(recording.operand, (list(call.args), call.kwargs))
    for family in _FAMILIES.get(call.name, ()):
        yield from family(recording, call, args, kwargs)


MOST_INPUTS = 8


def exchanged(recording: Recording) -> Iterator[tuple[int, int]]:
    """Yield the numbers of two inputs of one form, which an author may take for each other."""
    given_ones = [n for n, c in enumerate(recording.calls) if c.function is None][:MOST_INPUTS]
    for k, one in enumerate(given_ones):
        for other in given_ones[k + 1 :]:
            a, b = recording.calls[one].value, recording.calls[other].value
            if a.shape == b.shape and a.dtype == b.dtype and a.numel() > 1:
                yield one, other


_Family = Callable[[Recording, Recorded, list[Any], dict[str, Any]], Alterations]
_FAMILIES: dict[str, tuple[_Family, ...]] = {
    "add": (added,),
    "sub": (added,),
    "mul": (scaled,),
    "div": (scaled,),
    "sqrt": (rooted,),
    "rsqrt": (rooted,),
    "var": (varied,),
    "where": (chosen,),
    "maximum": (extreme,),
    "minimum": (extreme,),
    "cumsum": (ran,),
    "max_pool2d_with_indices": (pooled,),
    "avg_pool2d": (pooled,),
    **dict.fromkeys(("sum", "mean", "amax", "amin"), (reduced,)),
    **dict.fromkeys((*TURNED,), (compared,)),
    **dict.fromkeys(("mm", "bmm"), (multiplied_matrices,)),
    **dict.fromkeys(("embedding", "index", "index_select", "gather"), (taken,)),
    **dict.fromkeys(
        ("exp", "log", "abs", "neg", "relu", "tanh", "sigmoid", "erf", "square", "clamp", "clamp_min", "clamp_max",
         "hardtanh", "reciprocal", "round", "floor", "pow", "log1p", "expm1", "sin", "cos"),
        (left_out,),
    ),
}  # fmt: skip
