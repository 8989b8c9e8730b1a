"""Describe where an output is wrong, so that a critic can guess the cause without seeing the values."""

from math import isqrt
from typing import Any, Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from akgen.tools.core.verdict import HeatMap, Pattern

Mask = npt.NDArray[np.bool_]
Part = Literal["tail", "row", "block_edge"]


class Described(NamedTuple):
    pattern: Pattern
    first_index: tuple[int, ...]
    note: str


class Stretch(NamedTuple):
    """A maximal run of wrong elements, in flat indices."""

    start: int
    length: int


def describe(
    *,
    wrong: Mask,
    stored: npt.NDArray[Any],
    shape: tuple[int, ...],
    poison: Mask | None,
    nan: Mask,
) -> Described:
    """Name the pattern of a non-empty mask of wrong elements (flat, row-major, of `shape`)."""
    places = np.flatnonzero(wrong)
    first = tuple(int(i) for i in np.unravel_index(int(places[0]), shape)) if shape else ()
    count = int(places.size)
    if poison is not None and np.count_nonzero(poison) * 2 >= count:
        where = _where(np.flatnonzero(poison), shape)
        return Described(
            "unwritten", first, f"{int(np.count_nonzero(poison))} elements were never written: {where}"
        )
    if np.count_nonzero(nan) * 2 > count:
        return Described("nan", first, _where(places, shape))
    if not np.any(stored):
        return Described("all_zero", first, "every element of the output is zero")
    if count >= 0.9 * wrong.size and wrong.size > 1:
        return Described("all", first, _where(places, shape))
    found = part(wrong, shape)
    return (
        Described(found[0], first, found[1])
        if found
        else Described("scattered", first, _where(places, shape))
    )


def part(wrong: Mask, shape: tuple[int, ...]) -> tuple[Part, str] | None:
    """Name the tail, rows or edges that a non-empty mask of wrong elements is, and say where; None if it is none."""
    places = np.flatnonzero(wrong)
    return _tail(places, wrong, shape) or _rows(wrong, shape) or _edges(places, wrong.size)


def _tail(places: npt.NDArray[np.int64], wrong: Mask, shape: tuple[int, ...]) -> tuple[Part, str] | None:
    """The end of the whole output, or the end of each row."""
    size = wrong.size
    first = int(places[0])
    if size - first <= size / 2 and places.size >= 0.5 * (size - first):
        return "tail", f"elements {first} to {size - 1} of {size}"
    columns = shape[-1] if shape else 1
    if len(shape) < 2 or columns < 2:
        return None
    by_column: Mask = np.asarray(wrong.reshape(-1, columns).any(axis=0))
    start = int(np.argmax(by_column))
    if start > 0 and columns - start <= columns / 2 and by_column[start:].mean() > 0.5:
        return "tail", f"columns {start} to {columns - 1} of rows of {columns}"
    return None


def _rows(wrong: Mask, shape: tuple[int, ...]) -> tuple[Part, str] | None:
    """Whole rows of the last axis while others are right."""
    columns = shape[-1] if shape else 1
    if len(shape) < 2 or columns < 2:
        return None
    by_row = wrong.reshape(-1, columns).mean(axis=1)
    touched = np.flatnonzero(by_row > 0)
    if touched.size < by_row.size and float(by_row[touched].mean()) > 0.8:
        listed = ", ".join(str(int(r)) for r in touched[:6]) + (", ..." if touched.size > 6 else "")
        return "row", f"{touched.size} of {by_row.size} rows: {listed}"
    return None


def _edges(places: npt.NDArray[np.int64], size: int) -> tuple[Part, str] | None:
    """Short runs at a regular distance: the edges of tiles or of cores' parts."""
    runs = _runs(places)
    if not 2 <= len(runs) <= size // 8 + 1:
        return None
    starts = np.array([r.start for r in runs])
    gaps = np.diff(starts)
    distance = int(np.gcd.reduce(gaps))
    longest = max(r.length for r in runs)
    if distance >= 16 and longest * 4 <= distance:
        return (
            "block_edge",
            f"runs of at most {longest} elements, {distance} apart, from element {runs[0].start}",
        )
    return None


