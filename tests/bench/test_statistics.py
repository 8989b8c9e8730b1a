"""What is said of two runs: error rates of the tests, power, corrections and effect sizes, against simulation."""

from functools import cache

import numpy as np
import pytest
from scipy import stats

from akgen.bench.metrics import at_least_one, measured, plan
from akgen.bench.record import CaseRow, Record
from akgen.bench.statistics import LEVEL, cohens_h, holm, matched_odds, mcnemar, mid_p, permutation
from akgen.tools.core.outcome import InputError, Outcome
from tests.sampled import sampled

PAIRS = 1000
WITHIN = 0.01  # of what the test says


@cache
def exact(first: int, second: int) -> float:
    return mcnemar(first, second)


@cache
def middle(first: int, second: int) -> float:
    return mid_p(first, second)


def runs(
    random: np.random.Generator, tasks: int, samples: int, rate: float = 0.5, other: float = 0.5
) -> tuple[np.ndarray, np.ndarray]:
    """Return the share of solved samples of each task for two runs that find the same tasks hard."""
    hard = random.random(tasks)
    chances = [stats.beta(m, 1 - m).ppf(hard) for m in (rate, other)]
    first, second = (random.binomial(samples, p) / samples for p in chances)
    return first, second


def alone(first: np.ndarray, second: np.ndarray) -> tuple[int, int]:
    return int(np.sum(first > second)), int(np.sum(first < second))


@pytest.mark.parametrize("tasks", sampled([101, 157, 401], 3))
def test_of_thousands_of_pairs_without_difference_one_in_twenty_is_called_different(tasks: int) -> None:
    random = np.random.default_rng(tasks)
    chance = random.beta(0.5, 0.5, (4 * PAIRS, tasks))
    first, second = (random.random(chance.shape) < chance for _ in range(2))
    counts = list(
        zip((first & ~second).sum(axis=1).tolist(), (second & ~first).sum(axis=1).tolist(), strict=True)
    )
    assert abs(np.mean([middle(*c) < LEVEL for c in counts]) - LEVEL) <= WITHIN
    # The exact test keeps below what it says, and by how much is what the mid-p-value is for.
    assert np.mean([exact(*c) < LEVEL for c in counts]) <= LEVEL


@pytest.mark.parametrize(
    ("apart", "exactly", "by_half"), sampled([(6, 0.01, 0.03), (15, 0.03, 0.05), (40, 0.04, 0.05)], 3)
)
def test_the_fewer_tasks_tell_runs_apart_the_less_often_either_value_errs(
    apart: int, exactly: float, by_half: float
) -> None:
    """The exact error rates where a quarter of the tasks, `apart` on average, is solved by one run alone."""
    tasks, found = 4 * apart, [0.0, 0.0]
    for discordant, weight in enumerate(stats.binom(tasks, 0.25).pmf(np.arange(tasks + 1))):
        for first, chance in enumerate(stats.binom(discordant, 0.5).pmf(np.arange(discordant + 1))):
            if weight * chance > 1e-9:
                found[0] += weight * chance * (exact(first, discordant - first) < LEVEL)
                found[1] += weight * chance * (middle(first, discordant - first) < LEVEL)
    assert found == [pytest.approx(exactly, abs=0.006), pytest.approx(by_half, abs=0.006)]


@pytest.mark.slow
@pytest.mark.parametrize(("tasks", "samples"), [(40, 2), (60, 4), (100, 4)])
def test_so_it_is_with_several_samples_a_task(tasks: int, samples: int) -> None:
    random = np.random.default_rng(tasks + samples)
    pairs = 4 * PAIRS  # of 1,000 the share of errors itself varies by 0.7 %
    found = [permutation(*runs(random, tasks, samples), seed=n, resamples=999) for n in range(pairs)]
    assert abs(np.mean([mid < LEVEL for _, mid in found]) - LEVEL) <= WITHIN
    assert np.mean([p < LEVEL for p, _ in found]) <= LEVEL


