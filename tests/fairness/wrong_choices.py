"""Wrong programs: places that are none of those that equal numbers leave open."""

from typing import Any

import numpy as np

from tests.fairness.choices import MOST, drawn, first, last, middle, scores, so_far
from tests.fairness.faults import fault

Array = Any


def with_one(places: Array, row: int, place: int, value: int) -> Array:
    places = places.copy()
    places[row, place] = value
    return places


def twice(places: Array) -> Array:
    """Take the last place of one row for the one before it too."""
    return with_one(places, 3, -2, places[3, -1])


for _task in ("most_of_few32", "most16", "most_in_any_order16"):
    fault(_task, "the smallest", lambda x: first(x)[:, :MOST])
    fault(_task, "one too late", lambda x: first(-x)[:, 1 : MOST + 1])
    fault(_task, "one place twice", lambda x: twice(last(-x)[:, :MOST]))
    fault(
        _task, "one place of a smaller number", lambda x: with_one(drawn(-x)[:, :MOST], 5, 0, x[5].argmin())
    )
    fault(_task, "a place outside", lambda x: with_one(first(-x)[:, :MOST], 0, 2, x.shape[1]))
    fault(_task, "a place before all", lambda x: with_one(first(-x)[:, :MOST], 0, 2, -1))
    fault(_task, "without the last quarter", lambda x: first(-x[:, : x.shape[1] * 3 // 4])[:, :MOST])
    fault(_task, "the largest alone", lambda x: np.repeat(first(-x)[:, :1], MOST, 1))
for _task in ("most_of_few32", "most16"):
    fault(_task, "the smallest of them first", lambda x: first(-x)[:, :MOST][:, ::-1])
fault("order_bf16", "along rows", lambda x: first(x))
fault("order_bf16", "from the largest on", lambda x: first(-x.T).T)
fault(
    "order_bf16",
    "two neighbours swapped",
    lambda x: np.r_[first(x.T).T[:9], first(x.T).T[[10, 9]], first(x.T).T[11:]],
)
fault("order_of_few32", "from the smallest on", lambda x: first(x).astype(np.int32))
fault(
    "order_of_few32",
    "as they stand",
    lambda x: np.broadcast_to(np.arange(x.shape[1], dtype=np.int32), x.shape),
)
fault("order_of_few32", "one place twice", lambda x: twice(drawn(-x)).astype(np.int32))
fault("median_of_few32", "the next larger", lambda x: first(x)[:, 24])
fault("median_of_few32", "in the middle of the row", lambda x: np.full(len(x), 16))
fault(
    "median_of_few32",
    "in one row the largest",
    lambda x: with_one(middle(last)(x)[:, None], 7, 0, x[7].argmax())[:, 0],
)
fault("largest_so_far32", "of the whole row", lambda x: np.repeat(x.argmax(-1)[:, None], x.shape[1], 1))
fault("largest_so_far32", "the next equal one to come", lambda x: _ahead(x))
fault("largest_so_far32", "the smallest", lambda x: so_far(-x, strictly=True))
fault("experts_in_half16", "the worst", lambda x, w: first(scores(x, w))[:, :4])
fault("experts_in_half16", "one too late", lambda x, w: first(-scores(x, w))[:, 1:5])
fault("experts_in_half16", "one expert twice", lambda x, w: twice(first(-scores(x, w))[:, :4]))
fault("experts_in_half16", "a row in 16 one too late", lambda x, w: _sixteenth(first(-scores(x, w))))


def _ahead(x: Array) -> Array:
    """Take the last place of the largest number so far that the row has, also where it comes later."""
    largest = np.maximum.accumulate(x, -1)
    return x.shape[1] - 1 - (x[:, None, ::-1] == largest[:, :, None]).argmax(-1)


def _sixteenth(order: Array) -> Array:
    found = order[:, :4].copy()
    found[::16] = order[::16, 2:6]
    return found