def _runs(places: npt.NDArray[np.int64]) -> list[Stretch]:
    breaks = np.flatnonzero(np.diff(places) > 1)
    starts = np.concatenate(([0], breaks + 1))
    ends = np.concatenate((breaks, [places.size - 1]))
    return [
        Stretch(int(places[s]), int(places[e] - places[s] + 1)) for s, e in zip(starts, ends, strict=True)
    ]


def _where(places: npt.NDArray[np.int64], shape: tuple[int, ...]) -> str:
    runs = _runs(places)
    if len(runs) == 1:
        return f"elements {runs[0].start} to {runs[0].start + runs[0].length - 1}"
    if len(runs) <= 4:
        return ", ".join(f"{r.start} to {r.start + r.length - 1}" for r in runs)
    shown = f" of shape {list(shape)}" if shape else ""
    return f"{len(runs)} runs between elements {runs[0].start} and {int(places[-1])}{shown}"


ALIKE = 0.2  # how far shares of wrong elements along an axis may differ and count as the same
MOST_SPANS = 3


def by_axis(wrong: Mask, shape: tuple[int, ...]) -> str:
    """Say in words what a heat map of the wrong elements shows: which indices of each axis, and what share of them."""
    if len([n for n in shape if n > 1]) == 0 or wrong.all():
        return ""
    grid = wrong.reshape(shape)
    told = []
    for axis, length in enumerate(shape):
        if length == 1:
            continue
        share = grid.mean(axis=tuple(a for a in range(len(shape)) if a != axis))
        told.append(f"axis {axis}: {_along(share)}")
    return f"{wrong.mean():.0%} of all; " + "; ".join(told)


def _along(share: npt.NDArray[np.float64]) -> str:
    length = share.size
    hit = np.flatnonzero(share > 0)
    if hit.size == length and share.max() - share.min() <= ALIKE:
        return f"all {length} indices alike"
    worst = np.flatnonzero(share >= max(share.max() / 2, 1e-9))
    rest = np.delete(share, worst)
    runs = _runs(worst)
    starts = np.array([run.start for run in runs])
    gaps = np.diff(starts)
    if len(runs) > MOST_SPANS and np.unique(gaps).size == 1:
        span = f"{runs[0].length} of every {gaps[0]} indices from {starts[0]}"
    else:
        spans = [
            f"{r.start} to {r.start + r.length - 1}" if r.length > 1 else f"{r.start}"
            for r in runs[:MOST_SPANS]
        ]
        span = f"{'indices' if worst.size > 1 else 'index'} {', '.join(spans)}" + (
            ", ..." if len(runs) > MOST_SPANS else ""
        )
    others = "" if rest.size == 0 else f", the others {rest.mean():.0%}"
    return f"{span} of {length} {share[worst].mean():.0%}{others}"


HEAT_ROWS, HEAT_COLUMNS = 24, 64


def heat_map(wrong: Mask, shape: tuple[int, ...]) -> HeatMap | None:
    """Draw a mask of wrong elements; an output of one axis is folded into lines. None for an empty one."""
    if wrong.size == 0:
        return None
    columns = shape[-1] if len(shape) > 1 else max(1, isqrt(max(wrong.size - 1, 0) * 4) + 1)
    rows = -(-wrong.size // columns)
    down, across = (
        np.unique(np.linspace(0, n, min(n, most) + 1).astype(int))
        for n, most in ((rows, HEAT_ROWS), (columns, HEAT_COLUMNS))
    )
    padded = np.zeros(rows * columns, dtype=np.bool_)
    padded[: wrong.size] = wrong
    counts = np.add.reduceat(
        np.add.reduceat(padded.reshape(rows, columns), down[:-1], axis=0, dtype=np.int64), across[:-1], axis=1
    )
    share = counts / np.outer(np.diff(down), np.diff(across))
    cells = tuple("".join("." if v == 0 else str(min(9, int(v * 10))) for v in line) for line in share)
    return HeatMap(rows=rows, columns=columns, cells=cells)
