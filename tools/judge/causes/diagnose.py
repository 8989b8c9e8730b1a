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
    probabilities,
    recomputed,
    storage,
    terms,
)
from akgen.tools.judge.causes.evidence import Claim, Evidence, number

_ENOUGH = 0.95  # share of the wrong elements that a cause explains by itself
_MOST = 0.85  # and that makes it the cause where no other explains more
# A fit over a part only: the part is the cause, the fit says more of it.
_FITS = frozenset({"scaled", "offset", "sign", "constant_along"})
_PLACES = frozenset({"tail", "row", "block_edge", "border", "part", "one_index", "lanes"})

# What is the expected value but for one change goes before a resemblance. Precision stands apart: it is named where the
# errors look like rounding, and never for want of another cause.
DETECTORS: tuple[Callable[[Evidence], Iterator[Claim]], ...] = (
    storage.reinterpreted,
    places.answers,
    elements.integers,
    beside_inputs.conditions,
    elements.claims,
    recomputed.claims,
    places.claims,
    terms.claims,
    probabilities.claims,
    lines.claims,
    beside_inputs.functions,
)


def named(mismatch: Mismatch, e: Evidence) -> Mismatch:
    """Return the mismatch with its cause. What was never written or is of another form has no other cause than that."""
    if mismatch.pattern in ("shape", "dtype", "all_zero", "stale"):
        return mismatch
    if mismatch.pattern == "unwritten":
        with np.errstate(all="ignore"):
            claim = next(storage.reinterpreted(e), None)
        return mismatch if claim is None else _with(mismatch, claim, e)
    claim = diagnose(e)
    return mismatch.model_copy(update={"cause": "unknown"}) if claim is None else _with(mismatch, claim, e)


def diagnose(e: Evidence) -> Claim | None:
    """Return the cause with the numbers that show it; None where none is known."""
    with np.errstate(all="ignore"):  # a hypothesis may divide by zero: it then explains nothing
        plain = not any(
            t.dtype == DType.COMPLEX64 for t in (e.got, e.want)
        )  # of complex numbers only the places
        said = _explained(e) if plain else None
        part = next(location.claims(e), None)
        rounding = next(storage.rounding(e), None) if plain and said is None and part is None else None
    if said is None and part is not None:
        written = np.unique(e.g)
        return (
            part if written.size > 1 else part._replace(what=f"{part.what}; there it is {number(written[0])}")
        )
    if said is None:
        return rounding
    if part is not None and said.cause in _FITS:
        return part._replace(what=f"{part.what}; there {said.what}")
    return said


def _explained(e: Evidence) -> Claim | None:
    best: Claim | None = None
    for detector in DETECTORS:
        for claim in detector(e):
            if claim.share >= _ENOUGH:
                return claim
            if claim.share >= _MOST and (best is None or claim.share > best.share):
                best = claim
    return best


def _with(mismatch: Mismatch, claim: Claim, e: Evidence) -> Mismatch:
    told = [claim.detail] if claim.detail else []
    if claim.cause not in _PLACES:
        where = f", which lie at {e.where}" if e.where else ""
        told.append(f"true of {claim.share:.0%} of the wrong elements{where}")
    return mismatch.model_copy(update={"cause": claim.cause, "what": claim.what, "evidence": "; ".join(told)})
