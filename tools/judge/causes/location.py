"""Where an output is wrong, if its values do not say why: a border, a core's part, one index, every n-th element."""

from collections.abc import Iterator
from itertools import combinations

import numpy as np

from akgen.tools.judge.causes.evidence import Claim, Evidence, Places

_MARGIN = 3  # indices from an end that still are its border
_ORDINALS = ("first", "second", "third", "fourth")


def claims(e: Evidence) -> Iterator[Claim]:
    found = np.flatnonzero(e.wrong)
    if found.size * 10 > e.size * 9 or found.size < 2:
        return
    yield from _border(e, found)
    yield from _part(e, found)
    yield from _index(e, found)
    yield from _lanes(e, found)


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
                if {a for a, _ in used} != set(axes) or one_row or not _covers(e, used, margin, found.size):
                    continue
                yield Claim("border", f"it is wrong at the border only: {_said(e, axes, used, margin)}")
                return


def _covers(e: Evidence, used: list[tuple[int, str]], margin: int, wrong: int) -> bool:
    """Say whether most of this border is wrong."""
    inside = 1.0
    for axis, length in enumerate(e.shape):
        inside *= 1 - margin * sum(a == axis for a, _ in used) / length
    return wrong >= 0.5 * (1 - inside) * e.size


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
    if found.size < 0.5 * length or length < 16 or not 2 <= parts <= 64:
        return
    if first % length == 0 and abs(parts * length - e.size) < length / 2:
        number = first // length
        said = "last" if number == parts - 1 else _ORDINALS[number] if number < 4 else f"number {number + 1}"
        text = f"it is wrong in elements {first} to {last} only: the {said} of {parts} parts of {length} elements"
        yield Claim("part", text)


def _index(e: Evidence, found: Places) -> Iterator[Claim]:
    """One index of an axis."""
    if len(e.shape) < 2:
        return
    for axis, at in enumerate(np.unravel_index(found, e.shape)):
        length = e.shape[axis]
        if length >= 4 and at.min() == at.max() and found.size >= 0.5 * e.size / length:
            text = f"it is wrong at index {int(at[0])} of {length} along axis {axis} only"
            yield Claim("one_index", text)


def _lanes(e: Evidence, found: Places) -> Iterator[Claim]:
    """Every n-th element."""
    for step in range(2, 65):
        rest = found % step
        if rest.min() == rest.max() and found.size >= 0.8 * e.size / step and found.size > 4:
            text = f"every {step}th element is wrong, from element {int(rest[0])}, and no other".replace(
                "2th", "2nd"
            )
            yield Claim("lanes", text)
            return
