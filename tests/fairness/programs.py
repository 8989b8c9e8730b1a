"""Sound programs, as kernels compute: by independent algorithms, in the task's precision.

Each takes the inputs as arrays and returns the output. Those of half-precision tasks keep results in half precision
where that is sound: probabilities, hidden layers, normalised values, sums by a tree. `half` rounds to the task's own
format.
"""

from collections import defaultdict
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from akgen.tools.core.dtypes import DType
from akgen.tools.judge import raw
from tests.fairness import sums

Array = Any
Program = Callable[..., Array]
PROGRAMS: dict[str, dict[str, Program]] = defaultdict(dict)
F32 = np.float32


def add(task: str, name: str, program: Program) -> None:
    PROGRAMS[task][name] = program


def single(x: Array) -> Array:
    return np.asarray(x, F32)


def fp16(x: Array) -> Array:
    return np.asarray(x, np.float16)


def bf16(x: Array) -> Array:
    return raw.as_float64(raw.encode(np.asarray(x), DType.BFLOAT16), DType.BFLOAT16).astype(F32)


# Scans


def scan(x: Array) -> Array:
    return np.add.accumulate(single(x), axis=-1, dtype=F32)


def product_by_blocks(x: Array, width: int = 64) -> Array:
    """Multiply along each row in blocks; what came before a block is multiplied in afterwards."""
    found, before = [], np.ones((len(x), 1), F32)
    for k in range(0, x.shape[-1], width):
        found.append(before * np.multiply.accumulate(x[:, k : k + width], -1, dtype=F32))
        before = found[-1][:, -1:]
    return np.concatenate(found, -1)


def scan_by_blocks(x: Array, length: int = 512) -> Array:
    """Scan each block, then add what the blocks before it sum up to."""
    parts = scan(single(x).reshape(*x.shape[:-1], -1, length))
    carry = scan(parts[..., -1])
    parts[..., 1:, :] += carry[..., :-1, None]
    return parts.reshape(x.shape)


def scan_by_doubling(x: Array) -> Array:
    """Hillis and Steele's scan, in the array's own dtype."""
    x, step = x.copy(), 1
    while step < x.shape[-1]:
        x[..., step:] = x[..., step:] + x[..., :-step]
        step *= 2
    return x


def scan_by_columns(x: Array, width: int = 64) -> Array:
    """Scan down the columns of a matrix, then along its rows' offsets."""
    table = single(x).reshape(*x.shape[:-1], width, -1)
    return scan_by_blocks(table.reshape(x.shape), table.shape[-1])


add("cumprod32", "in order", lambda x: np.multiply.accumulate(x, -1, dtype=F32))
add("cumprod32", "by blocks", lambda x: product_by_blocks(x))
add("cumsum32", "in order", scan)
add("cumsum32", "by blocks", scan_by_blocks)
add("cumsum32", "by doubling", scan_by_doubling)
add("cumsum32", "by columns", scan_by_columns)
add("cumsum16", "in order, float32 inside", scan)
add("cumsum16", "by blocks, float32 inside", partial(scan_by_blocks, length=128))
add("cumsum16", "by doubling in float16", scan_by_doubling)

# Sums

for _name in ("in_order", "reversed_order", "tree", "folded", "lanes", "blocks", "kahan"):
    _sum = getattr(sums, _name)
    add("sum32", _name, _sum)
for _name in ("in_order", "lanes", "kahan"):
    _sum = getattr(sums, _name)
    add("sum16", f"{_name}, float32 inside", lambda x, s=_sum: s(single(x)))
for _name in ("tree", "folded"):
    _sum = getattr(sums, _name)
    add("sum16", f"{_name} in float16", _sum)
add("sum_bf16", "in order, float32 inside", sums.in_order)
add("sum_bf16", "lanes, float32 inside", sums.lanes)
for _name in ("in_order", "tree", "blocks"):
    _sum = getattr(sums, _name)
    add("mean_exp32", _name, lambda x, s=_sum: s(np.exp(x)) / F32(x.shape[-1]))
for _name in ("in_order", "tree", "lanes"):
    _sum = getattr(sums, _name)
    add("dot32", _name, lambda x, y, s=_sum: s(x * y))
for _name in ("in_order", "folded"):
    _sum = getattr(sums, _name)
    add("mse32", _name, lambda x, y, s=_sum: s(((x - y) ** 2).reshape(-1)) / F32(x.size))


