"""Wrong programs: scans, sums, means and variances."""

from typing import Any

import numpy as np

from tests.fairness import programs, sums
from tests.fairness.faults import fault, given, in_half, twice, zeroed
from tests.fairness.programs import (
    F32,
    fp16,
    single,
    two_passes,
)  # fmt: skip

Array = Any


given("cumsum32", "the first element is missing", lambda x: (zeroed(x, slice(1)),))
given("cumsum32", "inputs in float16", lambda x: (in_half(x),))
given("cumsum32", "one block twice", lambda x: (twice(x),))
given("cumsum16", "the first element is missing", lambda x: (zeroed(x, slice(1)),))
for _task in ("cumsum32", "cumsum16"):
    fault(_task, "exclusive", lambda x: programs.scan(x) - single(x))
    fault(_task, "from the other end", lambda x: programs.scan(x[..., ::-1])[..., ::-1])
    fault(_task, "no carry", lambda x: programs.scan(x.reshape(*x.shape[:-1], -1, 256)).reshape(x.shape))
    fault(
        _task,
        "no carry into the last block",
        lambda x: np.concatenate([programs.scan(x[..., :-256]), programs.scan(x[..., -256:])], -1),
    )
    fault(_task, "the last element not written over", lambda x: zeroed(programs.scan(x), slice(-1, None)))
    fault(_task, "along the other axis", lambda x: np.add.accumulate(single(x), axis=0))
fault(
    "cumsum32",
    "accumulated in float16",
    lambda x: single(np.add.accumulate(fp16(x), axis=-1, dtype=np.float16)),
)
fault("cumsum16", "in order in float16", lambda x: np.add.accumulate(x, axis=-1, dtype=np.float16))


for _task in ("sum32", "sum16", "sum_bf16"):
    given(_task, "the last element is missing", lambda x: (zeroed(x, slice(-1, None)),))
    given(_task, "one block twice", lambda x: (twice(x),))
given("sum32", "inputs in float16", lambda x: (in_half(x),))
fault("sum32", "accumulated in float16", lambda x: sums.tree(fp16(x)))
fault("sum32", "the wrong axis", lambda x: sums.in_order(x.T.copy())[: len(x)])
fault("sum16", "a mean", lambda x: sums.tree(x) / fp16(x.shape[-1]))
given(
    "mean_exp32",
    "a tail of 100 is missing",
    lambda x: (np.where(np.arange(x.shape[-1]) < x.shape[-1] - 100, x, -np.inf).astype(F32),),
)
fault("mean_exp32", "of one element less", lambda x: sums.tree(np.exp(x)) / F32(x.shape[-1] - 16))
fault(
    "mean_exp32",
    "accumulated in float16",
    lambda x: sums.in_order(fp16(np.exp(fp16(x)) / fp16(256))) / F32(256),
)
fault("mean_exp32", "exp2", lambda x: sums.tree(np.exp2(x)) / F32(x.shape[-1]))
fault("mean_exp32", "the exponential of the mean", lambda x: np.exp(sums.tree(x) / F32(x.shape[-1])))
given("dot32", "the last 64 are missing", lambda x, y: (zeroed(x, slice(-64, None)), y))
given("dot32", "one block twice", lambda x, y: (twice(x), y))
given("dot32", "inputs in float16", lambda x, y: (in_half(x), in_half(y)))
fault("dot32", "shifted by one", lambda x, y: sums.tree(x[1:] * y[:-1]))
fault("mse32", "not divided", lambda x, y: sums.tree(((x - y) ** 2).reshape(-1)))
fault("mse32", "of one row less", lambda x, y: sums.tree(((x - y) ** 2).reshape(-1)) / F32(x.size - 256))
fault("mse32", "not squared", lambda x, y: sums.tree(np.abs(x - y).reshape(-1)) / F32(x.size))
fault(
    "mse32", "the last row is missing", lambda x, y: sums.tree(((x - y)[:-1] ** 2).reshape(-1)) / F32(x.size)
)
fault(
    "mse32",
    "accumulated in float16",
    lambda x, y: sums.in_order(fp16((x - y) ** 2).reshape(-1)) / F32(x.size),
)
fault("variance32", "a mean square", lambda x: sums.tree(x * x) / F32(x.shape[-1] - 1))
fault(
    "variance32",
    "the last 256 are missing",
    lambda x: programs.welford(x[..., :-256], 256)[1][..., 0] / F32(x.shape[-1] - 1),
)
fault("variance32", "divided by 256 too few", lambda x: two_passes(x)[1][..., 0] / F32(x.shape[-1] - 256))
fault("variance32", "a deviation", lambda x: np.sqrt(two_passes(x)[1][..., 0] / F32(x.shape[-1] - 1)))
fault(
    "variance32",
    "the mean of 256 elements",
    lambda x: sums.tree((x - x[..., :256].mean(-1, keepdims=True)) ** 2) / F32(x.shape[-1] - 1),
)
fault(
    "variance32",
    "deviations from the first element",
    lambda x: sums.tree((x - x[..., :1]) ** 2) / F32(x.shape[-1] - 1),
)

fault(
    "cumprod32",
    "a block starts anew",
    lambda x: np.c_[np.cumprod(x[:, :256], -1), np.cumprod(x[:, 256:], -1)],
)
fault(
    "cumprod32",
    "without the number itself",
    lambda x: np.c_[np.ones((len(x), 1), F32), np.cumprod(x, -1)[:, :-1]],
)
fault("cumprod32", "larger factors mirrored at one", lambda x: np.cumprod(np.where(x < 1, x, 2 - x), -1))
fault("cumprod32", "of the last row for all", lambda x: np.broadcast_to(np.cumprod(x[-1]), x.shape))
