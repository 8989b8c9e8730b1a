"""Tasks in which equal numbers leave places open, and sound programs that choose in other ways than PyTorch."""

from typing import Any

import numpy as np
import torch

from tests.fairness.programs import add, single
from tests.fairness.tasks import BF16, F16, TASKS, FairTask, numbers

Array = Any
INT64 = torch.int64
MOST = 8  # places of a row


def few(*shape: int) -> Any:
    """Return a draw of numbers that come many times."""
    return lambda: [torch.randint(-4, 5, shape).float()]


for _task in (
    FairTask("most_of_few32", torch.float32, lambda x: x.topk(MOST).indices, few(32, 100), INT64, own_values=True),
    FairTask("most16", F16, lambda x: x.topk(MOST).indices, lambda: [numbers(16, 8192)], INT64, own_values=True),
    FairTask("most_in_any_order16", F16, lambda x: x.topk(MOST, sorted=False).indices, lambda: [numbers(16, 8192)],
             INT64, own_values=True),
    FairTask("order_bf16", BF16, lambda x: x.argsort(dim=0), lambda: [numbers(500, 12)], INT64, own_values=True),
    FairTask("order_of_few32", torch.float32, lambda x: x.sort(descending=True)[1].int(), few(16, 77), torch.int32,
             own_values=True),
    FairTask("median_of_few32", torch.float32, lambda x: x.median(-1).indices, few(64, 33), INT64, own_values=True),
    FairTask("largest_so_far32", torch.float32, lambda x: x.cummax(-1).indices, few(16, 64), INT64, own_values=True),
    FairTask("experts_in_half16", F16, lambda x, w: torch.softmax(x @ w, -1).topk(4).indices,
             lambda: [numbers(256, 64), numbers(64, 64, scale=0.05)], INT64, own_values=True),
):  # fmt: skip
    TASKS[_task.name] = _task


def first(keys: Array) -> Array:
    """Order a row by its keys, equal ones as they stand."""
    return np.argsort(keys, -1, kind="stable")


def last(keys: Array) -> Array:
    """Order a row by its keys, equal ones from the end on."""
    return keys.shape[-1] - 1 - np.argsort(keys[..., ::-1], -1, kind="stable")


def drawn(keys: Array) -> Array:
    """Order a row by its keys, equal ones in no order."""
    mixed = np.random.default_rng(1).permutation(keys.shape[-1])
    return mixed[np.argsort(keys[..., mixed], -1, kind="stable")]


def scores(x: Array, w: Array) -> Array:
    """Multiply in float32 and round to float16, as a cube and its copy out do."""
    return np.float16(single(x) @ single(w))


def middle(order: Any) -> Any:
    return lambda x: order(x)[:, (x.shape[-1] - 1) // 2]


def so_far(x: Array, *, strictly: bool) -> Array:
    """Walk along each row; an equal number replaces the place of the largest, or does not."""
    found = np.zeros(x.shape, np.int64)
    for r, row in enumerate(x):
        best = 0
        for k, value in enumerate(row):
            if value > row[best] or (not strictly and value == row[best]):
                best = k
            found[r, k] = best
    return found


for _order in (first, last, drawn):
    _name = _order.__name__
    for _most in ("most_of_few32", "most16", "most_in_any_order16"):
        add(_most, _name, lambda x, o=_order: o(-x)[:, :MOST])
    add("order_bf16", _name, lambda x, o=_order: o(x.T).T)
    add("order_of_few32", _name, lambda x, o=_order: o(-x).astype(np.int32))
    add("median_of_few32", _name, middle(_order))
    add("experts_in_half16", _name, lambda x, w, o=_order: o(-scores(x, w))[:, :4])
add("most_in_any_order16", "the smallest of them first", lambda x: first(-x)[:, :MOST][:, ::-1])
add("most_in_any_order16", "by their places", lambda x: np.sort(last(-x)[:, :MOST]))
add("largest_so_far32", "the first", lambda x: so_far(x, strictly=True))
add("largest_so_far32", "the last", lambda x: so_far(x, strictly=False))