def two_passes(x: Array, add_up: Program = sums.folded) -> tuple[Array, Array]:
    """Return the mean, and the sum of the squared deviations, along the last axis, kept."""
    mean = (add_up(x) / F32(x.shape[-1]))[..., None]
    return mean, add_up((x - mean) ** 2)[..., None]


def welford(x: Array, width: int = 1) -> tuple[Array, Array]:
    """As `two_passes`, by Welford's updates in lanes that are merged in the end (Chan)."""
    x = np.moveaxis(x.reshape(*x.shape[:-1], -1, width), -2, 0)
    mean, square = np.zeros_like(x[0]), np.zeros_like(x[0])
    for i, value in enumerate(x):
        off = value - mean
        mean = mean + off / F32(i + 1)
        square = square + off * (value - mean)
    count = F32(len(x))
    while mean.shape[-1] > 1:
        off = mean[..., 1::2] - mean[..., ::2]
        square = square[..., ::2] + square[..., 1::2] + off * off * (count / F32(2))
        mean = mean[..., ::2] + off / F32(2)
        count = count * F32(2)
    return mean, square


def shifted(x: Array) -> tuple[Array, Array]:
    """As `two_passes`, in one: sums of the deviations from the first element, and of their squares."""
    n = F32(x.shape[-1])
    off = x - x[..., :1]
    first = (sums.folded(off) / n)[..., None]
    square = sums.folded(off * off)[..., None] - first * first * n
    return x[..., :1] + first, np.maximum(square, 0)


MOMENTS = {
    "two passes": two_passes,
    "two passes in order": partial(two_passes, add_up=sums.in_order),
    "Welford": welford,
    "Welford in lanes": partial(welford, width=64),
    "one shifted pass": shifted,
}
add("variance32", "two passes", lambda x: (two_passes(x)[1] / F32(x.shape[-1] - 1))[..., 0])
add(
    "variance32",
    "two passes in order",
    lambda x: (MOMENTS["two passes in order"](x)[1] / F32(x.shape[-1] - 1))[..., 0],
)
add("variance32", "Welford in lanes", lambda x: (welford(x, 256)[1] / F32(x.shape[-1] - 1))[..., 0])

# Softmax and what is made with it


def exp_by_exp2(x: Array) -> Array:
    return np.exp2(x * F32(1.4426950408889634))


def softmax(x: Array, exp: Program = np.exp, add_up: Program = sums.folded) -> Array:
    e = exp(x - x.max(-1, keepdims=True))
    return e / add_up(e)[..., None]


def online(x: Array, length: int = 64) -> tuple[Array, Array]:
    """Return the maximum and the sum of the exponentials, kept, block by block."""
    most = np.full((*x.shape[:-1], 1), -np.inf, x.dtype)
    total = np.zeros_like(most)
    for start in range(0, x.shape[-1], length):
        part = x[..., start : start + length]
        new = np.maximum(most, part.max(-1, keepdims=True))
        total = total * np.exp(most - new) + sums.folded(np.exp(part - new))[..., None]
        most = new
    return most, total


def softmax_online(x: Array, length: int = 64) -> Array:
    most, total = online(x, length)
    return np.exp(x - most) * (F32(1) / total)


def softmax_in_float16(x: Array) -> Array:
    e = np.exp(x - x.max(-1, keepdims=True))
    return e / sums.tree(e)[..., None]


def softmax_of_half_exponentials(x: Array) -> Array:
    e = np.exp(x - x.max(-1, keepdims=True))
    return single(e) / sums.folded(single(e))[..., None]


add("softmax32", "three passes", softmax)
add("softmax32", "sums in order", partial(softmax, add_up=sums.in_order))
add("softmax32", "exp by exp2", partial(softmax, exp=exp_by_exp2))
add("softmax32", "online", softmax_online)
add("softmax32", "online, one by one", partial(softmax_online, length=16))
add("softmax16", "float32 inside", lambda x: softmax(single(x)))
add("softmax16", "float16 throughout", softmax_in_float16)
add("softmax16", "float16 exponentials", softmax_of_half_exponentials)


def logsumexp(x: Array, add_up: Program = sums.folded) -> Array:
    most = x.max(-1, keepdims=True)
    return (np.log(add_up(np.exp(x - most)))[..., None] + most)[..., 0]


def logsumexp_online(x: Array) -> Array:
    most, total = online(x)
    return (most + np.log(total))[..., 0]


def cross_entropy(x: Array, target: Array, lse: Program = logsumexp) -> Array:
    picked = np.take_along_axis(x, target[:, None], 1)[:, 0]
    return sums.in_order(lse(x) - picked) / F32(len(x))


