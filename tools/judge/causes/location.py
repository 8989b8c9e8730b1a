"""Where an output is wrong, if its values do not say why: a border, a core's part, one index, every n-th element."""

from collections.abc import Iterator
from itertools import combinations

import numpy as np

from akgen.tools.judge import pattern
from akgen.tools.judge.causes.evidence import Claim, Evidence, Places

_MARGIN = 3  # indices from an end that still are its border


def claims(e: Evidence) -> Iterator[Claim]:
    found = e.found
    if int(e.wrong.sum()) * 10 > e.size * 9 or found.size < 2:
        return
    yield from _border(e, found)
    yield from _part(e, found)
    yield from _index(e, found)
    yield from _lanes(e, found)
    part = pattern.part(e.wrong, e.shape)
    if part is not None:
        yield Claim(part[0], f"it is wrong in {part[1]} only")
    yield from _edges(e, found)


def _border(e: Evidence, found: Places) -> Iterator[Claim]:
    index = np.unravel_index(found, e.shape) if e.shape else ()
    wide = [a for a, n in enumerate(e.shape) if n > 4 * _MARGIN]
    for many in range(1, len(wide) + 1):
        for axes in combinations(wide, many):
            for margin in range(1, _MARGIN + 1):
                sides = [
                    (a, end, index[a] < margin if end == "first" else index[a] >= e.shape[a] - margin)
                    for a in axes
                    for end in ("first", "last")
                ]
                if not np.any([at for _, _, at in sides], axis=0).all():
                    continue
                used = [(a, end) for a, end, at in sides if at.mean() > 0.5 / len(sides)]
                one_row = len(e.shape) < 3 and len(used) < 2
                if {a for a, _ in used} != set(axes) or one_row or not _covers(e, used, margin):
                    continue
                yield Claim("border", f"it is wrong at the border only: {_said(e, axes, used, margin)}")
                return


def _covers(e: Evidence, used: list[tuple[int, str]], margin: int) -> bool:
    """Say whether most of this border is wrong."""
    inside = 1.0
    for axis, length in enumerate(e.shape):
        inside *= 1 - margin * sum(a == axis for a, _ in used) / length
    return int(e.wrong.sum()) >= 0.5 * (1 - inside) * e.size


def _said(e: Evidence, axes: tuple[int, ...], used: list[tuple[int, str]], margin: int) -> str:
    many = f"{margin} indices" if margin > 1 else "index"
    return " and ".join(
        f"the {' and '.join(end for a, end in used if a == axis)} {many} of axis {axis} (of {e.shape[axis]})"
        for axis in axes
    )


def _part(e: Evidence, found: Places) -> Iterator[Claim]:
    """A run that is one of equal parts, as the cores' are."""
    first, last = int(found[0]), int(found[-1])
    length = last - first + 1
    parts = round(e.size / length)
    if int(e.wrong.sum()) < 0.5 * length or length < 16 or not 2 <= parts <= 64:
        return
    if first % length == 0 and abs(parts * length - e.size) < length / 2:
        number = first // length
        said = {0: "first", parts - 1: "last"}.get(number, ordinal(number + 1))
        text = f"it is wrong in elements {first} to {last} only: the {said} of {parts} parts of {length} elements"
        yield Claim("part", text)


def _index(e: Evidence, found: Places) -> Iterator[Claim]:
    """One index of an axis."""
    if len(e.shape) < 2:
        return
    for axis, at in enumerate(np.unravel_index(found, e.shape)):
        length = e.shape[axis]
        if length >= 4 and at.min() == at.max() and int(e.wrong.sum()) >= 0.5 * e.size / length:
            text = f"it is wrong at index {int(at[0])} of {length} along axis {axis} only"
            yield Claim("one_index", text)


def _lanes(e: Evidence, found: Places) -> Iterator[Claim]:
    """Every n-th element."""
    for step in range(2, 65):
        rest = found % step
        if rest.min() == rest.max() and int(e.wrong.sum()) >= 0.8 * e.size / step and found.size > 4:
            text = f"every {ordinal(step)} element is wrong, from element {int(rest[0])}, and no other"
            yield Claim("lanes", text)
            return


def _edges(e: Evidence, found: Places) -> Iterator[Claim]:
    """The same number of elements at the end of every tile or part; the last of these may be shorter."""
    if found.size != int(e.wrong.sum()):
        return
    breaks = np.flatnonzero(np.diff(found) > 1)
    starts, ends = np.append(found[0], found[breaks + 1]), np.append(found[breaks], found[-1]) + 1
    if not 3 <= starts.size <= e.size // 16:
        return
    distance = int(np.gcd.reduce(np.diff(ends[:-1])))
    longest = int((ends - starts).max())
    if (
        distance >= 16
        and not np.any(ends[:-1] % distance)
        and 2 * longest <= distance
        and ends[-1] >= e.size - 1
    ):
        text = f"it is wrong in the last {longest} elements of every {distance}"
        yield Claim("block_edge", text)


def ordinal(number: int) -> str:
    teens = 10 < number % 100 < 14
    return f"{number}{'th' if teens else {1: 'st', 2: 'nd', 3: 'rd'}.get(number % 10, 'th')}"
