"""Thirty more deliberate mistakes, written after the detectors: at first 25 were named, 2 wrongly."""

import numpy as np

from tests.tools.judge.mistakes import Made, Mistake, Rng, mistake, normal, one, softmax, wide

LATER: list[Mistake] = []


@mistake("scaled", says=("0.5",), into=LATER)
def half_softmax_halved(rng: Rng) -> Made:
    x = normal(rng, 32, 40, dtype=np.float16)
    return one([x], softmax(wide(x)), softmax(wide(x)) / 2, np.float16)


@mistake("missing_term", says=("input 1", "axis 1"), into=LATER)
def channel_bias_forgotten(rng: Rng) -> Made:
    x, b = normal(rng, 2, 12, 9, 11), normal(rng, 12)
    return one([x, b], np.maximum(wide(x), 0) + b[:, None, None], np.maximum(wide(x), 0))


@mistake("missing_term", says=("input 1",), into=LATER)
def residual_forgotten(rng: Rng) -> Made:
    x, r = normal(rng, 50, 48), normal(rng, 50, 48)
    return one([x, r], np.tanh(wide(x)) + r, np.tanh(wide(x)))


@mistake("formula", says=("input 0",), into=LATER)
def hard_sigmoid_for_sigmoid(rng: Rng) -> Made:
    x = normal(rng, 3000) * 2
    return one([x], 1 / (1 + np.exp(-wide(x))), np.clip(wide(x) / 6 + 0.5, 0, 1))