def cross_entropy_of_logarithms(x: Array, target: Array) -> Array:
    shifted_by = x - x.max(-1, keepdims=True)
    logarithms = shifted_by - np.log(sums.tree(np.exp(shifted_by)))[:, None]
    return -sums.tree(np.take_along_axis(logarithms, target[:, None], 1)[:, 0]) / F32(len(x))


add("logsumexp32", "two passes", logsumexp)
add("logsumexp32", "two passes in order", partial(logsumexp, add_up=sums.in_order))
add("logsumexp32", "online", logsumexp_online)
add("cross_entropy32", "two passes", cross_entropy)
add("cross_entropy32", "online", partial(cross_entropy, lse=logsumexp_online))
add("cross_entropy32", "log-softmax first", cross_entropy_of_logarithms)


def attend(q: Array, k: Array, v: Array, half: Program = single, mask: Array | None = None) -> Array:
    """Whole rows; `half` rounds the probabilities to what the next product of matrices reads."""
    q, k, v = single(q), single(k), single(v)
    scores = q @ k.T * F32(q.shape[-1] ** -0.5)
    scores = scores if mask is None else np.where(mask, scores, F32(-np.inf))
    return single(half(softmax(scores))) @ v


def attend_unnormalised(q: Array, k: Array, v: Array, half: Program) -> Array:
    """Round the exponentials, and divide by their sum in the end."""
    q, k, v = single(q), single(k), single(v)
    scores = q @ k.T * F32(q.shape[-1] ** -0.5)
    e = single(half(np.exp(scores - scores.max(-1, keepdims=True))))
    return e @ v / sums.folded(e)[..., None]


def attend_online(
    q: Array, k: Array, v: Array, half: Program = single, length: int = 64, mask: Array | None = None
) -> Array:
    """Flash attention: the maximum, the sum and the output are brought up to date with each block of keys."""
    q, k, v = single(q) * F32(q.shape[-1] ** -0.5), single(k), single(v)
    most = np.full((len(q), 1), -np.inf, F32)
    total, out = np.zeros_like(most), np.zeros((len(q), v.shape[1]), F32)
    for start in range(0, len(k), length):
        part = slice(start, start + length)
        scores = q @ k[part].T
        scores = scores if mask is None else np.where(mask[:, part], scores, F32(-np.inf))
        new = np.maximum(most, scores.max(-1, keepdims=True))
        e, fade = np.exp(scores - new), np.exp(most - new)
        total = total * fade + sums.folded(e)[..., None]
        out = out * fade + single(half(e)) @ v[part]
        most = new
    return out / total


def lower(n: int, above: int = 0) -> Array:
    return np.tril(np.ones((n, n), np.bool_), above)


for _task, _half in (("attention16", fp16), ("attention_bf16", bf16)):
    add(_task, "float32 inside", attend)
    add(_task, "half probabilities", partial(attend, half=_half))
    add(_task, "half exponentials", partial(attend_unnormalised, half=_half))
    add(_task, "online with half exponentials", partial(attend_online, half=_half))
add("attention32", "whole rows", lambda q, k, v: attend(q, k, v, mask=lower(len(q))))
add("attention32", "online", lambda q, k, v: attend_online(q, k, v, length=32, mask=lower(len(q))))

# Norms

EPS = F32(1e-5)


def rsqrt_by_newton(x: Array) -> Array:
    """Start from a few good bits, as the hardware's estimate has, and take three steps."""
    y = single(fp16(1 / np.sqrt(x / (s := F32(2.0) ** (2 * np.round(np.log2(x) / 2)))))) / np.sqrt(s)
    for _ in range(3):
        y = y * (F32(1.5) - F32(0.5) * x * y * y)
    return y


def layer_norm(
    x: Array, w: Array, b: Array, moments: Program = two_passes, rsqrt: Program | None = None
) -> Array:
    mean, square = moments(x)
    var = square / F32(x.shape[-1]) + EPS
    return (x - mean) * (F32(1) / np.sqrt(var) if rsqrt is None else rsqrt(var)) * w + b


def layer_norm_in_float16(x: Array, w: Array, b: Array) -> Array:
    """Statistics in float32, everything else in float16."""
    mean, square = two_passes(single(x))
    rstd = F32(1) / np.sqrt(square / F32(x.shape[-1]) + EPS)
    return (x - fp16(mean)) * fp16(rstd) * w + b


for _name, _moments in MOMENTS.items():
    add("layer_norm32", _name, partial(layer_norm, moments=_moments))
