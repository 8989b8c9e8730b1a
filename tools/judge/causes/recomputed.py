"""Causes that show when the expected output is computed from the inputs again: reductions, products, running sums."""

from collections.abc import Callable, Iterator

import numpy as np

from akgen.tools.judge.causes.evidence import Claim, Evidence, Floats, number

_SHARE = 0.9
_SOFTMAXES = 32  # lines of a softmax that are looked at
_LOG_NEAR = 0.02  # of a logarithm
_ROWS = 64  # rows of a product, or lines along an axis, that are computed
_REDUCTIONS: dict[str, Callable[..., Floats]] = {
    "the sum": np.sum, "the mean": np.mean, "the maximum": np.max, "the minimum": np.min,
    "the variance": np.var, "the deviation": np.std, "the product": np.prod,
    "the sum of squares": lambda x, axis: np.square(x).sum(axis),
    "the mean square": lambda x, axis: np.square(x).mean(axis),
    "the root mean square": lambda x, axis: np.sqrt(np.square(x).mean(axis)),
    "the norm": lambda x, axis: np.sqrt(np.square(x).sum(axis)),
}  # fmt: skip


def claims(e: Evidence) -> Iterator[Claim]:
    if not e.varied:
        return
    yield from _reduced(e)
    yield from _products(e)
    yield from _carried(e)
    yield from _axis(e)


def _reduced(e: Evidence) -> Iterator[Claim]:
    """A reduction of an input over one axis: over another one, by another operation, or over a part of it."""
    for k, tensor in enumerate(e.inputs):
        x = tensor.whole
        if x is None or x.ndim < 1:
            continue
        for axis in range(x.ndim):
            if x.size // x.shape[axis] != e.size:
                continue
            name = next((n for n, f in _REDUCTIONS.items() if _is(e, f(x, axis=axis))), None)
            if name is None:
                continue
            for other, function in _REDUCTIONS.items():
                if other != name:
                    text = f"it is {other} of input {k} along axis {axis}, not {name}"
                    yield Claim("function", text, e.explained(_at(e, function(x, axis=axis))))
            for another in range(x.ndim):
                if another != axis and x.shape[another] == x.shape[axis]:
                    text = f"input {k} is reduced along axis {another}, not along axis {axis}"
                    yield Claim("axis", text, e.explained(_at(e, _REDUCTIONS[name](x, axis=another))))
            if name == "the sum":
                lines = np.moveaxis(x, axis, -1).reshape(e.size, -1)[e.places[:_ROWS]]
                yield from _part(e, np.cumsum(lines, -1), f"input {k} along axis {axis}")


def _is(e: Evidence, values: Floats) -> bool:
    """Say whether these are the expected values."""
    flat = np.asarray(values).reshape(-1)
    near = np.abs(flat[e.places] - e.w) <= e.room(np.abs(e.w), e.places)
    return bool(near.mean() >= 0.99)


def _at(e: Evidence, values: Floats) -> Floats:
    return np.asarray(np.asarray(values).reshape(-1)[e.places])


def _part(e: Evidence, sums: Floats, of: str) -> Iterator[Claim]:
    """Find the number of leading (or the one of trailing) elements whose sums were written; `sums` are cumulative."""
    g = e.g[: len(sums)]
    total = sums.shape[-1]
    near = e.room(np.abs(sums[:, -1]), e.places[: len(sums)])[:, None]
    for said, partial in (("first", sums), ("last", sums[:, -1:] - sums)):
        share = np.mean(np.abs(partial - g[:, None]) <= near, axis=0)
        best = int(share[:-1].argmax()) if total > 1 else 0
        many = best + 1 if said == "first" else total - best - 1
        if total > 1 and share[best] >= _SHARE and len(g) >= 4:
            text = f"only the {said} {many} of {total} products or elements of {of} are summed"
            yield Claim("partial_sum", text, float(share[best]))
            return


