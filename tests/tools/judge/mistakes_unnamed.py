"""Wrong outputs that no name fits: what a judge should answer with "unknown"."""

import numpy as np

from tests.tools.judge.mistakes import Made, Mistake, Rng, centred, mistake, normal, one, softmax, wide

UNNAMED: list[Mistake] = []


@mistake("unknown", into=UNNAMED)
def noise_of_the_values_size(rng: Rng) -> Made:
    x = normal(rng, 60, 70)
    return one([x], np.tanh(wide(x)), rng.standard_normal(x.shape))


@mistake("unknown", into=UNNAMED)
def noise_of_a_tenth(rng: Rng) -> Made:
    x = normal(rng, 60, 70)
    return one([x], np.exp(wide(x)), np.exp(wide(x)) * (1 + 0.1 * rng.standard_normal(x.shape)))


@mistake("unknown", into=UNNAMED)
def elements_in_a_random_order(rng: Rng) -> Made:
    x = normal(rng, 40, 50)
    return one([x], np.sin(wide(x)) * 3, rng.permutation(np.sin(wide(x)).reshape(-1) * 3).reshape(x.shape))


@mistake("unknown", into=UNNAMED)
def some_elements_of_a_race(rng: Rng) -> Made:
    x = normal(rng, 64, 64)
    want = np.exp(wide(x))
    got = np.where(rng.random(x.shape) < 0.05, rng.standard_normal(x.shape), want)
    return one([x], want, got)


@mistake("unknown", into=UNNAMED)
def product_with_a_changed_weight(rng: Rng) -> Made:
    a, b = normal(rng, 40, 64), normal(rng, 64, 48)
    wrong = wide(b) + 0.05 * rng.standard_normal(b.shape)
    return one([a, b], wide(a) @ wide(b), wide(a) @ wrong)


@mistake("unknown", into=UNNAMED)
def softmax_of_other_scores(rng: Rng) -> Made:
    x = normal(rng, 50, 80)
    return one([x], softmax(wide(x)), softmax(wide(x) + 0.3 * rng.standard_normal(x.shape)))


@mistake("unknown", into=UNNAMED)
def statistics_of_a_part_of_the_row(rng: Rng) -> Made:
    x = wide(normal(rng, 60, 128))
    part = x[:, :100]
    got = (x - part.mean(1, keepdims=True)) / np.sqrt(part.var(1, keepdims=True) + 1e-5)
    return one([x.astype(np.float32)], centred(x), got)


@mistake("unknown", into=UNNAMED)
def nan_here_and_there(rng: Rng) -> Made:
    x = normal(rng, 64, 64)
    return one([x], np.exp(wide(x)), np.where(rng.random(x.shape) < 0.03, np.nan, np.exp(wide(x))))


@mistake("unknown", into=UNNAMED)
def integers_at_random(rng: Rng) -> Made:
    x = rng.integers(-90, 90, (40, 60)).astype(np.int32)
    return Made([x], [x // 3], [rng.integers(-30, 30, x.shape).astype(np.int32)])


@mistake("unknown", into=UNNAMED)
def drift_that_grows_with_the_product(rng: Rng) -> Made:
    x, y = normal(rng, 70, 50), normal(rng, 70, 50)
    return one([x, y], wide(x) * y, wide(x) * y + 0.02 * np.sin(9 * wide(x) * y) * wide(y))


@mistake("unknown", into=UNNAMED)
def one_number_that_nothing_explains(rng: Rng) -> Made:
    x = normal(rng, 48, 64) + 2
    return one([x], np.array([wide(x).mean()]), np.array([wide(x).mean() * 1.37]))


@mistake("unknown", into=UNNAMED)
def constant_inputs_that_fit_any_factor(rng: Rng) -> Made:
    x = np.full((20, 30), 1.5, np.float32)
    return one([x], np.exp(wide(x)), np.exp(wide(x)) + 0.4321 * rng.random())
