"""Twenty more deliberate mistakes, written before the detectors and not looked at while those were made."""

import numpy as np

from tests.tools.judge.mistakes import Made, Mistake, Rng, mistake, normal, one, softmax, wide, windows

HELD_OUT: list[Mistake] = []


@mistake("function", says=("exp",), into=HELD_OUT)
def log_softmax_without_the_log(rng: Rng) -> Made:
    x = normal(rng, 60, 90)
    return one([x], np.log(softmax(wide(x))), softmax(wide(x)))


@mistake("function", says=("root",), into=HELD_OUT)
def deviation_for_the_variance(rng: Rng) -> Made:
    x = normal(rng, 300, 40) * (1 + 3 * rng.random((300, 1))).astype(np.float32)
    return one([x], wide(x).var(-1), wide(x).std(-1))


@mistake("sign", "swapped_inputs", into=HELD_OUT)
def difference_the_other_way_round(rng: Rng) -> Made:
    a, b = normal(rng, 50, 64), normal(rng, 50, 64)
    return one([a, b], wide(a) - b, wide(b) - a)


@mistake("reciprocal", "swapped_inputs", into=HELD_OUT)
def quotient_the_other_way_round(rng: Rng) -> Made:
    a, b = 1 + normal(rng, 70, 40) ** 2, 1 + normal(rng, 70, 40) ** 2
    return one([a, b], wide(a) / b, wide(b) / a)


@mistake("reversed", says=("input 1",), into=HELD_OUT)
def conv_with_its_kernel_flipped(rng: Rng) -> Made:
    x, w = normal(rng, 1, 2, 20, 20), normal(rng, 3, 3)
    seen = windows(wide(x), 3)
    return one([x, w], seen @ wide(w).reshape(-1), seen @ wide(w).reshape(-1)[::-1])


@mistake("scaled", "sum_for_mean", says=("64",), into=HELD_OUT)
def mean_of_everything_divided_by_the_rows(rng: Rng) -> Made:
    x = normal(rng, 48, 64) + 2
    return one([x], np.array([wide(x).mean()]), np.array([wide(x).sum() / 48]))


@mistake("offset", says=("1",), into=HELD_OUT)
def arg_max_counted_from_one(rng: Rng) -> Made:
    x = normal(rng, 90, 33)
    at = x.argmax(-1).astype(np.int32)
    return Made([x], [at], [at + np.int32(1)])


@mistake("reversed", "copied_input", into=HELD_OUT)
def flip_that_only_copies(rng: Rng) -> Made:
    x = normal(rng, 64, 75)
    return one([x], wide(x)[:, ::-1].copy(), x)


@mistake("neighbour", says=("input 1",), into=HELD_OUT)
def bias_of_the_next_channel(rng: Rng) -> Made:
    x, b = normal(rng, 4, 16, 10, 10), normal(rng, 16)
    return one([x, b], wide(x) + b[:, None, None], wide(x) + np.roll(b, -1)[:, None, None])


@mistake("shifted", says=("axis 3", "1"), into=HELD_OUT)
def windows_that_begin_one_too_late(rng: Rng) -> Made:
    x = normal(rng, 2, 3, 18, 26)
    want = windows(wide(x), 3).mean(-1)
    got = np.zeros_like(want)
    got[..., :-1] = want[..., 1:]
    return one([x], want, got)


@mistake("clipped", says=("1.5",), into=HELD_OUT)
def clip_without_its_upper_bound(rng: Rng) -> Made:
    x = normal(rng, 50, 80) * 2
    return one([x], np.clip(wide(x), -1.5, 1.5), np.maximum(wide(x), -1.5))


@mistake("offset", says=("0.75",), into=HELD_OUT)
def shift_applied_twice(rng: Rng) -> Made:
    x = normal(rng, 90, 50)
    return one([x], 3 * wide(x) + 0.75, 3 * wide(x) + 1.5)


@mistake("zero_division", says=("input 0",), into=HELD_OUT)
def normalised_rows_of_zeros(rng: Rng) -> Made:
    x = normal(rng, 64, 40) * (rng.random((64, 1)) > 0.2)
    x = x.astype(np.float32)
    length = np.sqrt((wide(x) ** 2).sum(-1, keepdims=True))
    with np.errstate(all="ignore"):
        return one([x], wide(x) / np.maximum(length, 1e-12), wide(x) / length)


@mistake("precision", says=("bfloat16",), into=HELD_OUT)
def operands_rounded_to_bfloat(rng: Rng) -> Made:
    x, y = normal(rng, 70, 64), normal(rng, 70, 64)
    bits = x.view(np.uint32)
    short = (((bits + 0x7FFF + ((bits >> 16) & 1)) >> 16) << 16).view(np.float32)
    return one([x, y], np.tanh(wide(x)) * y, np.tanh(wide(short)) * y)


@mistake("rounding_mode", into=HELD_OUT)
def quantised_by_truncation(rng: Rng) -> Made:
    x = normal(rng, 60, 64) * 30
    return Made([x], [np.rint(wide(x)).astype(np.int8)], [np.trunc(wide(x)).astype(np.int8)])


@mistake("transposed", says=("axes",), into=HELD_OUT)
def matrices_of_a_batch_transposed(rng: Rng) -> Made:
    a, b = normal(rng, 5, 24, 16), normal(rng, 5, 16, 24)
    want = wide(a) @ wide(b)
    return one([a, b], want, want.transpose(0, 2, 1))


@mistake("block_edge", says=("512",), into=HELD_OUT)
def cores_that_overwrite_the_next_ones_first_elements(rng: Rng) -> Made:
    x = normal(rng, 4096)
    want = np.exp(wide(x))
    got = want.copy()
    for start in range(512, 4096, 512):
        got[start : start + 5] = rng.standard_normal(5)
    return one([x], want, got)


@mistake("constant_along", says=("axis 1",), into=HELD_OUT)
def mean_of_the_first_row_for_every_row(rng: Rng) -> Made:
    x = normal(rng, 40, 60) + 3 * normal(rng, 40, 1)
    return one([x], wide(x) - wide(x).mean(-1, keepdims=True), wide(x) - wide(x)[0].mean())


@mistake("missing_term", says=("input 0",), into=HELD_OUT)
def step_without_weight_decay(rng: Rng) -> Made:
    w, g = normal(rng, 3000), normal(rng, 3000)
    return one([w, g], wide(w) - 0.1 * (wide(g) + 0.05 * wide(w)), wide(w) - 0.1 * wide(g))


@mistake("fill", says=("0",), into=HELD_OUT)
def masked_scores_filled_with_zero(rng: Rng) -> Made:
    x, mask = normal(rng, 50, 64), rng.random((50, 64)) > 0.3
    want = softmax(np.where(mask, wide(x), -np.inf))
    return one([x, mask.astype(np.float32)], want, softmax(np.where(mask, wide(x), 0.0)))
