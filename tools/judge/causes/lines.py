"""Causes that show as one number per line: an error, or a factor, that is the same along an axis."""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from akgen.tools.judge.causes.evidence import Claim, Evidence, Floats, Places, number

_SHARE = 0.9
_SAMPLED = 64  # lines in which the part of a sum is looked for
_POWERS = (
    (1.0, "{}"),
    (-1.0, "1/{}"),
    (0.5, "the root of {}"),
    (-0.5, "1/the root of {}"),
    (2.0, "the square of {}"),
)


class _Lines(NamedTuple):
    """The elements of an output by their line along an axis, each with the median of a number over its line."""

    axis: int
    which: Places  # of each sampled wrong element
    usual: Floats  # by line; NaN for a line without a sampled element


def claims(e: Evidence) -> Iterator[Claim]:
    if not e.varied or len(e.shape) < 2:
        return
    yield from _eps(e)
    factors, errors = _constant(e, e.g / e.w, factor=True), _constant(e, e.g - e.w, factor=False)
    for lines, is_factor in ((factors, True), (errors, False)):
        if lines is None:
            continue
        usual = lines.usual[lines.which]
        share = e.explained(e.w * usual if is_factor else e.w + usual)
        yield from _partial(e, lines) if is_factor else ()
        yield from _statistic(e, lines, is_factor)
        said = "factor" if is_factor else "error"
        size = number(float(f"{np.nanmedian(lines.usual):.1g}"))
        text = f"the {said} is the same at every index along axis {lines.axis}, and about {size}"
        yield Claim("constant_along", text, share)


def _constant(e: Evidence, values: Floats, *, factor: bool) -> _Lines | None:
    """Find the axis along which a number stays while it changes along another."""
    for axis, length in enumerate(e.shape):
        if length < 4:
            continue
        rest = tuple(at for a, at in enumerate(e.index) if a != axis)
        across = tuple(n for a, n in enumerate(e.shape) if a != axis)
        group = np.ravel_multi_index(rest, across)
        lines, which, count = np.unique(group, return_inverse=True, return_counts=True)
        if count.size < 3 or np.median(count) < 4:
            continue
        parts = np.split(values[np.argsort(which, kind="stable")], np.cumsum(count)[:-1])
        middle = np.array([np.median(part) for part in parts])
        if not np.isfinite(middle).all() or np.ptp(middle) <= 1e-3 * np.abs(middle).max():
            continue
        predicted = e.w * middle[which] if factor else e.w + middle[which]
        if e.explained(predicted) >= _SHARE:
            usual = np.full(int(np.prod(across)), np.nan)
            usual[lines] = middle
            return _Lines(axis, group, usual)
    return None


def _of_inputs(e: Evidence, axis: int) -> Iterator[tuple[int, Floats]]:
    """Yield each input of the output's shape as lines along an axis."""
    for k, tensor in enumerate(e.inputs):
        if tensor.shape == e.shape and (whole := tensor.whole) is not None:
            yield k, np.moveaxis(whole, axis, -1).reshape(-1, e.shape[axis])


def _statistic(e: Evidence, lines: _Lines, is_factor: bool) -> Iterator[Claim]:
    """The number is a statistic of the line of an input: a division by it, or its subtraction, is missing or double."""
    multiples = []
    seen = ~np.isnan(lines.usual)
    for k, x in _of_inputs(e, lines.axis):
        for name, value in _statistics(x):
            for power, said in _POWERS if is_factor else ((1.0, "{}"), (-1.0, "minus {}")):
                made = value**power if is_factor else power * value
                constant = float(np.median((lines.usual / made)[seen])) if is_factor else 1.0
                if not np.isfinite(constant) or constant == 0:
                    continue
                predicted = constant * made[lines.which]
                share = e.explained(e.w * predicted if is_factor else e.w + predicted)
                if share < _SHARE:
                    continue
                text = f"{said.format(name)} of input {k} along axis {lines.axis}"
                start = "it is the expected value times" if is_factor else "the error is"
                if abs(constant - 1) < 0.01:
                    yield Claim("constant_along", f"{start} {text}", share)
                else:
                    multiples.append(
                        Claim("constant_along", f"{start} {number(constant)} times {text}", share)
                    )
    yield from multiples


def _statistics(x: Floats) -> Iterator[tuple[str, Floats]]:
    yield "the sum", x.sum(-1)
    yield "the mean", x.mean(-1)
    yield "the maximum", x.max(-1)
    yield "the minimum", x.min(-1)
    yield "the sum of squares", np.square(x).sum(-1)
    yield "the mean square", np.square(x).mean(-1)
    yield "the variance", x.var(-1)
    yield "the mean magnitude", np.abs(x).mean(-1)
    yield "the sum of exp(x - maximum)", np.exp(x - x.max(-1, keepdims=True)).sum(-1)
    yield "the sum of exp", np.exp(x).sum(-1)
    yield "exp of the maximum", np.exp(x.max(-1))


def _partial(e: Evidence, lines: _Lines) -> Iterator[Claim]:
    """The factor is that of a sum over a part of the line beside the sum over all of it."""
    seen = np.flatnonzero(~np.isnan(lines.usual))[:_SAMPLED]
    usual = lines.usual[seen]
    for k, x in _of_inputs(e, lines.axis):
        x = x[seen]
        terms = (
            ("exp(x - maximum)", np.exp(x - x.max(-1, keepdims=True)), 1.0),
            ("squares", np.square(x), 2.0),
            ("elements", x, 1.0),
        )
        for name, term, power in terms:
            sums = np.cumsum(term, -1)
            share = np.mean(np.abs(sums[:, -1:] / sums / usual[:, None] ** power - 1) < 2e-4, axis=0)[:-1]
            if share.size and share.max() >= _SHARE:
                text = f"only the first {int(share.argmax()) + 1} of {x.shape[-1]} {name} of input {k} are summed"
                yield Claim("partial_sum", text + f" along axis {lines.axis}", float(share.max()))


def _eps(e: Evidence) -> Iterator[Claim]:
    """A factor that differs by row, by as much as a constant beside the row's variance or mean square makes."""
    factor = e.g / e.w
    for k, rows in _of_inputs(e, len(e.shape) - 1):
        row = e.places // e.shape[-1]
        for name, spread in (("mean square", np.square(rows).mean(-1)), ("variance", rows.var(-1))):
            at = spread[row]
            eps = (np.square(factor) - 1) * at
            value = float(np.median(eps[np.isfinite(eps)])) if np.isfinite(eps).any() else 0.0
            if not 1e-14 < abs(value) < 0.1 or np.unique(row).size < 3:
                continue
            share = e.explained(e.w * np.sqrt(np.maximum((at + value) / at, 0.0)))
            said = "is missing" if value > 0 else "is too much"
            text = f"an eps of {number(abs(value))} beside the {name} of the rows of input {k} {said}"
            yield Claim("missing_eps", text, share)
