"""Wrong programs: modes of rounding, comparisons, places and bins."""

from typing import Any

import numpy as np

from tests.fairness.faults import fault
from tests.fairness.jumps import EDGES, as_int8, best_two, bins, in_order, one_hot, scale_of
from tests.fairness.programs import F32, fp16, single

Array = Any


def up(x: Array) -> Array:
    return np.floor(x + F32(0.5))


def away(x: Array) -> Array:
    return np.copysign(np.floor(np.abs(x) + F32(0.5)), x)


for _task in ("quantise32", "quantise16", "quantise_bf16", "half_quantise16"):
    for _mode in (np.trunc, np.floor, np.ceil):
        fault(_task, _mode.__name__, lambda x, m=_mode: as_int8(m(single(x) / scale_of(x))))
    fault(_task, "one too many", lambda x: as_int8(np.rint(single(x) / scale_of(x)) + 1))
    fault(_task, "128 steps", lambda x: as_int8(np.rint(single(x) / scale_of(x) * F32(128 / 127))))
    fault(_task, "one scale for all", lambda x: as_int8(np.rint(single(x) / scale_of(x).max())))
    fault(_task, "signs lost", lambda x: as_int8(np.rint(np.abs(single(x)) / scale_of(x))))
for _task in ("quantise32", "quantise16"):
    fault(_task, "scaled in float16", lambda x: as_int8(np.rint(fp16(x) * fp16(1 / scale_of(x)))))
for _mode in (np.trunc, np.floor):
    fault("fake_quantise32", _mode.__name__, lambda x, m=_mode: m(x / scale_of(x)) * scale_of(x))
    fault("ties32", _mode.__name__, lambda x, m=_mode: m(x / F32(0.3)))
fault("fake_quantise32", "not rounded", lambda x: x)
fault("ties32", "a wrong divisor", lambda x: np.rint(x / F32(0.301)))
for _mode in (up, away, np.trunc, np.floor):
    fault("halves32", _mode.__name__, lambda x, m=_mode: m(x / F32(2)).astype(np.int32))
fault("wrap32", "the dividend's sign", lambda x: np.fmod(x * F32(1.7), F32(0.9)))
fault("wrap32", "rounded to nearest", lambda x: x * F32(1.7) - np.rint(x * F32(1.7) / F32(0.9)) * F32(0.9))
fault("largest32", "the smallest", lambda x, w: in_order(x, w).argmin(-1))
fault("largest32", "one further", lambda x, w: in_order(x, w).argmax(-1) + 1)
fault("largest32", "the last row's for all", lambda x, w: np.full(len(x), in_order(x, w).argmax(-1)[-1]))
fault("largest32", "the first half alone", lambda x, w: in_order(x, w)[:, :100].argmax(-1))
fault("largest32", "one row in 16 wrong", lambda x, w: _shifted(in_order(x, w).argmax(-1)))
fault("experts16", "the worst two", lambda x, w: best_two(-in_order(x, w)))
fault("experts16", "in the other order", lambda x, w: best_two(in_order(x, w))[:, ::-1])
fault("experts16", "without the last quarter", lambda x, w: best_two(in_order(x[:, :48], w[:48])))
fault("gate32", "the other branch", lambda x, w: _gated(in_order(x, w), np.less))
fault("gate32", "never", lambda x, w: in_order(x, w))
fault("gate32", "from one half on", lambda x, w: _gated(in_order(x, w) - F32(0.5), np.greater) + F32(0.5))
fault("buckets32", "one further", lambda x: np.searchsorted(EDGES.numpy(), x * F32(1.3) + F32(0.1)) + 1)
fault("buckets32", "without the offset", lambda x: np.searchsorted(EDGES.numpy(), x * F32(1.3)))
fault("bins32", "the last bin empty", lambda x: np.append(bins(x)[:-1], F32(0)))
fault("bins32", "shifted by one", lambda x: np.roll(bins(x), 1))
fault("bins32", "of half the numbers", lambda x: bins(x[::2]))
fault("one_hot32", "of the largest", lambda x, w: one_hot(in_order(x, w).argmax(-1)))
fault("one_hot32", "all zeros", lambda x, w: np.zeros((len(x), 40), np.int64))


def _shifted(places: Array) -> Array:
    places = places.copy()
    places[::16] += 1
    return places


def _gated(scores: Array, compare: Any) -> Array:
    return np.where(compare(scores, 0), scores, scores - F32(3))
