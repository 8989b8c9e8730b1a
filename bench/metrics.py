"""What a benchmark run is measured by: CR@k and ER@k, how often failures are repaired, how well gains are predicted.

CR@k and ER@k are the chances that at least one of k samples compiles, or executes correctly.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise
from math import comb
from statistics import fmean

import numpy as np

from akgen.bench.record import Record, TuningStep
from akgen.bench.statistics import interval
from akgen.graph.store.records import AttemptRow
from akgen.tools.core.frozen import Frozen

LEVEL_WEIGHTS = {1: 0.2, 2: 0.3, 3: 0.5}  # of NPUKernelBench's overall score


class Rate(Frozen):
    """A share with its confidence interval, over tasks."""

    value: float
    low: float
    high: float
    k: int


def at_least_one(n: int, c: int, k: int) -> float:
    """Return the unbiased estimate of "one of k samples is good" from c good ones among n.

    1 - C(n - c, k) / C(n, k): the share of k-subsets of the n samples that hold a good one. Needs 1 <= k <= n.
    """
    if not 1 <= k <= n or not 0 <= c <= n:
        raise ValueError(f"k must lie in 1..n and c in 0..n, got n={n}, c={c}, k={k}")
    return 1.0 - comb(n - c, k) / comb(n, k)


def rate(records: Iterable[Record], good: Callable[[Record], bool], k: int, seed: int = 0) -> Rate | None:
    """Return the mean of `at_least_one` over tasks; tasks with fewer than k samples are left out.

    The interval treats tasks as drawn at random: Wilson's where every task gives 0 or 1, a percentile bootstrap
    with this seed otherwise. None if no task has k samples. Samples that ended in an error of ours are left out.
    """
    values = [at_least_one(len(s), sum(map(good, s)), k) for s in by_task(records) if len(s) >= k]
    if not values:
        return None
    low, high = interval(values, seed)
    return Rate(value=float(np.mean(values)), low=low, high=high, k=k)


def by_task(records: Iterable[Record]) -> list[list[Record]]:
    """Group the records that hold an outcome by task."""
    groups: dict[str, list[Record]] = {}
    for record in records:
        if record.error is None:
            groups.setdefault(record.task, []).append(record)
    return list(groups.values())


def score(records: Sequence[Record]) -> float | None:
    """Return NPUKernelBench's score: ER@1 per level, weighted 0.2, 0.3, 0.5; None unless all levels are there."""
    total = 0.0
    for level, weight in LEVEL_WEIGHTS.items():
        solved = rate([r for r in records if r.level == level], lambda r: r.solved, 1)
        if solved is None:
            return None
        total += weight * solved.value
    return total


class FixRate(Frozen):
    """Attempts that failed with a code and were followed by another one, and how many of these got past it.

    `gone`: the next attempt failed otherwise or not at all. `solved`: it was correct.
    """

    met: int
    gone: int
    solved: int


def fix_rates(records: Iterable[Record]) -> dict[str, FixRate]:
    """Return the rates by the first code of each failure, most frequent first; records without repair give none."""
    met: defaultdict[str, int] = defaultdict(int)
    gone: defaultdict[str, int] = defaultdict(int)
    solved: defaultdict[str, int] = defaultdict(int)
    for record in records:
        for now, after in pairwise(record.course):
            if now == "correct":
                continue
            met[now] += 1
            gone[now] += after != now
            solved[now] += after == "correct"
    return {
        code: FixRate(met=met[code], gone=gone[code], solved=solved[code])
        for code in sorted(met, key=lambda code: (-met[code], code))
    }


class GainCalibration(Frozen):
    """Means over the steps of one kind, as shares of the kernel's time; `actual` over those that stayed correct.

    `off` is by how much a prediction is wrong, on average: of those, the mean of |predicted - actual|.
    """

    tried: int
    broke: int
    predicted: float
    actual: float | None
    off: float | None = None


def tuning_steps(attempts: Sequence[AttemptRow]) -> tuple[TuningStep, ...]:
    """Return the steps of one sample: each attempt with a hypothesis, measured by the attempt that followed."""
    found = []
    for now, after in pairwise(attempts):
        if now.hypothesis is None or not now.time_us:
            continue
        correct = after.failure is None and after.time_us is not None
        saved = 1.0 - after.time_us / now.time_us if correct and after.time_us else None
        found.append(
            TuningStep(kind=now.hypothesis.kind, predicted=now.hypothesis.predicted_gain, actual=saved)
        )
    return tuple(found)


def calibration(records: Iterable[Record]) -> dict[str, GainCalibration]:
    """Return the means by kind of change, most frequent first."""
    return score_predictions(step for record in records for step in record.tuning)


def score_predictions(steps: Iterable[TuningStep]) -> dict[str, GainCalibration]:
    """Compare what was predicted with what came, by kind of change, most frequent first."""
    by_kind: dict[str, list[TuningStep]] = {}
    for step in steps:
        by_kind.setdefault(step.kind, []).append(step)
    return {
        kind: _score(mine)
        for kind, mine in sorted(by_kind.items(), key=lambda item: (-len(item[1]), item[0]))
    }


def _score(mine: Sequence[TuningStep]) -> GainCalibration:
    pairs = [(step.predicted, step.actual) for step in mine if step.actual is not None]
    return GainCalibration(
        tried=len(mine),
        broke=len(mine) - len(pairs),
        predicted=fmean(step.predicted for step in mine),
        actual=fmean(actual for _, actual in pairs) if pairs else None,
        off=fmean(abs(predicted - actual) for predicted, actual in pairs) if pairs else None,
    )
