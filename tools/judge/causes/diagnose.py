"""Choose among what the detectors claim: what explains nearly all wrong elements, else where they lie.

One detector stands here: what holds of an input where the output is wrong, and what function of it was computed.
"""

from collections.abc import Callable, Iterator

import numpy as np

from akgen.tools.core.dtypes import DType
from akgen.tools.core.verdict import Cause, Mismatch
from akgen.tools.judge.causes import elements, lines, location, places, recomputed, terms
from akgen.tools.judge.causes.evidence import LEAST, Claim, Evidence, Floats, Mask, Tensor, number

_ENOUGH = 0.95  # share of the wrong elements that a cause explains by itself
# A fit over a part only: the part is the cause, the fit says more of it.
_FITS = frozenset({"scaled", "offset", "sign", "constant_along"})
_PLACES = frozenset({"tail", "row", "block_edge", "border", "part", "one_index", "lanes"})
_SHARE = 0.9
_EXP = {DType.FLOAT32: 88.72, DType.FLOAT16: 11.09}  # the largest argument
_READ_AS = (DType.FLOAT16, DType.BFLOAT16, DType.FLOAT32, DType.INT32, DType.INT16, DType.INT8)


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


def conditions(e: Evidence) -> Iterator[Claim]:
    """Elements that are wrong just where an input has a property: a branch, a mask, a division by nothing."""
    if not e.shape:
        return
    nan = np.isnan(e.g).mean() >= 0.2
    for k, tensor in enumerate(e.inputs):
        x = tensor.whole
        if x is None or x.ndim < 1:
            continue
        if nan:
            yield from _nan(e, k, x)
            continue
        if tensor.shape == e.shape:
            flat = x.reshape(-1)
            for said, holds in (
                ("negative", flat < 0),
                ("positive", flat > 0),
                ("zero", flat == 0),
                ("not zero", flat != 0),
            ):
                if 0.02 < holds.mean() < 0.98 and _coincide(e.wrong, holds):
                    yield Claim("branch", f"it is wrong where input {k} is {said}, and nowhere else")
        lines = _lines(e, x)
        if lines is None or not np.isin(lines, (0.0, 1.0)).all():
            continue
        holes = (lines == 0).any(-1)
        if 0 < holes.mean() < 1 and _coincide(e.wrong, np.repeat(holes, e.size // len(lines))):
            text = f"it is wrong in the rows in which input {k} holds a 0, and in no other: that input is not used"
            yield Claim("ignored_input", text)


def _nan(e: Evidence, k: int, x: Floats) -> Iterator[Claim]:
    """NaN where an input, or its row, is zero, constant, or more than exp can take."""
    got = e.got.whole
    if got is None:
        return
    nan = np.isnan(got.reshape(-1)) & e.wrong
    lines = _lines(e, x)
    if lines is not None and x.ndim > 1:
        each = e.size // len(lines)
        for said, holds in (("all zero", ~lines.any(-1)), ("constant", np.ptp(lines, -1) == 0)):
            if 0 < holds.mean() < 1 and _coincide(nan, np.repeat(holds, each)):
                yield Claim("zero_division", f"it is NaN in the rows in which input {k} is {said}: 0/0")
        yield from _exceeds(nan, np.repeat(lines.max(-1), each), f"in the rows in which input {k}")
    if x.size == e.size:
        flat = x.reshape(-1)
        if 0 < np.mean(flat == 0) < 1 and _coincide(nan, flat == 0):
            yield Claim("zero_division", f"it is NaN where input {k} is zero: 0/0")
        yield from _exceeds(nan, flat, f"where input {k}")


def _exceeds(nan: Mask, values: Floats, where: str) -> Iterator[Claim]:
    if nan.all():
        return
    most, least = float(values[~nan].max()), float(values[nan].min())
    for dtype, limit in _EXP.items():
        if most <= limit * 1.01 and least >= limit * 0.99:
            yield Claim("overflow", f"it is NaN {where} exceeds {limit}, where exp overflows {dtype}")


def _lines(e: Evidence, x: Floats) -> Floats | None:
    """Return an input's lines along its last axis where each belongs to as many output elements; else None."""
    lead = x.shape[:-1]
    if x.ndim < 2 or e.shape[: len(lead)] != lead:
        return None
    return x.reshape(-1, x.shape[-1])


def _coincide(wrong: Mask, holds: Mask) -> bool:
    """Say whether the wrong elements are those of which something holds, but for a few that happen to be right."""
    return bool(np.mean(holds[wrong]) >= 0.995 and np.mean(wrong[holds]) >= 0.8)


def functions(e: Evidence) -> Iterator[Claim]:
    """A function of each element of an input, learned from the expected output."""
    alike = [(k, t) for k, t in enumerate(e.inputs) if t.stored.size == e.size and t.shape == e.shape]
    every = np.sort(np.concatenate([e.places, e.right]))
    for k, tensor in alike:
        x, w = tensor.at(every), e.want.at(every)
        keep = np.isfinite(x) & np.isfinite(w)
        order = np.argsort(x[keep], kind="stable")
        curve, height = x[keep][order], w[keep][order]
        if not _smooth(curve, height):
            continue
        for other, read, said in _readings(e, k, tensor, alike):
            at = e.places[e.places < read.size]
            values = read[at]
            inside = (values >= curve[8]) & (values <= curve[-9]) & (np.abs(values) > 1e-6)
            predicted = np.interp(values, curve, height)
            if inside.sum() < 32:
                continue
            room = 1e-2 * np.ptp(height[8:-8]) + 4 * _roughness(height)
            near = np.abs(e.got.at(at) - predicted)[inside] <= room
            rolled = np.abs(np.roll(e.got.at(at), 7) - predicted)[inside] <= room
            if near.mean() >= 0.95 and rolled.mean() < 0.5:
                yield Claim(other, said, float(near.mean()))
        got = e.got.at(every)[keep][order]
        if np.isfinite(got).all() and _smooth(curve, got) and _smooth(curve, got - height):
            worst = int(np.abs(got - height).argmax())
            by, there = number(abs(float(got[worst] - height[worst]))), number(float(curve[worst]))
            detail = f"farthest from it, by {by}, where input {k} is {there}"
            yield Claim("formula", f"it is another function of input {k} than expected", 1.0, detail)


def _readings(
    e: Evidence, k: int, tensor: Tensor, alike: list[tuple[int, Tensor]]
) -> Iterator[tuple[Cause, Floats, str]]:
    for j, other in alike:
        if j != k:
            yield (
                "wrong_input",
                other.at(np.arange(e.size)),
                f"it is computed from input {j}, not from input {k}",
            )
    bits = np.ascontiguousarray(tensor.stored)
    for dtype in _READ_AS:
        if dtype != tensor.dtype:
            stored = bits.view("u2" if dtype == DType.BFLOAT16 else dtype.value)
            read = Tensor(dtype, (stored.size,), stored)
            text = f"the bytes of input {k} ({tensor.dtype}) are read as {dtype}"
            yield "reinterpreted", read.at(np.arange(min(stored.size, e.size))), text


def _smooth(x: Floats, y: Floats) -> bool:
    """Say whether y is a function of the sorted x: neighbours differ little beside the whole range."""
    if y.size < 256:
        return False
    inner = slice(y.size // 50, -y.size // 50)
    spread = float(np.percentile(y[inner], 95) - np.percentile(y[inner], 5))
    rough = np.abs(np.diff(y[inner], 2))
    fine = np.diff(x[inner]) < 0.05 * max(float(x[-1] - x[0]), 1e-30)
    return spread > 0 and bool(np.mean(rough[fine[1:]] <= 0.02 * spread) >= 0.98)


def _roughness(y: Floats) -> float:
    return float(np.median(np.abs(np.diff(y))))


# What is the expected value but for one change goes before a resemblance. Precision stands apart: it is named where the
# errors look like rounding, and never for want of another cause.
DETECTORS: tuple[Callable[[Evidence], Iterator[Claim]], ...] = (
    elements.reinterpreted,
    places.answers,
    elements.integers,
    conditions,
    elements.claims,
    recomputed.claims,
    places.claims,
    terms.claims,
    recomputed.softmaxes,
    lines.claims,
    functions,
)
