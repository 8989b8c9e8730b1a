"""Causes that show in the logarithm of a softmax: its scores have another factor, or its mask does not hold."""

from collections.abc import Iterator

import numpy as np

from akgen.tools.judge.causes.evidence import Claim, Evidence, Floats, number

_LINES = 32
_NEAR = 0.02  # of a logarithm


def claims(e: Evidence) -> Iterator[Claim]:
    if len(e.shape) < 1 or e.shape[-1] < 4 or not e.varied:
        return
    length = e.shape[-1]
    chosen = np.unique(e.places // length)
    chosen = chosen[:: max(1, chosen.size // _LINES)]
    at = chosen[:, None] * length + np.arange(length)
    want, got = e.want.at(at), e.got.at(at)
    if want.min() < 0 or not np.allclose(want.sum(-1), 1, atol=2e-3) or not np.nanmin(got) >= 0:
        return
    for k, tensor in enumerate(e.inputs):
        if tensor.shape == e.shape:
            yield from _of_scores(k, tensor.at(at), want, got)


def _of_scores(k: int, x: Floats, want: Floats, got: Floats) -> Iterator[Claim]:
    """Compare two softmaxes of the lines `x`, line by line: the scores' factor, then what masked elements count as."""
    factors, filled, ignored, lines = [], 0, 0, 0
    for scores, w, g in zip(x, want, got, strict=True):
        both = (w > 1e-5 * w.max()) & (g > 1e-5 * g.max())
        masked = (w == 0) & (g > 1e-5 * g.max())
        meant, made = _slope(scores[both], np.log(w[both])), _slope(scores[both], np.log(g[both]))
        if meant is None or made is None:
            return
        factors.append((meant, made))
        lines += bool(masked.any())
        base = np.median(np.log(g[both]) - made * scores[both])
        counted = np.log(g[masked]) - base
        filled += bool(masked.any() and np.abs(counted).max() < _NEAR)
        ignored += bool(masked.any() and np.abs(counted - made * scores[masked]).max() < _NEAR)
    meant, made = (float(np.median(column)) for column in zip(*factors, strict=True))
    if abs(made / meant - 1) > 1e-2 and all(abs(b / a - made / meant) < _NEAR for a, b in factors):
        text = f"it is the softmax of input {k} times {number(made)}, not times {number(meant)}"
        yield Claim("scaled", text)
    elif lines and filled == lines:
        yield Claim("fill", f"masked elements of input {k} enter the softmax as 0 and not as minus infinity")
    elif lines and ignored == lines:
        yield Claim(
            "ignored_input", f"elements of input {k} that are masked out enter the softmax as they are"
        )


def _slope(x: Floats, y: Floats) -> float | None:
    """Return the factor of which y is a linear function of x; None if it is none."""
    if x.size < 3 or np.ptp(x) == 0:
        return None
    x, y = x - x.mean(), y - y.mean()
    slope = float((x * y).sum() / np.square(x).sum())
    return slope if slope != 0 and np.abs(y - slope * x).max() < _NEAR else None
