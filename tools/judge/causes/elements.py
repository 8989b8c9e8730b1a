"""Causes that show in an element and its expected value alone: a factor, a function, a limit, bytes, rounding."""

from collections.abc import Callable, Iterator
from functools import partial

import numpy as np

from akgen.tools.core.dtypes import DType
from akgen.tools.core.verdict import Cause
from akgen.tools.judge import tolerance
from akgen.tools.judge.causes.evidence import LEAST, Claim, Evidence, Floats, Tensor, counts, number

_FUNCTIONS = (
    ("the square root", np.sqrt),
    ("the square", np.square),
    ("the exponential (exp)", np.exp),
    ("the logarithm (log)", np.log),
    ("the absolute value", np.abs),
    ("the reciprocal of the square root", lambda w: 1 / np.sqrt(w)),
    ("the reciprocal of the square", lambda w: 1 / np.square(w)),
    ("the hyperbolic tangent (tanh)", np.tanh),
    ("the sigmoid", lambda w: 1 / (1 + np.exp(-w))),
    ("the sine", np.sin),
    ("the cosine", np.cos),
)
_FLOATS = (DType.FLOAT32, DType.FLOAT16, DType.BFLOAT16, DType.FLOAT64)
_OTHERS = (*_FLOATS, DType.INT32, DType.INT16, DType.INT8, DType.INT64)
# Median relative errors that rounding on the way leaves: of what was rounded, or of a sum that it is a part of.
_ROUNDING = {DType.FLOAT16: (2.0**-15, 2.0**-10.75), DType.BFLOAT16: (2.0**-10.75, 2.0**-7.5)}
_SHARE = 0.9
_INTEGERS = frozenset(d for d in DType if "int" in d)


def integers(e: Evidence) -> Iterator[Claim]:
    if e.got.dtype in _INTEGERS and e.size > 1:
        yield from _wrapped(e)
        yield from _rounded(e)


def claims(e: Evidence) -> Iterator[Claim]:
    if (
        e.size == 1
    ):  # a lone element fits any factor: only one that a count of the inputs' elements makes is a cause
        yield Claim("sign", "it is the expected value with the other sign", e.explained(-e.w))
        yield from (claim for claim, function in _counted(e, float(e.g[0] / e.w[0])))
    elif e.varied:
        yield from _limits(e)
        local = []
        for claim, function in _functions(e):
            if claim.share >= LEAST:
                if _holds_elsewhere(e, function):
                    yield claim
                else:
                    local.append(claim._replace(what=f"{claim.what}, in a part of the elements"))
        yield from local


Function = Callable[[Floats], Floats]


def _functions(e: Evidence) -> Iterator[tuple[Claim, Function]]:
    """Yield what the output may be as a function of the expected value."""

    def claim(cause: Cause, text: str, function: Function) -> tuple[Claim, Function]:
        return Claim(cause, f"it is {text}", e.explained(function(e.w))), function

    yield claim("sign", "the expected value with the other sign", np.negative)
    difference = (e.g - e.w)[np.isfinite(e.g - e.w)]
    if difference.size:
        offset = float(np.median(difference))
        said = f"{number(abs(offset))} {'more' if offset > 0 else 'less'} than expected"
        yield claim("offset", said, lambda w: w + offset)
    large = np.abs(e.w) >= np.median(np.abs(e.w))
    ratio = e.g[large] / e.w[large]
    if np.isfinite(ratio).any():
        factor = float(np.median(ratio[np.isfinite(ratio)]))
        yield from _counted(e, factor)
        if factor != 0 and not np.isclose(factor, -1):
            yield claim("scaled", f"the expected value times {number(factor)}", lambda w: factor * w)
    yield claim("reciprocal", "the reciprocal of the expected value", np.reciprocal)
    for name, function in _FUNCTIONS:
        yield claim("function", f"{name} of the expected value", function)


def _holds_elsewhere(e: Evidence, function: Function) -> bool:
    """Say whether the right elements are what the function makes of them too."""
    if e.right.size == 0:
        return True
    want, got = e.want.at(e.right), e.got.at(e.right)
    predicted = function(want)
    near = np.abs(got - predicted) <= e.room(np.maximum(np.abs(want), np.abs(predicted)), e.right)
    return bool(np.mean(near | ~np.isfinite(want)) >= _SHARE)


