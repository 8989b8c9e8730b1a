"""Tasks with jumps (rounding, comparisons, places, bins) and sound programs for them.

Some inputs of `ties32` are made to lie beside ties; `halves32` has exact ties, which have one right answer.
"""

from typing import Any

import numpy as np
import torch

from tests.fairness.programs import F32, add, single
from tests.fairness.tasks import BF16, F16, TASKS, FairTask, functional, numbers

Array = Any
INT8 = torch.int8
LOW, HIGH, BINS = -2.0, 2.0, 24
EDGES = torch.linspace(-2, 2, 13)


def quantise(x: torch.Tensor) -> torch.Tensor:
    scale = x.abs().amax(-1, keepdim=True) / 127
    return torch.round(x / scale).clamp(-128, 127).to(INT8)


def fake_quantise(x: torch.Tensor) -> torch.Tensor:
    scale = x.abs().amax(-1, keepdim=True) / 127
    return torch.round(x / scale) * scale


def beside_ties() -> list[torch.Tensor]:
    """Return numbers whose tenfold third lies beside a tie, and others."""
    near = (torch.randint(-40, 40, (64,)) + 0.5) * 0.3
    return [torch.cat([near, numbers(4032, scale=10.0)]).reshape(8, 512)]


def _rows(*shape: int, scale: float = 1.0) -> Any:
    return lambda: [numbers(*shape, scale=scale)]


for _task in (
    FairTask("quantise32", torch.float32, quantise, _rows(64, 512), INT8),
    FairTask("quantise16", F16, lambda x: quantise(x.float()), _rows(64, 512), INT8),
    FairTask("quantise_bf16", BF16, lambda x: quantise(x.float()), _rows(64, 512), INT8),
    FairTask("half_quantise16", F16, quantise, _rows(64, 512), INT8),
    FairTask("fake_quantise32", torch.float32, fake_quantise, _rows(64, 512)),
    FairTask("ties32", torch.float32, lambda x: torch.round(x / 0.3), beside_ties),
    FairTask("halves32", torch.float32, lambda x: torch.round(x / 2).to(torch.int32),
             lambda: [torch.randint(-99, 99, (32, 64)).float()], torch.int32, own_values=True),
    FairTask("wrap32", torch.float32, lambda x: torch.remainder(x * 1.7, 0.9), _rows(32, 128),
             own_values=True),
    FairTask("largest32", torch.float32, lambda x, w: (x @ w).argmax(-1),
             lambda: [numbers(128, 64), numbers(64, 200)], torch.int64, own_values=True),
    FairTask("experts16", F16, lambda x, w: torch.softmax((x @ w).float(), -1).topk(2).indices,
             lambda: [numbers(256, 64), numbers(64, 16, scale=0.2)], torch.int64, own_values=True),
    FairTask("gate32", torch.float32, lambda x, w: torch.where(x @ w > 0, x @ w, x @ w - 3),
             lambda: [numbers(64, 96), numbers(96, 128)], own_values=True),
    FairTask("buckets32", torch.float32, lambda x: torch.bucketize(x * 1.3 + 0.1, EDGES.to(x.dtype)), _rows(64, 64),
             torch.int64),
    FairTask("bins32", torch.float32, lambda x: torch.histc(x, BINS, LOW, HIGH), _rows(4096), own_values=True),
    FairTask("one_hot32", torch.float32, lambda x, w: functional.one_hot((x @ w).argmin(-1), 40),
             lambda: [numbers(64, 64), numbers(64, 40)], torch.int64, own_values=True),
):  # fmt: skip
    TASKS[_task.name] = _task


def scale_of(x: Array) -> Array:
    return np.abs(single(x)).max(-1, keepdims=True) / F32(127)


def as_int8(x: Array) -> Array:
    return np.clip(np.nan_to_num(x), -128, 127).astype(np.int8)


def by_division(x: Array) -> Array:
    return np.rint(single(x) / scale_of(x))


def by_reciprocal(x: Array) -> Array:
    return np.rint(single(x) * (F32(1) / scale_of(x)))


def multiplied_first(x: Array) -> Array:
    return np.rint(single(x) * F32(127) / np.abs(single(x)).max(-1, keepdims=True))


for _name in ("quantise32", "quantise16", "quantise_bf16", "half_quantise16"):
    for _program in (by_division, by_reciprocal, multiplied_first):
        add(_name, _program.__name__, lambda x, p=_program: as_int8(p(x)))
for _program in (by_division, by_reciprocal):
    add("fake_quantise32", _program.__name__, lambda x, p=_program: np.nan_to_num(p(x) * scale_of(x)))


def in_half(x: Array) -> Array:
    """Quantise in float16 throughout, the scale's reciprocal too."""
    largest = np.abs(x).max(-1, keepdims=True)
    return as_int8(np.rint(x * (np.float16(127) / largest)))


def halves(x: Array) -> Array:
    return np.rint(x * F32(0.5)).astype(np.int32)


add("ties32", "divided", lambda x: np.rint(x / F32(0.3)))
add("ties32", "times the reciprocal", lambda x: np.rint(x * F32(1 / 0.3)))
add("ties32", "tenfold, then divided", lambda x: np.rint(x * F32(10) / F32(3)))
add("halves32", "times a half", halves)
add("halves32", "by the magic number", lambda x: (x / F32(2) + F32(3 << 22) - F32(3 << 22)).astype(np.int32))


def wrapped(x: Array) -> Array:
    y = x * F32(1.7)
    return y - np.floor(y / F32(0.9)) * F32(0.9)


def by_blocks(x: Array, w: Array, width: int = 16) -> Array:
    """Multiply matrices in float32, by blocks along the length."""
    parts = (single(x)[:, k : k + width] @ single(w)[k : k + width] for k in range(0, w.shape[0], width))
    return sum(parts, np.zeros((), F32))


def in_order(x: Array, w: Array) -> Array:
    total = np.zeros((x.shape[0], w.shape[1]), F32)
    for k in range(w.shape[0]):
        total += single(x)[:, k, None] * single(w)[k]
    return total


def best_two(scores: Array) -> Array:
    return np.argsort(-scores, -1, kind="stable")[:, :2]


def one_hot(places: Array, width: int = 40) -> Array:
    return np.eye(width, dtype=np.int64)[places]


def bins(x: Array) -> Array:
    place = np.floor((x - F32(LOW)) * F32(BINS / (HIGH - LOW)))
    place = np.where(x == HIGH, BINS - 1, place)
    return np.bincount(place[(x >= LOW) & (x <= HIGH)].astype(int), minlength=BINS).astype(F32)


add("wrap32", "by the quotient's floor", wrapped)
for _multiply in (by_blocks, in_order):
    add("largest32", _multiply.__name__, lambda x, w, m=_multiply: m(x, w).argmax(-1))
    add("experts16", _multiply.__name__, lambda x, w, m=_multiply: best_two(m(x, w)))
    add("one_hot32", _multiply.__name__, lambda x, w, m=_multiply: one_hot(m(x, w).argmin(-1)))
    add(
        "gate32",
        _multiply.__name__,
        lambda x, w, m=_multiply: np.where(m(x, w) > 0, m(x, w), m(x, w) - F32(3)),
    )
add("experts16", "scores in float16", lambda x, w: best_two(np.float16(in_order(x, w))))
add("buckets32", "in float32", lambda x: np.searchsorted(EDGES.numpy(), x * F32(1.3) + F32(0.1)))
add("buckets32", "fused", lambda x: np.searchsorted(EDGES.numpy(), np.float64(x) * F32(1.3) + F32(0.1)))
add("bins32", "scaled", bins)
