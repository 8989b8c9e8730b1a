"""Deliberate mistakes in the numbers of typical kernels, each with the cause that a person would name.

A mistake makes one trial: what went in, what the reference expects, what the mistaken kernel wrote. `causes` are the
names that count as right (several where each is true of it), `says` what the sentence must contain. The forty here were
used while the detectors were written; the twenty in `mistakes_held_out.py` were not looked at.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

Rng = np.random.Generator


@dataclass(frozen=True)
class Made:
    """One trial of a mistaken kernel; `before` is the expected first output of the trial before."""

    inputs: list[Any]
    wants: list[Any]
    gots: list[Any]
    before: Any = field(default=None)


class Mistake(NamedTuple):
    name: str
    causes: tuple[str, ...]
    says: tuple[str, ...]
    make: Callable[[Rng], Made]


MISTAKES: list[Mistake] = []


def mistake(
    *causes: str, says: tuple[str, ...] = (), into: list[Mistake] = MISTAKES
) -> Callable[[Callable[[Rng], Made]], Callable[[Rng], Made]]:
    def enter(make: Callable[[Rng], Made]) -> Callable[[Rng], Made]:
        into.append(Mistake(make.__name__, causes, says, make))
        return make

    return enter


def normal(rng: Rng, *shape: int, dtype: Any = np.float32) -> Any:
    return rng.standard_normal(shape).astype(dtype)


def wide(x: Any) -> Any:
    return x.astype(np.float64)


def one(inputs: list[Any], want: Any, got: Any, dtype: Any = np.float32, before: Any = None) -> Made:
    with np.errstate(all="ignore"):
        return Made(inputs, [want], [np.asarray(got).astype(dtype)], before)


def softmax(x: Any, axis: int = -1) -> Any:
    e = np.exp(x - x.max(axis=axis, keepdims=True))
    return e / e.sum(axis=axis, keepdims=True)


def centred(x: Any, eps: float = 1e-5, ddof: int = 0) -> Any:
    return (x - x.mean(-1, keepdims=True)) / np.sqrt(x.var(-1, keepdims=True, ddof=ddof) + eps)


def windows(x: Any, size: int) -> Any:
    """Return the square windows of the last two axes, flattened behind them."""
    seen = np.lib.stride_tricks.sliding_window_view(x, (size, size), axis=(-2, -1))
    return seen.reshape(*seen.shape[:-2], size * size)


def padded(x: Any, value: float) -> Any:
    return np.pad(x, [(0, 0)] * (x.ndim - 2) + [(1, 1), (1, 1)], constant_values=value)


@mistake("overflow")
def softmax_without_the_maximum(rng: Rng) -> Made:
    x = normal(rng, 64, 200) * (30 * rng.random((64, 1)) + 5).astype(np.float32)
    with np.errstate(all="ignore"):
        e = np.exp(x)
        return one([x], softmax(wide(x)), e / e.sum(-1, keepdims=True))


@mistake("axis", says=("axis 0", "axis 1"))
def softmax_over_the_other_axis(rng: Rng) -> Made:
    x = normal(rng, 96, 128)
    return one([x], softmax(wide(x)), softmax(wide(x), 0))


@mistake("missing_term", says=("input 2", "axis 1"))
def layer_norm_without_its_bias(rng: Rng) -> Made:
    x, g, b = normal(rng, 48, 160), 1 + 0.3 * normal(rng, 160), normal(rng, 160)
    return one([x, g, b], centred(wide(x)) * g + b, centred(wide(x)) * g)


@mistake("missing_factor", says=("input 1", "axis 1"))
def layer_norm_without_its_weight(rng: Rng) -> Made:
    x, g, b = normal(rng, 48, 160), 1 + 0.3 * normal(rng, 160), normal(rng, 160)
    return one([x, g, b], centred(wide(x)) * g + b, centred(wide(x)) + b)


@mistake("divisor", says=("n - 1",))
def layer_norm_with_the_sample_variance(rng: Rng) -> Made:
    x = normal(rng, 300, 40)
    return one([x], centred(wide(x)), centred(wide(x), ddof=1))


@mistake("mean_for_sum", "sum_for_mean", says=("256",))
def rms_norm_with_a_sum_for_the_mean(rng: Rng) -> Made:
    x = wide(normal(rng, 32, 256))
    return one(
        [x.astype(np.float32)],
        x / np.sqrt((x * x).mean(-1, keepdims=True) + 1e-6),
        x / np.sqrt((x * x).sum(-1, keepdims=True) + 1e-6),
    )


@mistake("missing_eps", says=("input 0",))
def rms_norm_without_eps(rng: Rng) -> Made:
    x = wide(normal(rng, 64, 96) * (10.0 ** rng.uniform(-3, 0, (64, 1))).astype(np.float32))
    mean = (x * x).mean(-1, keepdims=True)
    return one([x.astype(np.float32)], x / np.sqrt(mean + 1e-5), x / np.sqrt(mean))


@mistake("mean_for_sum", says=("512",))
def row_mean_for_the_row_sum(rng: Rng) -> Made:
    x = normal(rng, 100, 512)
    return one([x], wide(x).sum(-1), wide(x).mean(-1))


@mistake("fill", says=("0",))
def column_maximum_that_begins_at_zero(rng: Rng) -> Made:
    x = normal(rng, 12, 400) - 1.5
    return one([x], wide(x).max(0), np.maximum(wide(x).max(0), 0))


@mistake("fill", says=("0",))
def max_pool_padded_with_zero(rng: Rng) -> Made:
    x = normal(rng, 2, 4, 24, 24) - 1
    want = windows(padded(wide(x), -np.inf), 3).max(-1)
    return one([x], want, windows(padded(wide(x), 0), 3).max(-1))


@mistake("border", says=("axis 2", "axis 3"))
def average_pool_that_counts_the_padding(rng: Rng) -> Made:
    x = normal(rng, 2, 4, 20, 28)
    total = windows(padded(wide(x), 0), 3).sum(-1)
    count = windows(padded(np.ones(x.shape), 0), 3).sum(-1)
    return one([x], total / count, total / 9)


@mistake("border", says=("axis 2",))
def conv_that_repeats_the_edge_row(rng: Rng) -> Made:
    x, w = normal(rng, 2, 3, 20, 24), wide(normal(rng, 9))
    want = windows(padded(wide(x), 0), 3) @ w
    edge = padded(wide(x), 0)
    edge[..., 0, :] = edge[..., 1, :]
    return one([x, w.astype(np.float32).reshape(3, 3)], want, windows(edge, 3) @ w)


@mistake("missing_term", says=("input 2", "axis 1"))
def matmul_without_its_bias(rng: Rng) -> Made:
    a, b, c = normal(rng, 64, 48), normal(rng, 48, 80), normal(rng, 80)
    return one([a, b, c], wide(a) @ wide(b) + c, wide(a) @ wide(b))


@mistake("transposed", says=("axes",))
def matmul_stored_transposed(rng: Rng) -> Made:
    a, b = normal(rng, 64, 32), normal(rng, 32, 64)
    return one([a, b], wide(a) @ wide(b), (wide(a) @ wide(b)).T)


@mistake("transposed", says=("input 1",))
def matmul_with_an_operand_transposed(rng: Rng) -> Made:
    a, b = normal(rng, 40, 64), normal(rng, 64, 64)
    return one([a, b], wide(a) @ wide(b).T, wide(a) @ wide(b))


@mistake("partial_sum", says=("96", "100"))
def matmul_that_leaves_out_the_tail_of_k(rng: Rng) -> Made:
    a, b = normal(rng, 48, 100), normal(rng, 100, 56)
    return one([a, b], wide(a) @ wide(b), wide(a[:, :96]) @ wide(b[:96]))


@mistake("neighbour", says=("input 0",))
def gather_one_row_too_far(rng: Rng) -> Made:
    table, index = normal(rng, 200, 24), rng.integers(0, 199, 90).astype(np.int32)
    return one([table, index], wide(table)[index], table[index + 1])


@mistake("shifted", says=("axis 1", "1"))
def exclusive_for_inclusive_cumsum(rng: Rng) -> Made:
    x = normal(rng, 40, 130)
    want = np.cumsum(wide(x), 1)
    return one([x], want, want - x)


@mistake("carry", says=("64", "axis 1"))
def cumsum_that_forgets_the_tile_before(rng: Rng) -> Made:
    x = normal(rng, 20, 256)
    got = np.cumsum(wide(x).reshape(20, 4, 64), 2).reshape(20, 256)
    return one([x], np.cumsum(wide(x), 1), got)


@mistake("copied_input", "transposed", says=("input 0",))
def transpose_that_only_copies(rng: Rng) -> Made:
    x = normal(rng, 48, 96)
    return one([x], wide(x).T.copy(), x.reshape(96, 48))


@mistake("formula", says=("input 0",))
def gelu_by_a_sigmoid(rng: Rng) -> Made:
    x = normal(rng, 80, 100)
    v = wide(x)
    want = 0.5 * v * (1 + np.tanh(np.sqrt(2 / np.pi) * (v + 0.044715 * v**3)))
    return one([x], want, v / (1 + np.exp(-1.702 * v)))


@mistake("scaled", says=("2",))
def gelu_without_its_half(rng: Rng) -> Made:
    x = normal(rng, 5000)
    v = wide(x)
    want = 0.5 * v * (1 + np.tanh(np.sqrt(2 / np.pi) * (v + 0.044715 * v**3)))
    return one([x], want, 2 * want)


@mistake("branch", says=("input 0", "negative"))
def leaky_relu_without_its_slope(rng: Rng) -> Made:
    x = normal(rng, 60, 70)
    return one([x], np.where(x > 0, wide(x), 0.1 * wide(x)), np.maximum(x, 0))


def adam(rng: Rng) -> tuple[list[Any], Any, Any, Any]:
    w, g = normal(rng, 3000), normal(rng, 3000)
    m, v = 0.1 * normal(rng, 3000), 0.01 * normal(rng, 3000) ** 2
    m1, v1 = 0.9 * wide(m) + 0.1 * wide(g), 0.999 * wide(v) + 0.001 * wide(g) ** 2
    return [w, g, m, v], wide(w), m1, v1


@mistake("sign", says=("input 0",))
def adam_step_uphill(rng: Rng) -> Made:
    inputs, w, m, v = adam(rng)
    step = 0.02 * (m / 0.271) / (np.sqrt(v / 0.003) + 1e-8)
    return one(inputs, w - step, w + step)


@mistake("scaled", says=("input 0",))
def adam_without_bias_correction(rng: Rng) -> Made:
    inputs, w, m, v = adam(rng)
    step = 0.02 * m / (np.sqrt(v) + 1e-12)
    return one(inputs, w - step / 0.271 * np.sqrt(0.003), w - step)


@mistake("ignored_input", says=("input 3",))
def attention_that_ignores_its_mask(rng: Rng) -> Made:
    q, k, v = normal(rng, 32, 16), normal(rng, 32, 16), normal(rng, 32, 16)
    mask = (rng.random((32, 32)) > 0.2 * (rng.random((32, 1)) > 0.5)).astype(np.float32)
    scores = wide(q) @ wide(k).T / 4
    want = softmax(np.where(mask > 0, scores, -np.inf)) @ wide(v)
    return one([q, k, v, mask], want, softmax(scores) @ wide(v))


@mistake("attention_scale")
def attention_without_its_scale(rng: Rng) -> Made:
    q, k, v = normal(rng, 32, 16), normal(rng, 32, 16), normal(rng, 32, 16)
    scores = wide(q) @ wide(k).T
    return one([q, k, v], softmax(scores / 4) @ wide(v), softmax(scores) @ wide(v))


@mistake("broadcast", says=("input 1",))
def broadcast_along_the_other_axis(rng: Rng) -> Made:
    x, b = normal(rng, 64, 64), normal(rng, 64)
    return one([x, b], wide(x) + b, wide(x) + b[:, None])


@mistake("swapped_inputs", "shifted")
def concat_in_the_other_order(rng: Rng) -> Made:
    a, b = normal(rng, 32, 50), normal(rng, 32, 70)
    return one([a, b], np.concatenate([wide(a), wide(b)], 1), np.concatenate([b, a], 1))


@mistake("tail", says=("4059", "4095"))
def exp_that_skips_the_tail(rng: Rng) -> Made:
    x = normal(rng, 4096)
    want = np.exp(wide(x))
    got = want.copy()
    got[4059:] = 0
    return one([x], want, got)


@mistake("other_tile", says=("32", "axis 1"))
def last_tile_from_the_buffer_of_the_one_before(rng: Rng) -> Made:
    x = normal(rng, 30, 128)
    want = np.tanh(wide(x))
    got = want.copy()
    got[:, 96:] = got[:, 64:96]
    return one([x], want, got)


@mistake("part", says=("first", "1024"))
def first_core_with_another_formula(rng: Rng) -> Made:
    x, y = normal(rng, 8192), normal(rng, 8192)
    want = wide(x) * wide(y)
    got = want.copy()
    got[:1024] = np.sin(3 * want[:1024]) + wide(x)[:1024] ** 3 + rng.standard_normal(1024)
    return one([x, y], want, got)


@mistake("wrong_input", says=("input 1", "input 0"))
def relu_of_the_wrong_tensor(rng: Rng) -> Made:
    x, y = normal(rng, 40, 90), normal(rng, 40, 90)
    return one([x, y], np.tanh(wide(x)) + 0.5 * wide(x), np.tanh(wide(y)) + 0.5 * wide(y))


@mistake("stale")
def answer_of_the_launch_before(rng: Rng) -> Made:
    x, old = normal(rng, 50, 60), normal(rng, 50, 60)
    before = np.exp(wide(old))
    got = before * (1 + 1e-6 * rng.standard_normal(old.shape))
    return one([x], np.exp(wide(x)), got, before=before)


@mistake("swapped_outputs", says=("output 1",))
def mean_and_variance_swapped(rng: Rng) -> Made:
    x = normal(rng, 70, 200)
    mean, var = wide(x).mean(-1), wide(x).var(-1)
    return Made([x], [mean, var], [var.astype(np.float32), mean.astype(np.float32)])


@mistake("wrapped", says=("16",))
def sum_in_sixteen_bits(rng: Rng) -> Made:
    x = rng.integers(0, 900, (80, 100)).astype(np.int32)
    want = x.astype(np.int64).sum(-1)
    return Made([x], [want.astype(np.int32)], [want.astype(np.int16).astype(np.int32)])


@mistake("overflow", says=("65504",))
def sum_of_squares_in_half(rng: Rng) -> Made:
    x = normal(rng, 120, 64) * (40 * rng.random((120, 1)) + 20).astype(np.float32)
    want = (wide(x) ** 2).sum(-1)
    return one([x], want, np.where(want > 65504, np.inf, want))


@mistake("precision", says=("float16",))
def product_rounded_to_half_on_the_way(rng: Rng) -> Made:
    x, y = normal(rng, 60, 128), normal(rng, 60, 128)
    return one([x, y], wide(x) * wide(y) + 1, (x * y).astype(np.float16).astype(np.float32) + 1)


@mistake("reinterpreted", says=("input 0", "float16"))
def float_input_read_as_half(rng: Rng) -> Made:
    x = normal(rng, 2048)
    read = x.view(np.float16)[:2048].astype(np.float64)
    read = np.where(np.isfinite(read), read, 0)
    return one([x], 2 * wide(x), 2 * read)


@mistake("reinterpreted", says=("float32",))
def half_output_written_as_float(rng: Rng) -> Made:
    x = normal(rng, 64, 64, dtype=np.float16)
    want = np.tanh(wide(x))
    got = want.astype(np.float32).reshape(-1)[:2048].view(np.float16).reshape(64, 64)
    return Made([x], [want], [got])