def _products(e: Evidence) -> Iterator[Claim]:
    """A product of two matrices, perhaps with a vector added: an operand transposed, or a part of the inner axis."""
    if len(e.shape) != 2:
        return
    few = slice(None, None, max(1, e.places.size // 512))
    rows, columns = (at[few] for at in e.index)
    g, w, places = e.g[few], e.w[few], e.places[few]
    matrices = [(k, t.whole) for k, t in enumerate(e.inputs) if len(t.shape) == 2 and t.whole is not None]
    for i, a in matrices:
        for j, b in matrices:
            if i == j or a is None or b is None:
                continue
            found: dict[tuple[bool, bool], Floats] = {}
            for flip_a in (False, True):
                for flip_b in (False, True):
                    left, right = (a.T if flip_a else a), (b.T if flip_b else b)
                    if (left.shape[0], right.shape[1]) == e.shape and left.shape[1] == right.shape[0]:
                        found[flip_a, flip_b] = np.cumsum(left[rows] * right[:, columns].T, -1)
            near = e.room(np.abs(w), places) + 1e-6 * np.abs(w).max()
            meant = next((f for f, v in found.items() if np.mean(np.abs(v[:, -1] - w) <= near) >= 0.99), None)
            if meant is None:
                continue
            yield from _part_of_product(found[meant], g, near, (i, j))
            for flips, values in found.items():
                if flips != meant:
                    wrong = [k for k, x, y in zip((i, j), flips, meant, strict=True) if x != y]
                    text = f"input {' and input '.join(map(str, wrong))} is read transposed in the product"
                    yield Claim("transposed", text, float(np.mean(np.abs(values[:, -1] - g) <= near)))


def _part_of_product(sums: Floats, g: Floats, near: Floats, inputs: tuple[int, int]) -> Iterator[Claim]:
    share = np.mean(np.abs(sums - g[:, None]) <= near[:, None], axis=0)
    best = int(share[:-1].argmax()) if share.size > 1 else 0
    if share.size > 1 and share[best] >= _SHARE:
        text = f"only the first {best + 1} of {share.size} products of inputs {inputs[0]} and {inputs[1]} are summed"
        yield Claim("partial_sum", text, float(share[best]))


def _carried(e: Evidence) -> Iterator[Claim]:
    """A running sum that begins anew in each tile."""
    want, got = e.want.whole, e.got.whole
    if want is None or got is None:
        return
    for axis, length in enumerate(e.shape):
        if length < 8:
            continue
        w = np.moveaxis(want, axis, -1).reshape(-1, length)[:_ROWS]
        g = np.moveaxis(got, axis, -1).reshape(-1, length)[:_ROWS]
        at = np.moveaxis(np.arange(e.size).reshape(e.shape), axis, -1).reshape(-1, length)[:_ROWS]
        wrong = np.abs(g - w) > e.room(np.abs(w), at)
        begins = int(np.argmax(wrong.any(axis=0)))
        if begins < 2 or not wrong.any():
            continue
        tile = np.arange(length) // begins
        last = np.maximum(tile * begins - 1, 0)
        predicted = np.where(tile > 0, w - w[:, last], w)
        near = np.abs(g - predicted) <= e.room(np.maximum(np.abs(w), np.abs(w[:, last])), at)
        if near.mean() >= 0.95:
            text = f"the sum begins anew every {begins} elements along axis {axis}: nothing is carried over"
            yield Claim("carry", text, float(near[wrong].mean()))


def _axis(e: Evidence) -> Iterator[Claim]:
    """A normalisation along another axis: what sums to one number (0 or another) shows along which."""
    want, got = e.want.whole, e.got.whole
    if want is None or got is None or len(e.shape) < 2:
        return
    for power, said in ((1, "sum"), (2, "squares sum")):
        if power == 2 and e.size < 64:
            continue
        meant = {a for a in range(len(e.shape)) if e.shape[a] > 1 and _even(want**power, a)}
        found = {a for a in range(len(e.shape)) if e.shape[a] > 1 and _even(got**power, a)}
        if len(meant) == 1 and len(found) == 1 and meant != found:
            (a,), (b,) = meant, found
            text = f"its {said} is constant along axis {b}, the expected one's along axis {a}: the axes are exchanged"
            yield Claim("axis", text)
            return


def _even(values: Floats, axis: int) -> bool:
    sums, sizes = values.sum(axis), np.abs(values).sum(axis)
    if not np.isfinite(sizes).all():
        return False
    return bool(np.ptp(sums) <= 2e-3 * sizes.mean() and sizes.mean() > 0)


def softmaxes(e: Evidence) -> Iterator[Claim]:
    """A softmax whose logarithm shows that its scores have another factor, or that its mask does not hold."""
    if len(e.shape) < 1 or e.shape[-1] < 4 or not e.varied:
        return
    length = e.shape[-1]
    chosen = np.unique(e.places // length)
    chosen = chosen[:: max(1, chosen.size // _SOFTMAXES)]
    at = chosen[:, None] * length + np.arange(length)
    want, got = e.want.at(at), e.got.at(at)
    nothing = bool(np.isnan(got).all())
    if nothing or want.min() < 0 or not np.allclose(want.sum(-1), 1, atol=2e-3) or not np.nanmin(got) >= 0:
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
        filled += bool(masked.any() and np.abs(counted).max() < _LOG_NEAR)
        ignored += bool(masked.any() and np.abs(counted - made * scores[masked]).max() < _LOG_NEAR)
    meant, made = (float(np.median(column)) for column in zip(*factors, strict=True))
    if abs(made / meant - 1) > 1e-2 and all(abs(b / a - made / meant) < _LOG_NEAR for a, b in factors):
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
    return slope if slope != 0 and np.abs(y - slope * x).max() < _LOG_NEAR else None
