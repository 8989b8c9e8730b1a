"""Wrong programs: norms."""

from typing import Any

import numpy as np

from tests.fairness import programs, sums
from tests.fairness.faults import fault, in_half, twice, zeroed
from tests.fairness.programs import (
    EPS,
    F32,
    fp16,
    layer_norm,
    rms_norm,
    single,
    two_passes,
)  # fmt: skip

Array = Any


def _norm(x: Array, w: Array, b: Array, **how: Any) -> Array:
    return layer_norm(single(x), single(w), single(b), **how)


for _task in ("layer_norm32", "layer_norm16"):
    fault(_task, "no weight", lambda x, w, b: _norm(x, single(w) * 0 + 1, b))
    fault(_task, "no bias", lambda x, w, b: _norm(x, w, single(b) * 0))
    fault(
        _task,
        "the mean is not subtracted",
        lambda x, w, b: _norm(x, w, b, moments=lambda x: (x[..., :1] * 0, two_passes(x)[1])),
    )
    fault(
        _task,
        "a mean square for the variance",
        lambda x, w, b: _norm(
            x + F32(3), w, b, moments=lambda x: (two_passes(x)[0], sums.tree(x * x)[..., None])
        ),
    )
    fault(_task, "no root", lambda x, w, b: _norm(x, w, b, rsqrt=lambda v: F32(1) / v))
    fault(
        _task,
        "not divided by the length",
        lambda x, w, b: _norm(
            x, w, b, moments=lambda x: (two_passes(x)[0], two_passes(x)[1] * F32(x.shape[-1]))
        ),
    )
    fault(
        _task,
        "a tail is missing in the variance",
        lambda x, w, b: _norm(x, w, b, moments=lambda x: (two_passes(x)[0], two_passes(x[..., :-64])[1])),
    )
    fault(_task, "weights off by one", lambda x, w, b: _norm(x, np.roll(w, 1), b))
    fault(
        _task,
        "statistics of another row",
        lambda x, w, b: _norm(x, w, b, moments=lambda x: tuple(np.roll(m, 1, 0) for m in two_passes(x))),
    )
    fault(
        _task,
        "along the other axis",
        lambda x, w, b: (
            (single(x) - single(x).mean(0)) / np.sqrt(single(x).var(0) + EPS) * single(w) + single(b)
        ),
    )
    fault(
        _task,
        "one block is twice in the mean",
        lambda x, w, b: _norm(x, w, b, moments=lambda x: (two_passes(twice(x))[0], two_passes(x)[1])),
    )
fault(
    "layer_norm32",
    "the biased variance",
    lambda x, w, b: layer_norm(
        x, w, b, moments=lambda x: (two_passes(x)[0], two_passes(x)[1] * F32(4096 / 4095))
    ),
)
fault(
    "layer_norm32",
    "an epsilon of 0.001",
    lambda x, w, b: layer_norm(x, w, b, rsqrt=lambda v: F32(1) / np.sqrt(v - EPS + F32(1e-3))),
)
fault(
    "layer_norm32",
    "computed in float16",
    lambda x, w, b: programs.layer_norm_in_float16(fp16(x), fp16(w), fp16(b)),
)
fault(
    "layer_norm32",
    "statistics in float16",
    lambda x, w, b: layer_norm(x, w, b, moments=lambda x: tuple(map(single, two_passes(fp16(x), sums.tree)))),
)
fault("rms_norm32", "no weight", lambda x, w: rms_norm(x, w * 0 + 1))
fault("rms_norm32", "the mean is subtracted", lambda x, w: rms_norm(x - x.mean(-1, keepdims=True), w))
fault("rms_norm32", "no epsilon", lambda x, w: x / np.sqrt(sums.tree(x * x) / F32(4096))[:, None] * w)
fault(
    "rms_norm32",
    "an epsilon of 1e-5",
    lambda x, w: x / np.sqrt(sums.tree(x * x) / F32(4096) + F32(1e-5))[:, None] * w,
)
fault(
    "rms_norm32",
    "the epsilon outside of the root",
    lambda x, w: x / (np.sqrt(sums.tree(x * x) / F32(4096)) + F32(1e-6))[:, None] * w,
)
fault(
    "rms_norm32",
    "a sum instead of a mean",
    lambda x, w: x / np.sqrt(sums.tree(x * x) + F32(1e-6))[:, None] * w,
)
fault(
    "rms_norm32",
    "the last 64 are missing",
    lambda x, w: x / np.sqrt(sums.tree(x[:, :-64] ** 2) / F32(4096) + F32(1e-6))[:, None] * w,
)
fault(
    "rms_norm32",
    "the reciprocal root in float16",
    lambda x, w: x * single(fp16(1 / np.sqrt(sums.tree(x * x) / F32(4096) + F32(1e-6))))[:, None] * w,
)
fault("rms_norm32", "weights off by one", lambda x, w: rms_norm(x, np.roll(w, 1)))
fault("normalize32", "not rooted", lambda x: x / np.maximum(sums.tree(x * x), F32(1e-12))[:, None])
fault(
    "normalize32", "by the sum of sizes", lambda x: x / np.maximum(sums.tree(np.abs(x)), F32(1e-12))[:, None]
)
fault("normalize32", "by the mean square", lambda x: x / np.sqrt(sums.tree(x * x) / F32(4096))[:, None])
fault("normalize32", "the last 64 are missing", lambda x: x / np.sqrt(sums.tree(x[:, :-64] ** 2))[:, None])
fault(
    "normalize32",
    "squares in float16",
    lambda x: x / np.sqrt(single(sums.tree(fp16(x / 8) ** 2)) * F32(64))[:, None],
)
fault("group_norm32", "two groups too few", lambda x, w, b: group_of(x, w, b, 2))
fault("group_norm32", "by channel", lambda x, w, b: group_of(x, w, b, 16))
fault("group_norm32", "no weight", lambda x, w, b: programs.group_norm(x, w * 0 + 1, b))
fault("group_norm32", "no bias", lambda x, w, b: programs.group_norm(x, w, b * 0))
fault(
    "group_norm32",
    "a channel's weight for its neighbour",
    lambda x, w, b: programs.group_norm(x, np.roll(w, 1), b),
)
fault(
    "group_norm32",
    "computed in float16",
    lambda x, w, b: programs.group_norm(in_half(x), in_half(w), in_half(b)),
)


def group_of(x: Array, w: Array, b: Array, groups: int) -> Array:
    mean, square = two_passes(x.reshape(len(x), groups, -1))
    y = (x.reshape(len(x), groups, -1) - mean) / np.sqrt(square / F32(x[0].size // groups) + EPS)
    return y.reshape(x.shape) * w[:, None] + b[:, None]


fault("cosine32", "one norm only", lambda x, y: sums.tree(x * y) / np.sqrt(sums.tree(x * x)))
fault("cosine32", "the last 64 are missing", lambda x, y: programs.cosine(zeroed(x, slice(-64, None)), y))
fault("cosine32", "not rooted", lambda x, y: sums.tree(x * y) / (sums.tree(x * x) * sums.tree(y * y)))
fault("cosine32", "inputs in float16", lambda x, y: programs.cosine(in_half(x), in_half(y)))
fault("cosine32", "with the next row", lambda x, y: programs.cosine(x, np.roll(y, 1, 0)))