@mistake("rounding_mode", into=LATER)
def quotient_rounded_to_zero(rng: Rng) -> Made:
    x = rng.integers(-500, 500, (40, 50)).astype(np.int32)
    return Made([x], [x // 7], [np.trunc(x / 7).astype(np.int32)])


@mistake("clipped", says=("-0.5",), into=LATER)
def clamp_without_its_lower_bound(rng: Rng) -> Made:
    x = normal(rng, 40, 70)
    return one([x], np.clip(wide(x), -0.5, 1), np.minimum(wide(x), 1))


@mistake("shifted", says=("8",), into=LATER)
def two_million_elements_eight_too_far(rng: Rng) -> Made:
    x = normal(rng, 1 << 21)
    want = np.exp(wide(x))
    return one([x], want, np.roll(want, 8))


@mistake("neighbour", "shifted", into=LATER)
def upsampled_with_the_index_rounded_up(rng: Rng) -> Made:
    x = normal(rng, 30, 40)
    at = np.arange(80)
    return one([x], wide(x)[:, at // 2], wide(x)[:, np.minimum((at + 1) // 2, 39)])


@mistake("missing_term", says=("input 1",), into=LATER)
def bias_with_the_other_sign(rng: Rng) -> Made:
    x, b = normal(rng, 40, 64), normal(rng, 64)
    return one([x, b], 2 * wide(x) + b, 2 * wide(x) - b)


@mistake("unknown", into=LATER)
def arg_min_for_arg_max(rng: Rng) -> Made:
    x = normal(rng, 90, 33)
    return Made([x], [x.argmax(-1).astype(np.int32)], [x.argmin(-1).astype(np.int32)])


@mistake("reversed", "unknown", into=LATER)
def running_sum_from_the_end(rng: Rng) -> Made:
    x = normal(rng, 40, 64)
    return one([x], np.cumsum(wide(x), 1), np.cumsum(wide(x)[:, ::-1], 1)[:, ::-1])


@mistake("tail", "part", says=("100",), into=LATER)
def concat_without_its_second_input(rng: Rng) -> Made:
    a, b = normal(rng, 40, 100), normal(rng, 40, 60)
    want = np.concatenate([wide(a), wide(b)], 1)
    return one([a, b], want, np.where(np.arange(160) < 100, want, 0))


@mistake("one_index", "tail", says=("64",), into=LATER)
def last_column_not_a_number(rng: Rng) -> Made:
    x = normal(rng, 40, 65)
    want = np.exp(wide(x))
    return one([x], want, np.where(np.arange(65) < 64, want, np.nan))


@mistake("other_tile", "shifted", says=("128",), into=LATER)
def two_tiles_exchanged(rng: Rng) -> Made:
    x = normal(rng, 4096)
    want = np.exp(wide(x))
    got = want.copy()
    got[:128], got[128:256] = want[128:256], want[:128]
    return one([x], want, got)


@mistake("lanes", says=("2nd",), into=LATER)
def every_second_element_from_elsewhere(rng: Rng) -> Made:
    x = normal(rng, 60, 64)
    want = np.sin(wide(x))
    return one([x], want, np.where(np.arange(64) % 2, rng.standard_normal(x.shape), want))


@mistake("scaled", says=("1.443",), into=LATER)
def logarithm_of_base_two(rng: Rng) -> Made:
    x = 1 + normal(rng, 60, 64) ** 2
    return one([x], np.log(wide(x)), np.log2(wide(x)))


@mistake("formula", says=("input 0",), into=LATER)
def sine_of_degrees(rng: Rng) -> Made:
    x = normal(rng, 60, 64)
    return one([x], np.sin(wide(x)), np.sin(np.deg2rad(wide(x))))


@mistake("function", says=("square",), into=LATER)
def mean_square_for_the_variance(rng: Rng) -> Made:
    x = normal(rng, 60, 64) + 2
    return one([x], wide(x).var(-1), (wide(x) ** 2).mean(-1))


@mistake("transposed", says=("axes",), into=LATER)
def channels_last_for_channels_first(rng: Rng) -> Made:
    x = normal(rng, 2, 6, 8, 10)
    want = np.exp(wide(x))
    return one([x], want, want.transpose(0, 2, 3, 1).reshape(want.shape))


@mistake("scaled", says=("times 2",), into=LATER)
def softmax_of_another_temperature(rng: Rng) -> Made:
    x = normal(rng, 40, 64)
    return one([x], softmax(wide(x)), softmax(2 * wide(x)))


@mistake("precision", into=LATER)
def product_of_matrices_in_half(rng: Rng) -> Made:
    a, b = normal(rng, 48, 64), normal(rng, 64, 40)
    return one([a, b], wide(a) @ wide(b), wide(a.astype(np.float16)) @ wide(b.astype(np.float16)))


@mistake("scaled", "sum_for_mean", says=("8",), into=LATER)
def scores_without_their_scale(rng: Rng) -> Made:
    q, k = normal(rng, 40, 64), normal(rng, 50, 64)
    return one([q, k], wide(q) @ wide(k).T / 8, wide(q) @ wide(k).T)


@mistake("repeated", says=("axis 0",), into=LATER)
def every_batch_is_the_first(rng: Rng) -> Made:
    a, b = normal(rng, 6, 20, 16), normal(rng, 6, 16, 24)
    want = wide(a) @ wide(b)
    return one([a, b], want, np.repeat(want[:1], 6, 0))


@mistake("constant_along", "repeated", says=("axis 0",), into=LATER)
def bias_repeated_every_sixteen(rng: Rng) -> Made:
    x, b = normal(rng, 60, 64), normal(rng, 64)
    return one([x, b], np.exp(wide(x)) + b, np.exp(wide(x)) + b[np.arange(64) % 16])


@mistake("sum_for_mean", "scaled", says=("48",), into=LATER)
def loss_not_divided_by_the_rows(rng: Rng) -> Made:
    x, y = normal(rng, 48, 64), normal(rng, 48, 64)
    square = (wide(x) - y) ** 2
    return one([x, y], np.array(square.mean()), np.array(square.mean(1).sum()))


@mistake("unknown", into=LATER)
def gather_with_indices_at_random(rng: Rng) -> Made:
    table, index = normal(rng, 200, 24), rng.integers(0, 200, 90).astype(np.int32)
    return one([table, index], wide(table)[index], table[rng.integers(0, 200, 90)])


@mistake("overflow", says=("127",), into=LATER)
def sums_kept_at_what_a_byte_holds(rng: Rng) -> Made:
    x = rng.integers(0, 60, (90, 8)).astype(np.int32)
    want = x.sum(-1).astype(np.int32)
    return Made([x], [want], [np.minimum(want, 127).astype(np.int32)])


@mistake("row", "part", says=("16",), into=LATER)
def a_cores_rows_are_zero(rng: Rng) -> Made:
    x = normal(rng, 32, 40)
    want = np.cos(wide(x))
    got = want.copy()
    got[16:20] = 0
    return one([x], want, got)


@mistake("missing_factor", says=("input 1",), into=LATER)
def gate_left_out(rng: Rng) -> Made:
    x, g = normal(rng, 40, 64), 1 + normal(rng, 40, 64) ** 2
    return one([x, g], np.tanh(wide(x)) * g, np.tanh(wide(x)))


@mistake("branch", says=("input 0", "positive"), into=LATER)
def elu_with_its_branches_mixed_up(rng: Rng) -> Made:
    x = normal(rng, 40, 64)
    want = np.where(x > 0, wide(x), np.expm1(wide(x)))
    return one([x], want, np.expm1(wide(x)))