@pytest.mark.parametrize("samples", sampled([1, 8], 2))
def test_runs_that_differ_are_told_apart_as_often_as_the_plan_says(samples: int) -> None:
    random = np.random.default_rng(samples)
    planned = plan("some", 100, 0.15, rate=0.4, alike=0.5, power=0.8)
    tasks = next(row.tasks for row in planned.rows if row.samples == samples)

    def power(tasks: int) -> float:
        pairs = [runs(random, tasks, samples, 0.4, 0.55) for _ in range(150)]
        if samples == 1:
            return float(np.mean([middle(*alone(*pair)) < LEVEL for pair in pairs]))
        return float(np.mean([permutation(*pair, seed=1, resamples=199)[1] < LEVEL for pair in pairs]))

    assert power(tasks) >= 0.72
    assert power(tasks // 3) <= 0.65


def test_a_plan_counts_what_a_suite_can_show() -> None:
    enough = plan("some", 157, 0.1, rate=0.5, alike=0.5, power=0.8)
    assert enough.samples == 2
    assert [row.tasks for row in enough.rows] == sorted((row.tasks for row in enough.rows), reverse=True)
    small = plan("some", 10, 0.1, rate=0.5, alike=0.5, power=0.8)
    assert small.samples is None and small.smallest is not None and small.smallest > 0.1
    with pytest.raises(InputError, match="no difference"):
        plan("some", 10, 0.6, rate=0.5, alike=0.5, power=0.8)


def test_rate_and_likeness_are_measured_from_a_run() -> None:
    random = np.random.default_rng(0)
    chance = random.beta(0.4 * 3, 0.6 * 3, 400)  # likeness 1 / (1 + 3)
    solved = [random.random(10) < p for p in chance]
    rate, alike = measured(
        [record(f"t{t}", n, bool(good)) for t, row in enumerate(solved) for n, good in enumerate(row)]
    )
    assert rate == pytest.approx(0.4, abs=0.03)
    assert alike == pytest.approx(0.25, abs=0.03)
    with pytest.raises(InputError, match="several samples"):
        measured([record("a", 0, True), record("b", 0, False)])


def record(task: str, sample: int, good: bool) -> Record:
    outcome = Outcome.CORRECT if good else Outcome.WRONG
    case = CaseRow(id="0", outcome=outcome)
    return Record(task=task, sample=sample, level=1, category="", outcome=outcome, cases=(case,))


def test_mid_p_counts_what_was_seen_by_half() -> None:
    assert mid_p(0, 0) == mid_p(3, 3) == 1.0
    assert mid_p(0, 5) == pytest.approx(0.5**5)
    assert mcnemar(0, 5) == pytest.approx(2 * 0.5**5)


def test_odds_of_matched_pairs_have_an_exact_interval() -> None:
    found = matched_odds(4, 12)
    assert found is not None and found.high is not None
    assert found.value == 3.0
    assert found.low < 1.0 < 3.0 < found.high, "4 against 12 is no difference at 5 %"
    assert matched_odds(0, 0) is None
    never = matched_odds(0, 9)
    assert never is not None and (never.value, never.high) == (None, None) and never.low > 1


def test_holm_corrects_step_by_step_and_h_is_cohens() -> None:
    assert holm([0.01, 0.04, 0.03]) == pytest.approx([0.03, 0.06, 0.06])
    assert holm([]) == []
    assert cohens_h(0.5, 0.5) == 0.0
    assert cohens_h(0.0, 1.0) == pytest.approx(np.pi)


def test_unbiased_rates_are_the_hypergeometric_distributions() -> None:
    for n, c, k in ((10, 3, 5), (100, 1, 10), (7, 7, 3), (9, 0, 2)):
        assert at_least_one(n, c, k) == pytest.approx(stats.hypergeom(n, c, k).sf(0))
