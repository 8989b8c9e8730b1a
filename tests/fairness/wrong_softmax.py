"""Wrong programs: softmax, losses and attention."""

from functools import partial
from typing import Any

import numpy as np

from tests.fairness import programs, sums
from tests.fairness.faults import fault, in_half, twice
from tests.fairness.programs import (
    F32,
    Program,
    attend,
    attend_online,
    bf16,
    cross_entropy,
    fp16,
    logsumexp,
    lower,
    single,
    softmax,
)  # fmt: skip

Array = Any


for _task in ("softmax32", "softmax16"):
    fault(_task, "along the other axis", lambda x: softmax(single(x).T.copy()).T)
    fault(_task, "not normalised", lambda x: np.exp(single(x) - single(x).max(-1, keepdims=True)))
    fault(_task, "exp2", partial(lambda x: softmax(single(x), exp=np.exp2)))
    fault(_task, "the last 64 are not in the sum", lambda x: softmax_sum(x, lambda e: e[..., :-64]))
    fault(
        _task, "one block is twice in the sum", lambda x: softmax_sum(x, lambda e: twice(e, slice(64, 128)))
    )
    fault(_task, "half of a temperature", lambda x: softmax(single(x) * F32(0.5)))
    fault(
        _task,
        "the maximum of the first half",
        lambda x: softmax_sum(x, lambda e: e, lambda x: x[..., : x.shape[-1] // 2]),
    )
    fault(
        _task,
        "the sum of another row",
        lambda x: softmax(single(x)) * np.roll(sums.tree(softmax_exp(x)), 1)[:, None],
    )
    fault(_task, "online without bringing the sum up to date", lambda x: online_stale(single(x)))
fault("softmax32", "no maximum is subtracted", lambda x: np.exp(x) / sums.tree(np.exp(x))[..., None])
fault("softmax32", "computed in float16", lambda x: programs.softmax_in_float16(fp16(x)))
fault(
    "softmax32",
    "float16 exponentials",
    lambda x: programs.softmax_of_half_exponentials(fp16(x - x.max(-1, keepdims=True))),
)


def softmax_exp(x: Array) -> Array:
    return np.exp(single(x) - single(x).max(-1, keepdims=True))


def softmax_sum(x: Array, among: Program, most: Program = lambda x: x) -> Array:
    e = np.exp(single(x) - most(single(x)).max(-1, keepdims=True))
    if most(x) is not x:
        e = np.minimum(e, F32(1))
    return e / sums.tree(among(e))[..., None]


def online_stale(x: Array) -> Array:
    """Add the blocks' sums although their maxima differ."""
    total = sum(sums.tree(np.exp(p - p.max(-1, keepdims=True))) for p in np.split(x, 4, -1))
    return np.exp(x - x.max(-1, keepdims=True)) / np.asarray(total)[..., None]


fault("logsumexp32", "no maximum is subtracted", lambda x: np.log(sums.tree(np.exp(x))))
fault("logsumexp32", "the maximum is not added", lambda x: logsumexp(x - x.max(-1, keepdims=True)))
fault("logsumexp32", "log2", lambda x: np.log2(sums.tree(softmax_exp(x))) + x.max(-1))
fault("logsumexp32", "the last half is missing", lambda x: logsumexp(x[:, : x.shape[1] // 2]))
fault("logsumexp32", "only the maximum", lambda x: x.max(-1))
fault("logsumexp32", "computed in float16", lambda x: logsumexp(fp16(x)))
fault("cross_entropy32", "not divided", lambda x, t: cross_entropy(x, t) * F32(len(x)))
fault("cross_entropy32", "the last row is missing", lambda x, t: cross_entropy(x[:-1], t[:-1]))
fault("cross_entropy32", "labels off by one", lambda x, t: cross_entropy(x, (t + 1) % x.shape[1]))
fault(
    "cross_entropy32",
    "no logarithm",
    lambda x, t: cross_entropy(x, t, lse=lambda x: sums.tree(softmax_exp(x)) + x.max(-1)),
)
fault(
    "cross_entropy32",
    "no maximum is subtracted",
    lambda x, t: cross_entropy(x, t, lse=lambda x: np.log(sums.tree(np.exp(x)))),
)
fault("cross_entropy32", "computed in float16", lambda x, t: cross_entropy(fp16(x), t))
fault("cross_entropy32", "of the wrong sign", lambda x, t: -cross_entropy(x, t))
fault(
    "cross_entropy32",
    "divided by one row less",
    lambda x, t: cross_entropy(x, t) * F32(len(x) / (len(x) - 1)),
)

for _task, _half in (("attention16", fp16), ("attention_bf16", bf16)):
    for _name, _attend in (("whole", attend), ("online", attend_online)):
        _at = partial(_attend, half=_half)
        fault(_task, f"no scale ({_name})", lambda q, k, v, f=_at: f(single(q) * F32(8), k, v))
        fault(_task, f"scale by the width ({_name})", lambda q, k, v, f=_at: f(single(q) / F32(8), k, v))
        fault(
            _task,
            f"the last block of keys is missing ({_name})",
            lambda q, k, v, f=_at: f(q, k[:-64], v[:-64]),
        )
        fault(
            _task,
            f"one block of keys twice ({_name})",
            lambda q, k, v, f=_at: f(q, np.concatenate([k, k[:64]]), np.concatenate([v, v[:64]])),
        )
        fault(_task, f"values off by one ({_name})", lambda q, k, v, f=_at: f(q, k, np.roll(v, 1, 0)))
        fault(_task, f"keys and values are exchanged ({_name})", lambda q, k, v, f=_at: f(q, v, k))
        fault(_task, f"the wrong query ({_name})", lambda q, k, v, f=_at: f(np.roll(q, 1, 0), k, v))
        fault(
            _task,
            f"causal ({_name})",
            lambda q, k, v, f=_at: f(q, k, v, mask=np.tril(np.ones((len(q), len(k)), bool))),
        )
    fault(_task, "not normalised", lambda q, k, v: attend(q, k, v) * F32(2))
for _name, _attend in (("whole", attend), ("online", partial(attend_online, length=32))):
    fault("attention32", f"no mask ({_name})", _attend)
    fault(
        "attention32",
        f"the mask lets one more pass ({_name})",
        lambda q, k, v, f=_attend: f(q, k, v, mask=lower(len(q), 1)),
    )
    fault(
        "attention32",
        f"the mask lets one less pass ({_name})",
        lambda q, k, v, f=_attend: f(q, k, v, mask=lower(len(q), -1) | np.eye(1, len(q), dtype=bool)),
    )
    fault(
        "attention32",
        f"inputs in float16 ({_name})",
        lambda q, k, v, f=_attend: f(in_half(q), in_half(k), in_half(v), mask=lower(len(q))),
    )
    fault(
        "attention32",
        f"half probabilities ({_name})",
        lambda q, k, v, f=_attend: f(q, k, v, half=fp16, mask=lower(len(q))),
    )
    fault(
        "attention32",
        f"no scale ({_name})",
        lambda q, k, v, f=_attend: f(q * F32(8), k, v, mask=lower(len(q))),
    )
fault(
    "attention32",
    "masked by zero",
    lambda q, k, v: softmax(np.where(lower(len(q)), q @ k.T / F32(8), F32(0))) @ v,
)
fault(
    "attention32",
    "masked after the softmax",
    lambda q, k, v: np.where(lower(len(q)), softmax(q @ k.T / F32(8)), F32(0)) @ v,
)