def _counted(e: Evidence, factor: float) -> Iterator[tuple[Claim, Function]]:
    """A factor that the number of summed elements makes: a mean for a sum, or another divisor of the variance."""
    normalised = any(tensor.shape == e.shape for tensor in e.inputs)
    root_of_sum: Cause = "sum_for_mean" if normalised else "scaled"
    under = ": a sum under the root, not a mean" if normalised else ""
    for n in counts(e.inputs):
        made: tuple[tuple[Cause, float, str], ...] = (
            ("mean_for_sum", 1 / n, f"times 1/{n}: divided by {n}, the number of elements"),
            ("sum_for_mean", n, f"times {n}: not divided by {n}, the number of elements"),
            (root_of_sum, n**-0.5, f"times {number(n**-0.5)}, which is 1/sqrt({n}){under}"),
            ("scaled", n**0.5, f"times {number(n**0.5)}, which is sqrt({n})"),
            ("divisor", n / (n - 1), f"times {n}/{n - 1}: divided by n - 1, not by n = {n}"),
            ("divisor", (n - 1) / n, f"times {n - 1}/{n}: divided by n = {n}, not by n - 1"),
            ("divisor", (n / (n - 1)) ** 0.5, f"times sqrt({n}/{n - 1}): a variance over n = {n}, not n - 1"),
            ("divisor", ((n - 1) / n) ** 0.5, f"times sqrt({n - 1}/{n}): a variance over n - 1, not n = {n}"),
        )  # fmt: skip
        for cause, value, said in made:
            close = abs(factor / value - 1) <= 1e-3 and (n > 8 or cause != "divisor")
            if close and abs(factor - value) <= 0.05 * abs(value - 1):
                claim = Claim(cause, f"it is the expected value {said}", e.explained(value * e.w))
                yield claim, partial(np.multiply, value)


def _limits(e: Evidence) -> Iterator[Claim]:
    """Values that stop at a number: at what a dtype holds, at zero, at a bound of the formula."""
    w, g = e.w, e.g
    infinite = np.isinf(g) & np.isfinite(w)
    if infinite.mean() >= _SHARE:
        right = np.abs(e.want.at(e.right))
        for dtype in (DType.FLOAT16, DType.FLOAT32):
            largest = tolerance.LARGEST[dtype]
            beyond = np.abs(w) >= 0.999 * largest
            if beyond.mean() >= _SHARE and (right.size == 0 or np.mean(right <= 1.001 * largest) >= _SHARE):
                text = (
                    f"it is infinite where the expected magnitude exceeds {largest:.6g}, the largest {dtype}"
                )
                yield Claim("overflow", text, float(beyond.mean()))
        return
    stop, share = _commonest(g)
    limits = {65504.0: "float16", 127.0: "int8", 255.0: "uint8", 32767.0: "int16", -128.0: "int8"}
    if share >= _SHARE and np.unique(w).size >= 4:
        above = float(np.mean(w > stop)) >= _SHARE
        below = float(np.mean(w < stop)) >= _SHARE
        if not above and not below:
            return
        side = "larger" if above else "smaller"
        right = e.want.at(e.right)
        bounded = (right.size > 0 or abs(stop) in limits) and float(
            np.mean(np.append(right, stop) <= stop if above else np.append(right, stop) >= stop)
        ) >= _SHARE
        if stop == 0 and _selects(e):
            text = (
                f"it is 0 where the expected element is {side}: a 0 of the padding or of the start was taken"
            )
            yield Claim("fill", text, share)
        elif bounded and abs(stop) in limits:
            yield Claim("overflow", f"it stops at {stop:g}, the limit of {limits[abs(stop)]}", share)
        elif bounded:
            yield Claim("clipped", f"it is {number(stop)} wherever a {side} value is expected", share)
        return
    stop, share = _commonest(w)
    if share >= _SHARE and np.unique(g).size >= 4:
        above = float(np.mean(g > stop)) >= _SHARE
        if above or float(np.mean(g < stop)) >= _SHARE:
            text = f"it is {'more' if above else 'less'} wherever {number(stop)} is expected: no bound there"
            yield Claim("clipped", text, share)


