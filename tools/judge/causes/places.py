"""Causes that show in where a value belongs: to another index, launch, output or input than the one it stands at."""

from collections import Counter
from collections.abc import Iterator
from itertools import pairwise, permutations
from math import gcd, prod

import numpy as np

from akgen.tools.judge.causes.evidence import Claim, Evidence, Floats, Places, Tensor

_ANCHORS = 48  # wrong elements whose value is looked for everywhere
_FEW = 64  # places of one value
_SHARE = 0.9


def answers(e: Evidence) -> Iterator[Claim]:
    """The answer of another launch, or of another output."""
    if e.before is not None and e.before.shape == e.shape:
        yield Claim(
            "stale", "it holds what the launch before should have written", e.moved(e.before, e.places)
        )
    for number, other in e.others:
        if other.stored.size == e.size:
            text = f"it holds what output {number} should hold"
            yield Claim("swapped_outputs", text, e.moved(other, e.places))


def claims(e: Evidence) -> Iterator[Claim]:
    if not e.varied:
        return
    for k, tensor in enumerate(e.inputs):
        if tensor.stored.size == e.size:
            yield Claim("copied_input", f"it holds input {k} as it is", e.moved(tensor, e.places))
    yield from _permuted(e)
    yield from _reversed(e)
    yield from _repeated(e)
    yield from _parts(e)
    yield from _shifted(e)
    yield from _sources(e)


def _flat(index: tuple[Places, ...], shape: tuple[int, ...]) -> Places:
    """Return flat places of an index; -1 where it is outside."""
    inside = np.ones(index[0].shape, dtype=np.bool_)
    for at, length in zip(index, shape, strict=True):
        inside &= (at >= 0) & (at < length)
    flat = np.ravel_multi_index(
        tuple(np.clip(at, 0, n - 1) for at, n in zip(index, shape, strict=True)), shape
    )
    return np.where(inside, flat, -1)


def _permuted(e: Evidence) -> Iterator[Claim]:
    """The elements of the expected output, laid out with its axes in another order."""
    if not 2 <= len(e.shape) <= 5:
        return
    for order in permutations(range(len(e.shape))):
        lengths = tuple(e.shape[a] for a in order)
        stays = [a for a in order if e.shape[a] > 1]
        if stays == sorted(stays):
            continue
        at = np.unravel_index(e.places, lengths)
        source = tuple(at[order.index(a)] for a in range(len(order)))
        said = ", ".join(str(a) for a in order)
        text = f"it is the expected output with its axes in the order {said}"
        yield Claim("transposed", text, e.moved(e.want, _flat(source, e.shape)))


def _reversed(e: Evidence) -> Iterator[Claim]:
    for axis, length in enumerate(e.shape):
        if length < 3:
            continue
        source = tuple(length - 1 - at if a == axis else at for a, at in enumerate(e.index))
        text = f"it is the expected output backwards along axis {axis}"
        yield Claim("reversed", text, e.moved(e.want, _flat(source, e.shape)))


def _repeated(e: Evidence) -> Iterator[Claim]:
    """One index's values at all indices of an axis."""
    for axis, length in enumerate(e.shape):
        if length < 2:
            continue
        for kept in (0, length - 1):
            source = tuple(np.full_like(at, kept) if a == axis else at for a, at in enumerate(e.index))
            if float(np.mean(e.index[axis] != kept)) < _SHARE:
                continue
            text = f"it holds the values of index {kept} of axis {axis} at every index of that axis"
            yield Claim("repeated", text, e.moved(e.want, _flat(source, e.shape)))


def _parts(e: Evidence) -> Iterator[Claim]:
    """The first part's values in every part, or in each group of rows those of its first row."""
    nearest = _nearest(e)
    if len(nearest) < 8:
        return
    gaps = [abs(place - source) for place, source in nearest if place != source]
    for length in _common_divisors(gaps):
        if 16 <= length < e.size / 2:
            text = f"it holds the values of the first {length} elements again in every {length}"
            yield Claim("repeated", text, e.moved(e.want, e.places % length))
    for axis, many in enumerate(e.shape):
        firsts = [int(np.unravel_index(source, e.shape)[axis]) for _, source in nearest]
        for group in _common_divisors([at for at in firsts if at]):
            if 2 <= group < many:
                source = tuple(at - at % group if a == axis else at for a, at in enumerate(e.index))
                text = f"each {group} indices along axis {axis} hold the values of the first of them"
                yield Claim("repeated", text, e.moved(e.want, _flat(source, e.shape)))


def _common_divisors(numbers: list[int]) -> list[int]:
    """Return what most pairs of the numbers have as their greatest common divisor."""
    pairs = Counter(gcd(a, b) for a, b in pairwise(numbers))
    return [divisor for divisor, _ in pairs.most_common(3)]


def _shifted(e: Evidence) -> Iterator[Claim]:
    """Values that stand a fixed distance away from their place."""
    for distance in _distances(e):
        for axis, steps in _as_steps(distance, e.shape):
            if axis is None:
                source = e.places - distance
            else:
                source = _flat(
                    tuple(at - steps if a == axis else at for a, at in enumerate(e.index)), e.shape
                )
            share = e.moved(e.want, np.where(source < e.size, source, -1))
            inside = float(np.mean((source >= 0) & (source < e.size)))
            if share < _SHARE or inside < 0.5:
                continue
            many = abs(steps)
            way = "before" if steps > 0 else "after"
            along = f"along axis {axis}" if axis is not None else "in memory"
            text = f"it holds the value that belongs {many} element{'s' * (many > 1)} {way} it {along}"
            local = e.right.size >= 0.1 * e.places.size and many >= 8
            yield Claim("other_tile" if local else "shifted", text, share)
            return


