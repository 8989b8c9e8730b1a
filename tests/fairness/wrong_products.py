"""Wrong programs: products of matrices and convolutions."""

from typing import Any

import numpy as np

from tests.fairness.faults import fault, given, in_half, twice, zeroed
from tests.fairness.programs import (
    F32,
    bf16,
    convolve,
    fp16,
    multiply,
    single,
    taps,
)  # fmt: skip

Array = Any


for _task in ("matmul32", "matmul16"):
    given(_task, "no bias", lambda a, b, c: (a, b, c * 0), "at once", "one by one")
    given(_task, "the last of K is missing", lambda a, b, c: (zeroed(a, slice(-1, None)), b, c))
    given(_task, "one block of K twice", lambda a, b, c: (twice(a, slice(64, 128)), b, c))
    given(_task, "columns off by one", lambda a, b, c: (a, np.roll(b, 1, 1), c), "at once")
    given(_task, "bias along the rows", lambda a, b, c: (a, b, np.roll(c, 1)), "at once")
    given(_task, "scaled", lambda a, b, c: (single(a) * F32(1.05), b, c), "at once")
given("matmul32", "inputs in float16", lambda a, b, c: (in_half(a), in_half(b), c))
given("matmul32", "inputs in bfloat16", lambda a, b, c: (bf16(a), bf16(b), c))
fault("matmul32", "parts of K in float16", lambda a, b, c: multiply(a, b, parts=4, half=fp16) + c)
fault("matmul32", "accumulated in float16", lambda a, b, c: single(in_float16(a, b)) + c)
given(
    "mlp16",
    "the second half of the hidden layer is missing",
    lambda x, w1, w2: (x, zeroed(w1, slice(256, None)), w2),
)
given("mlp16", "one hidden unit is missing", lambda x, w1, w2: (x, zeroed(w1, slice(7, 8)), w2))
given("mlp16", "weights off by one", lambda x, w1, w2: (x, np.roll(w1, 1, 1), w2))
fault("mlp16", "no activation", lambda x, w1, w2: multiply(multiply(x, w1), w2))
fault("mlp16", "the activation last", lambda x, w1, w2: np.maximum(multiply(multiply(x, w1), w2), 0))
fault(
    "mlp16",
    "a leaky activation",
    lambda x, w1, w2: multiply((h := multiply(x, w1)) * np.where(h > 0, F32(1), F32(0.05)), w2),
)


def in_float16(a: Array, b: Array) -> Array:
    total = np.zeros((len(a), b.shape[1]), np.float16)
    for k in range(a.shape[1]):
        total = total + fp16(a[:, k : k + 1]) * fp16(b[k : k + 1])
    return total


fault("conv32", "no bias", lambda x, w, b: convolve(x, w, b * 0))
fault("conv32", "taps in reverse", lambda x, w, b: convolve(x, w[..., ::-1].copy(), b))
fault("conv32", "a tap is missing", lambda x, w, b: convolve(x, zeroed(w, slice(-1, None)), b))
fault(
    "conv32",
    "a channel is missing",
    lambda x, w, b: convolve(np.concatenate([x[:, :-1], x[:, -1:] * 0], 1), w, b),
)
fault("conv32", "padding repeats the edge", lambda x, w, b: edge_padded(x, w, b))
fault("conv32", "shifted by one", lambda x, w, b: convolve(np.roll(x, 1, -1), w, b))
fault("conv32", "inputs in float16", lambda x, w, b: convolve(in_half(x), in_half(w), b))
fault("conv32", "the last place is not computed", lambda x, w, b: zeroed(convolve(x, w, b), slice(-1, None)))


def edge_padded(x: Array, w: Array, b: Array) -> Array:
    windows = taps(np.pad(x, [(0, 0), (0, 0), (2, 2)], mode="edge"), padding=0)
    return np.einsum("ock,bckn->bon", w, windows).astype(F32) + b[:, None]