def _selects(e: Evidence) -> bool:
    """Say whether expected values are elements of an input, as a maximum's are, in no fixed place."""
    return any(
        tensor.whole is not None
        and tensor.stored.size > e.size / 2
        and np.isin(e.w, np.asarray(tensor.whole).reshape(-1)).mean() >= _SHARE
        for tensor in e.inputs
    )


def _commonest(values: Floats) -> tuple[float, float]:
    found, count = np.unique(values[np.isfinite(values)], return_counts=True)
    if found.size == 0:
        return 0.0, 0.0
    return float(found[count.argmax()]), float(count.max() / values.size)


def _wrapped(e: Evidence) -> Iterator[Claim]:
    difference = np.abs(e.g - e.w)
    for bits in (32, 16, 8):
        whole = (np.mod(difference, 2.0**bits) == 0) & (difference > 0)
        outside = (e.w >= 2.0 ** (bits - 1)) | (e.w < -(2.0 ** (bits - 1)))
        if (whole & outside).mean() >= _SHARE:
            text = f"it is off by whole multiples of 2^{bits}: the result was kept in {bits} bits"
            yield Claim("wrapped", text, float((whole & outside).mean()))
            return


def _rounded(e: Evidence) -> Iterator[Claim]:
    """Integers that are one away, on one side."""
    difference = e.g - e.w
    if e.right.size < 0.1 * e.places.size or np.any(np.abs(difference) != 1):
        return
    for said, match in (
        ("towards zero", difference == -np.sign(e.w)),
        ("down", difference == -1),
        ("up", difference == 1),
        ("away from zero", difference == np.sign(e.w)),
    ):
        if match.mean() >= 0.95:
            yield Claim("rounding_mode", f"it is 1 away from the expected integer: rounded {said}", 1.0)
            return


def reinterpreted(e: Evidence) -> Iterator[Claim]:
    """The bytes of the output, read as another dtype, are the expected values: its global pointer has that dtype."""
    stored = np.asarray(e.got.stored)
    if stored.size < 8:
        return
    for dtype in _OTHERS:
        storage = np.dtype("u2" if dtype == DType.BFLOAT16 else dtype.value)
        if dtype == e.got.dtype or stored.nbytes % storage.itemsize:
            continue
        read = Tensor(dtype, (), stored.view(storage))
        many = min(read.stored.size, e.size)
        at = np.unique(np.linspace(0, many - 1, min(many, 2048)).astype(np.int64))
        values, want = read.at(at), e.want.at(at)
        near = np.abs(values - want) <= e.room(np.abs(want), at) + 2.0**-7 * np.abs(want)
        if near.mean() >= 0.98 and np.unique(want).size >= 4 and np.any(want != 0):
            text = (
                f"its bytes are the expected values as {dtype}, where the operator's output is {e.got.dtype}"
            )
            yield Claim("reinterpreted", text, float(near.mean()))


def rounding(e: Evidence) -> Iterator[Claim]:
    """Errors of the size of a shorter dtype's rounding, to both sides, all over."""
    if e.got.dtype not in _FLOATS or e.places.size < 32:
        return
    every = np.sort(np.concatenate([e.places, e.right]))
    got, want = e.got.at(every), e.want.at(every)
    sized = np.isfinite(got) & np.isfinite(want) & (np.abs(want) > 0.1 * e.rms)
    if sized.sum() < 32:
        return
    relative = ((got - want) / np.abs(want))[sized]
    size, lean = float(np.median(np.abs(relative))), float(np.mean(relative > 0))
    if not 0.35 <= lean <= 0.65 or np.percentile(np.abs(relative), 99) > 40 * size:
        return
    for dtype, (least, most) in _ROUNDING.items():
        if dtype != e.got.dtype and least <= size < most:
            detail = f"half of them below {size:.1e} of the value, {lean:.0%} of them upwards"
            yield Claim("precision", f"the errors look like {dtype}'s rounding", 1.0, detail)
