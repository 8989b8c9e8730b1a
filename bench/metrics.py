"""What a benchmark run is measured by: CR@k and ER@k, how often failures are repaired, how well gains are predicted.

CR@k and ER@k are the chances that at least one of k samples compiles, or executes correctly.

Before a run they say how many tasks and samples show that two writers of kernels differ by so much. A task is solved by
a sample with a chance of its own; the chances of a suite's tasks have mean m and lie apart: some tasks are easy, some
hard. With `alike` (the intraclass correlation of samples: 0, all tasks are equally hard; 1, each is solved always or
never), the part of m(1 - m) that samples average out is 1 - alike. The rest cancels in pairs, but for what the two
writers find hard differently.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise
from math import comb
from statistics import fmean

import numpy as np

from akgen.bench.record import Record, TuningStep
from akgen.bench.statistics import LEVEL, interval, power_of, tasks_to_see
from akgen.graph.store.records import AttemptRow
from akgen.tools.core.frozen import Frozen
from akgen.tools.core.outcome import InputError

LEVEL_WEIGHTS = {1: 0.2, 2: 0.3, 3: 0.5}  # of NPUKernelBench's overall score
SAMPLES = (1, 2, 4, 8, 16, 32, 64, 100)
_STEPS = [round(0.005 * n, 3) for n in range(1, 200)]  # differences that are tried
# Of what lies between tasks, the share that two writers do not have in common.
APART = 0.1


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


class PlannedRun(Frozen):
    """So many samples of each task: the tasks that are needed, and the power that the suite's tasks give."""

    samples: int
    tasks: int
    power: float


class RunPlan(Frozen):
    """What `akgen bench plan --json` prints."""

    suite: str
    suite_tasks: int
    difference: float
    rate: float
    alike: float
    power: float
    level: float = LEVEL
    rows: tuple[PlannedRun, ...]
    samples: int | None  # the fewest with which the suite's tasks suffice; None: a hundred do not
    smallest: float | None  # the least difference that the suite's tasks show with a hundred samples


def plan(suite: str, tasks: int, difference: float, *, rate: float, alike: float, power: float) -> RunPlan:
    """Plan runs of a suite. Raises InputError for a difference that leaves 0..1."""
    if not 0 < rate + difference < 1 or difference <= 0:
        raise InputError(
            f"From {rate:g} on there is no difference of {difference:g}.", "Give --rate and --difference below 1."
        )  # fmt: skip
    rows = []
    for samples in SAMPLES:
        spread = spread_of(rate, difference, alike, samples)
        rows.append(
            PlannedRun(
                samples=samples,
                tasks=int(np.ceil(tasks_to_see(difference, spread, power))),
                power=round(power_of(difference, spread, tasks), 3) if tasks > 1 else 0.0,
            )
        )
    enough = next(
        (n for n in range(1, SAMPLES[-1] + 1) if _suffices(n, tasks, rate, difference, alike, power)), None
    )
    return RunPlan(
        suite=suite, suite_tasks=tasks, difference=difference, rate=rate, alike=alike, power=power,
        rows=tuple(rows), samples=enough,
        smallest=next(
            (d for d in _STEPS if rate + d < 1 and _suffices(SAMPLES[-1], tasks, rate, d, alike, power)), None
        ),
    )  # fmt: skip


def _suffices(samples: int, tasks: int, rate: float, difference: float, alike: float, power: float) -> bool:
    return tasks > 1 and power_of(difference, spread_of(rate, difference, alike, samples), tasks) >= power


def spread_of(rate: float, difference: float, alike: float, samples: int) -> float:
    """Return the standard deviation of one task's difference between two runs of so many samples."""
    both = [m * (1 - m) for m in (rate, rate + difference)]
    drawn = (1 - alike) * sum(both) / samples
    return float(np.sqrt(drawn + APART * alike * sum(both)))


def measured(records: Iterable[Record]) -> tuple[float, float]:
    """Return rate and intraclass correlation of a run with several samples (analysis of variance).

    Raises InputError for a run with one sample a task.
    """
    groups = [[float(r.solved) for r in samples] for samples in by_task(records)]
    return _alike([g for g in groups if len(g) > 1])


def _alike(groups: Sequence[Sequence[float]]) -> tuple[float, float]:
    if len(groups) < 2:
        raise InputError("The run has no two tasks with several samples.", "Give --alike instead of --like.")
    by_size: defaultdict[int, int] = defaultdict(int)
    for group in groups:
        by_size[len(group)] += 1
    whole = [v for g in groups for v in g]
    mean = float(np.mean(whole))
    within = sum(sum((v - np.mean(g)) ** 2 for v in g) for g in groups) / (len(whole) - len(groups))
    between = sum(len(g) * (np.mean(g) - mean) ** 2 for g in groups) / (len(groups) - 1)
    size = (len(whole) - sum(n * n * c for n, c in by_size.items()) / len(whole)) / (len(groups) - 1)
    total = between + (size - 1) * within
    return mean, float(np.clip((between - within) / total, 0.0, 1.0)) if total else 1.0
