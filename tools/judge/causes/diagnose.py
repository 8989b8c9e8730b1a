"""Choose among what the detectors claim: what explains nearly all wrong elements, else where they lie."""

from collections.abc import Callable, Iterator

import numpy as np

from akgen.tools.core.dtypes import DType
from akgen.tools.core.verdict import Mismatch
from akgen.tools.judge.causes import (
    beside_inputs,
    elements,
    lines,
    location,
    places,
    recomputed,
    terms,
)
from akgen.tools.judge.causes.evidence import LEAST, Claim, Evidence, number

_ENOUGH = 0.95  # share of the wrong elements that a cause explains by itself
# A fit over a part only: the part is the cause, the fit says more of it.
_FITS = frozenset({"scaled", "offset", "sign", "constant_along"})
_PLACES = frozenset({"tail", "row", "block_edge", "border", "part", "one_index", "lanes"})

# What is the expected value but for one change goes before a resemblance. Precision stands apart: it is named where the
# errors look like rounding, and never for want of another cause.
DETECTORS: tuple[Callable[[Evidence], Iterator[Claim]], ...] = (
    elements.reinterpreted,
    places.answers,
    elements.integers,
    beside_inputs.conditions,
    elements.claims,
    recomputed.claims,
    places.claims,
    terms.claims,
    recomputed.softmaxes,
    lines.claims,
    beside_inputs.functions,
)


def named(mismatch: Mismatch, e: Evidence) -> Mismatch:
    """Return the mismatch with its cause. What was never written or is of another form has no other cause than that."""
    if mismatch.pattern in ("shape", "dtype", "all_zero", "stale"):
        return mismatch
    if mismatch.pattern == "unwritten":
        with np.errstate(all="ignore"):
            claim = next(elements.reinterpreted(e), None)
        return mismatch if claim is None else _with(mismatch, claim, e)
    claim = diagnose(e)
    if claim is None:
        return mismatch.model_copy(update={"cause": "unknown", "what": _size(e)})
    return _with(mismatch, claim, e)


def _size(e: Evidence) -> str:
    """Say how large errors of an unknown cause are, roughly: enough to tell two such failures apart."""
    with np.errstate(all="ignore"):
        error = np.abs(e.g - e.w)
        typical = (
            float(np.median(error[np.isfinite(error)])) / e.rms if np.isfinite(error).any() and e.rms else 0.0
        )
    if not 0 < typical < np.inf:
        return ""
    typical = float(f"{typical:.1g}")
    return f"half of the wrong elements are off by more than {typical:g} of the values' root mean square"


def diagnose(e: Evidence) -> Claim | None:
    """Return the cause with the numbers that show it; None where none is known."""
    with np.errstate(all="ignore"):  # a hypothesis may divide by zero: it then explains nothing
        plain = DType.COMPLEX64 not in (e.got.dtype, e.want.dtype)  # of complex numbers only the places
        said = _explained(e) if plain else None
        part = next(location.claims(e), None)
        rounding = next(elements.rounding(e), None) if plain and said is None and part is None else None
    if part is not None and said is None:
        written = np.unique(e.g)
        return _there(part, f"it is {number(written[0])}") if plain and written.size == 1 else part
    if part is not None and said is not None and said.cause in _FITS:
        return _there(part, said.what)
    return said or rounding


def _there(part: Claim, what: str) -> Claim:
    return part._replace(what=f"{part.what}; there {what}")


def _explained(e: Evidence) -> Claim | None:
    best: Claim | None = None
    for detector in DETECTORS:
        for claim in detector(e):
            if claim.share >= _ENOUGH:
                return claim
            if claim.share >= LEAST and (best is None or claim.share > best.share):
                best = claim
    return best


def _with(mismatch: Mismatch, claim: Claim, e: Evidence) -> Mismatch:
    told = [claim.detail] if claim.detail else []
    if claim.cause not in _PLACES:
        where = f", which lie at {e.where}" if e.where else ""
        told.append(f"true of {claim.share:.0%} of the wrong elements{where}")
    return mismatch.model_copy(update={"cause": claim.cause, "what": claim.what, "evidence": "; ".join(told)})
