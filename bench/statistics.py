"""Statistics of runs over the same tasks: intervals, paired tests, their correction for several runs, effect sizes.

SciPy and statsmodels compute them; both take a second to import, so they are imported where something is asked for.
"""

from collections.abc import Sequence

import numpy as np

from akgen.tools.core.frozen import Frozen

CONFIDENCE = 0.95
LEVEL = 0.05  # below which a difference is called one
_RESAMPLES = 9999


class OddsRatio(Frozen):
    """How many times as often the second run alone solves a task as the first alone; None: without limit."""

    value: float | None
    low: float
    high: float | None


def interval(values: Sequence[float], seed: int) -> tuple[float, float]:
    """Return the confidence interval of a mean of shares over tasks.

    It treats tasks as drawn at random: Wilson's where every task gives 0 or 1, a percentile bootstrap otherwise.
    """
    from scipy import stats

    if all(v in (0.0, 1.0) for v in values):
        found = stats.binomtest(int(sum(values)), len(values)).proportion_ci(CONFIDENCE, method="wilson")
        return float(found.low), float(found.high)
    return bootstrap(values, seed, resamples=2000)


def bootstrap(values: Sequence[float], seed: int, resamples: int = _RESAMPLES) -> tuple[float, float]:
    """Return the percentile bootstrap interval of a mean over tasks."""
    from scipy import stats

    found = np.asarray(values)
    if len(found) < 2 or not np.ptp(found):
        return float(found.mean()), float(found.mean())
    bounds = stats.bootstrap(
        (found,), np.mean, confidence_level=CONFIDENCE, method="percentile", n_resamples=resamples,
        rng=np.random.default_rng(seed),
    ).confidence_interval  # fmt: skip
    return float(bounds.low), float(bounds.high)


def paired_difference(
    first: Sequence[float], second: Sequence[float], seed: int = 0, resamples: int = _RESAMPLES
) -> dict[str, float]:
    """Return the mean of second less first over the same tasks, its bootstrap interval, and p of a permutation test.

    The test asks how often swapping the two sides of tasks at random gives a mean as far from zero. `p_mid` counts what
    is exactly as far by half: `p` errs less often than it says where means have few values, `p_mid` as often.
    """
    found = np.asarray(second) - np.asarray(first)
    value = float(found.mean()) if len(found) else 0.0
    if len(found) < 2 or not np.any(found):
        return {"difference": value, "low": value, "high": value, "p": 1.0, "p_mid": 1.0}
    low, high = bootstrap(list(found), seed)
    p, mid = permutation(first, second, seed, resamples)
    return {"difference": value, "low": low, "high": high, "p": p, "p_mid": mid}


def permutation(
    first: Sequence[float], second: Sequence[float], seed: int = 0, resamples: int = _RESAMPLES
) -> tuple[float, float]:
    """Return the two-sided p-value of the paired permutation test of the mean difference, and its mid-p-value."""
    from scipy import stats

    if not np.any(np.asarray(first) != np.asarray(second)):
        return 1.0, 1.0
    found = stats.permutation_test(
        (np.asarray(second), np.asarray(first)), lambda a, b, axis: np.mean(a - b, axis=axis),
        permutation_type="samples", vectorized=True, n_resamples=resamples, rng=np.random.default_rng(seed),
    )  # fmt: skip
    size, seen = np.abs(found.null_distribution), abs(found.statistic)
    like = np.isclose(size, seen, rtol=0, atol=1e-12)
    mid = np.mean((size > seen) & ~like) + np.mean(like) / 2
    return float(found.pvalue), float(max(mid, found.pvalue / 2))  # drawn at random, it may be 0


def mcnemar(first: int, second: int) -> float:
    """Return the exact two-sided p-value for `first` and `second` tasks that one run alone solves.

    It keeps its promise for every number of tasks, and therefore errs less often than it says: at 5 %, for some dozens
    of tasks, in 2 to 4 % of runs that do not differ. `mid_p` errs as often as it says, on average.
    """
    from scipy import stats

    return float(stats.binomtest(first, first + second).pvalue) if first + second else 1.0


def mid_p(first: int, second: int) -> float:
    """Return McNemar's two-sided mid-p-value: of the outcome that was seen, half its probability counts."""
    from scipy import stats

    if not first + second:
        return 1.0
    seen = stats.binom(first + second, 0.5)
    fewer = min(first, second)
    return float(min(1.0, 2 * seen.cdf(fewer) - seen.pmf(fewer)))


def matched_odds(first: int, second: int) -> OddsRatio | None:
    """Return the odds ratio of matched pairs with its exact interval; None where no task tells the runs apart."""
    from scipy import stats

    if not first + second:
        return None
    share = stats.binomtest(second, first + second)
    bounds = share.proportion_ci(CONFIDENCE, method="exact")
    low, high = (float(b) for b in (bounds.low, bounds.high))
    return OddsRatio(
        value=second / first if first else None, low=low / (1 - low), high=high / (1 - high) if high < 1 else None
    )  # fmt: skip


def cohens_h(first: float, second: float) -> float:
    """Return Cohen's effect size h of two shares, second less first: 0.2 is called small, 0.5 medium, 0.8 large."""
    from statsmodels.stats.proportion import proportion_effectsize

    return float(proportion_effectsize(second, first))


def holm(p_values: Sequence[float]) -> list[float]:
    """Return Holm's corrected p-values: below 5 %, that all such calls hold is 95 % sure, however many are made."""
    from statsmodels.stats.multitest import multipletests

    return [float(p) for p in multipletests(p_values, method="holm")[1]] if len(p_values) else []


def tasks_to_see(difference: float, spread: float, power: float) -> float:
    """Return how many tasks a paired t-test needs to find a mean difference with this power.

    `spread`: the standard deviation of a task's difference.
    """
    from statsmodels.stats.power import TTestPower

    found = TTestPower().solve_power(effect_size=difference / spread, alpha=LEVEL, power=power)
    return float(np.max(found))


def power_of(difference: float, spread: float, tasks: int) -> float:
    """Return the chance that a paired t-test over so many tasks finds the difference."""
    from statsmodels.stats.power import TTestPower

    return float(TTestPower().power(difference / spread, nobs=tasks, alpha=LEVEL))