def _distances(e: Evidence) -> list[int]:
    """Return how far written values stand from where they are expected, the commonest and then the least first."""
    votes = Counter(place - source for place, source in _found(e) if place != source)
    least = max(3, min(_ANCHORS, e.places.size) // 4)
    ranked = sorted(votes, key=lambda distance: (-votes[distance], abs(distance), distance))
    return [distance for distance in ranked[:3] if votes[distance] >= least]


def _found(e: Evidence) -> list[tuple[int, int]]:
    """Return some wrong elements, each with the places where its value is expected if these are few."""
    picked = _picked(e)
    start, (order, ranked) = e.window[0], e.ranked
    near = e.room(np.abs(e.g[picked]), e.places[picked])
    first = np.searchsorted(ranked, e.g[picked] - near)
    last = np.searchsorted(ranked, e.g[picked] + near, "right")
    return [
        (int(e.places[at]), start + int(source))
        for at, begin, end in zip(picked, first, last, strict=True)
        for source in order[begin : min(end, begin + _FEW)]
    ]


def _nearest(e: Evidence) -> list[tuple[int, int]]:
    """Return some wrong elements, each with the place where the value nearest to its own is expected."""
    picked = _picked(e)
    start, (order, ranked) = e.window[0], e.ranked
    after = np.clip(np.searchsorted(ranked, e.g[picked]), 1, ranked.size - 1)
    closer = np.abs(ranked[after - 1] - e.g[picked]) < np.abs(ranked[after] - e.g[picked])
    at = after - closer
    near = np.abs(ranked[at] - e.g[picked]) <= e.room(np.abs(e.g[picked]), e.places[picked])
    return [(int(e.places[p]), start + int(order[i])) for p, i in zip(picked[near], at[near], strict=True)]


def _picked(e: Evidence) -> Places:
    start, whole = e.window
    inside = (e.places >= start) & (e.places < start + whole.size)
    finite = np.flatnonzero(np.isfinite(e.g) & (e.g != 0) & inside)
    return finite[:: max(1, finite.size // _ANCHORS)]


def _as_steps(distance: int, shape: tuple[int, ...]) -> list[tuple[int | None, int]]:
    """Return a flat distance as steps along an axis, outermost first, and as it is."""
    found: list[tuple[int | None, int]] = []
    for axis, length in enumerate(shape):
        stride = prod(shape[axis + 1 :])
        if distance % stride == 0 and abs(distance // stride) < length:
            found.append((axis, distance // stride))
    return [*found, (None, distance)]


def _sources(e: Evidence) -> Iterator[Claim]:
    """Outputs whose elements are elements of the inputs: which one should be read, and which one was."""
    tables = [(k, t, t.whole) for k, t in enumerate(e.inputs) if t.shape and t.stored.size >= 8]
    found = {k: _find(np.concatenate([e.w, e.g]), whole) for k, _, whole in tables if whole is not None}
    should = {k: at[: e.w.size] for k, at in found.items()}
    was = {k: at[e.w.size :] for k, at in found.items()}
    for k, tensor, _ in tables:
        if k not in should or (should[k] >= 0).mean() < _SHARE or (was[k] >= 0).mean() < _SHARE:
            continue
        distance = was[k] - should[k]
        found, count = np.unique(distance, return_counts=True)
        step, share = int(found[count.argmax()]), float(count.max() / e.places.size)
        if step and share >= _SHARE:
            yield Claim("neighbour", f"it reads input {k} {_far(step, tensor)}", share)
    if len(should) < 2:
        return
    which_should = np.argmax([should[k] >= 0 for k in should], axis=0)
    which_was = np.argmax([was[k] >= 0 for k in should], axis=0)
    known = np.any([should[k] >= 0 for k in should], axis=0) & np.any([was[k] >= 0 for k in was], axis=0)
    if known.mean() >= _SHARE and len(set(which_should[known])) == 2:
        names = list(should)
        crossed = known & (which_should != which_was)
        if crossed.mean() >= 0.5:
            a, b = (names[i] for i in sorted(set(which_should[known])))
            text = f"elements of input {a} stand where those of input {b} belong, and the other way round"
            yield Claim("swapped_inputs", text, float(known.mean()))


def _far(step: int, tensor: Tensor) -> str:
    way = "further" if step > 0 else "back"
    row = tensor.shape[-1]
    if len(tensor.shape) > 1 and row > 1 and step % row == 0:
        return f"{abs(step) // row} row{'s' * (abs(step) != row)} (of {row} elements) {way} than it should"
    return f"{abs(step)} element{'s' * (abs(step) > 1)} {way} than it should"


def _find(values: Floats, table: Floats) -> Places:
    """Return where each value stands in a table; -1 where it does not, or in more than one place."""
    flat = table.reshape(-1)
    order = np.argsort(flat)
    ranked = flat[order]
    first = np.searchsorted(ranked, values, "left")
    last = np.searchsorted(ranked, values, "right")
    found = order[np.minimum(first, flat.size - 1)]
    return np.where(last - first == 1, found, -1)
