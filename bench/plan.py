"""Before a run: how many tasks and samples show that two writers of kernels differ by so much.

A task is solved by a sample with a chance of its own; the chances of a suite's tasks have mean m and lie apart: some
tasks are easy, some hard. With `alike` (the intraclass correlation of samples: 0, all tasks are equally hard; 1, each
is solved always or never), the part of m(1 - m) that samples average out is 1 - alike. The rest cancels in pairs, but
for what the two writers find hard differently.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence

import numpy as np

from akgen.bench.metrics import by_task
from akgen.bench.record import Record
from akgen.bench.statistics import LEVEL, power_of, tasks_to_see
from akgen.tools.core.frozen import Frozen
from akgen.tools.core.outcome import InputError

SAMPLES = (1, 2, 4, 8, 16, 32, 64, 100)
_STEPS = [round(0.005 * n, 3) for n in range(1, 200)]  # differences that are tried
# Of what lies between tasks, the share that two writers do not have in common.
APART = 0.1


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