add("layer_norm32", "Newton's reciprocal root", partial(layer_norm, rsqrt=rsqrt_by_newton))
add("layer_norm16", "float32 inside", lambda x, w, b: layer_norm(single(x), single(w), single(b)))
add("layer_norm16", "float16 around the statistics", layer_norm_in_float16)


def rms_norm(x: Array, w: Array, add_up: Program = sums.folded, newton: bool = False) -> Array:
    mean = (add_up(x * x) / F32(x.shape[-1]))[..., None] + F32(1e-6)
    return x * rsqrt_by_newton(mean) * w if newton else x / np.sqrt(mean) * w


add("rms_norm32", "sums in order", partial(rms_norm, add_up=sums.in_order))
add("rms_norm32", "Newton's reciprocal root", partial(rms_norm, newton=True))
for _name in ("in_order", "tree"):
    _sum = getattr(sums, _name)
    add(
        "normalize32", _name,
        lambda x, s=_sum: x / np.maximum(np.sqrt(s(x * x)), F32(1e-12))[..., None],
    )  # fmt: skip


def group_norm(x: Array, w: Array, b: Array, moments: Program = two_passes) -> Array:
    mean, square = moments(x.reshape(len(x), 4, -1))
    y = (x.reshape(len(x), 4, -1) - mean) / np.sqrt(square / F32(x[0].size // 4) + EPS)
    return y.reshape(x.shape) * w[:, None] + b[:, None]


add("group_norm32", "two passes", group_norm)
add("group_norm32", "Welford", partial(group_norm, moments=partial(welford, width=16)))


def cosine(x: Array, y: Array, add_up: Program = sums.folded) -> Array:
    norms = (np.maximum(np.sqrt(add_up(v * v)), F32(1e-8)) for v in (x, y))
    return add_up(x * y) / (next(norms) * next(norms))


add("cosine32", "folded", cosine)
add("cosine32", "in order", partial(cosine, add_up=sums.in_order))

# Products of matrices


def multiply(a: Array, b: Array, parts: int = 1, half: Program = single, length: int | None = None) -> Array:
    """Multiply in `parts` along K, whose results are stored as `half` says; in order over tiles of `length`."""
    a, b = single(a), single(b)
    total = np.zeros((len(a), b.shape[1]), F32)
    for part in np.array_split(np.arange(a.shape[1]), parts):
        done = np.zeros_like(total)
        for start in range(0, len(part), length or len(part)):
            k = part[start : start + (length or len(part))]
            done += a[:, k] @ b[k]
        total = total + single(half(done))
    return total


for _task in ("matmul32", "matmul16"):
    add(_task, "at once", lambda a, b, c: multiply(a, b) + single(c))
    add(_task, "one by one", lambda a, b, c: multiply(a, b, length=1) + single(c))
add("matmul32", "tiles of 64", lambda a, b, c: multiply(a, b, length=64) + c)
add("matmul32", "K split in four", lambda a, b, c: multiply(a, b, parts=4) + c)
add(
    "matmul16",
    "K split in four float16 parts",
    lambda a, b, c: multiply(a, b, parts=4, half=fp16) + single(c),
)
add("mlp16", "float32 inside", lambda x, w1, w2: multiply(np.maximum(multiply(x, w1), 0), w2))
add("mlp16", "float16 hidden layer", lambda x, w1, w2: multiply(fp16(np.maximum(multiply(x, w1), 0)), w2))


def taps(x: Array, count: int = 5, padding: int = 2) -> Array:
    """Return the windows of a sequence: [batch, channel, tap, place]."""
    x = np.pad(x, [(0, 0), (0, 0), (padding, padding)])
    n = x.shape[-1] - count + 1
    return np.stack([x[..., t : t + n] for t in range(count)], 2)


def convolve(x: Array, w: Array, b: Array) -> Array:
    """One product of matrices over windows that were laid out."""
    windows = taps(x).reshape(len(x), -1, x.shape[-1])
    return np.stack([w.reshape(len(w), -1) @ v for v in windows]) + b[:, None]


def convolve_by_taps(x: Array, w: Array, b: Array) -> Array:
    """One product of matrices per tap, added to the bias in order."""
    windows = taps(x)
    total = np.broadcast_to(b[:, None], (len(x), len(w), x.shape[-1]))
    for t in range(w.shape[-1]):
        total = total + np.stack([w[..., t] @ v for v in windows[:, :, t]])
    return total


add("conv32", "windows", convolve)
add("conv32", "tap by tap", convolve_by_taps)
