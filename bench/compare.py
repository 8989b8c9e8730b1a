"""Compare two bench runs task by task: what each solves, whether that differs, and how their kernels' times relate."""

from collections.abc import Iterator, Sequence
from itertools import combinations
from pathlib import Path

import numpy as np
from scipy import stats

from akgen.bench.metrics import at_least_one, by_task
from akgen.bench.record import Record
from akgen.bench.statistics import (
    LEVEL,
    OddsRatio,
    bootstrap,
    cohens_h,
    holm,
    matched_odds,
    mcnemar,
    mid_p,
    paired_difference,
)
from akgen.bench.store import BenchStore
from akgen.tools.core.frozen import Frozen
from akgen.tools.core.outcome import InputError, Outcome


class TimeRatio(Frozen):
    """A task that both runs solve: the geometric mean over their common cases of first over second time."""

    task: str
    level: int
    category: str
    first_us: float
    second_us: float
    ratio: float


class RateDifference(Frozen):
    """ER@k of the second run less that of the first, over tasks of which both have k samples."""

    k: int
    tasks: int
    difference: float
    low: float  # of its bootstrap interval over tasks
    high: float
    p: float  # paired permutation test, two-sided
    p_mid: float  # of the same test; errs as often as it says, where p errs less often
    first: float  # the runs' rates
    second: float
    h: float  # Cohen's effect size: 0.2 small, 0.5 medium, 0.8 large


class RunComparison(Frozen):
    """Two runs over the tasks that both hold. Ratios above 1 mean that the second run's kernels take less time."""

    tasks: int
    both: int
    first_alone: tuple[str, ...]  # solved by the first run alone
    second_alone: tuple[str, ...]
    p_solved: float  # that such a difference arises by chance: exact McNemar test, two-sided
    p_solved_mid: float  # its mid-p-value, which errs as often as it says
    odds: OddsRatio | None = None  # of a task that one run alone solves: that it is the second
    rates: tuple[RateDifference, ...] = ()
    ratios: tuple[TimeRatio, ...] = ()  # smallest first
    mean_ratio: float | None = None  # geometric
    low: float | None = None  # of its bootstrap interval over tasks
    high: float | None = None
    p_time: float | None = None  # Wilcoxon's signed-rank test of the logarithms
    time_source: str | None = None

    @property
    def p(self) -> float:
        """Return the value that decides: of what one sample solves, the permutation test's mid-p-value.

        With one sample a task, it is McNemar's.
        """
        return self.rates[0].p_mid

    @property
    def differ(self) -> bool:
        """Say whether the two runs differ, by themselves: of several, see RunPair."""
        return self.p < LEVEL


class RunPair(Frozen):
    """Two of several runs. `p` is corrected for the number of pairs (Holm)."""

    first: str
    second: str
    comparison: RunComparison
    p: float
    differ: bool


def compare_all(stores: Sequence[BenchStore], seed: int = 0) -> tuple[RunPair, ...]:
    """Compare every pair of runs. Raises InputError as `compare` does."""
    pairs = [(a, b, compare(a, b, seed)) for a, b in combinations(stores, 2)]
    names = run_names([store.folder for store in stores])
    return tuple(
        RunPair(first=names[a.folder], second=names[b.folder], comparison=found, p=p, differ=p < LEVEL)
        for (a, b, found), p in zip(pairs, holm([found.p for *_, found in pairs]), strict=True)
    )


def run_names(folders: Sequence[Path]) -> dict[Path, str]:
    """Return each folder's name, with as many of its parents' as tell it from the others."""
    names = {folder: folder.resolve().parts for folder in folders}
    most = max(len(parts) for parts in names.values())
    depth = next(
        n for n in range(1, most + 1) if n == most or len({p[-n:] for p in names.values()}) == len(names)
    )
    return {folder: "/".join(parts[-depth:]) for folder, parts in names.items()}


def compare(first: BenchStore, second: BenchStore, seed: int = 0) -> RunComparison:
    """Compare two runs. Raises InputError if they share no judged task, or their times come from different sources."""
    left, right = _solved(first.records()), _solved(second.records())
    tasks = sorted(left.keys() & right.keys())
    if not tasks:
        raise InputError(
            f"{first.folder} and {second.folder} share no judged task.", "Compare runs of one suite and mode."
        )
    alone = [[t for t in tasks if a[t] and not b[t]] for a, b in ((left, right), (right, left))]
    ratios = sorted((r for t in tasks if (r := _ratio(left[t], right[t])) is not None), key=lambda r: r.ratio)
    timed = [record for side in (left, right) for t in tasks if (record := side[t]) is not None]
    sources = {record.time_source for record in timed}
    sources.discard(None)
    if ratios and len(sources) > 1:
        raise InputError(
            "One run's times are predicted and the other's measured.", "Compare runs of one toolchain."
        )
    found = RunComparison(
        tasks=len(tasks), both=sum(left[t] is not None and right[t] is not None for t in tasks),
        first_alone=tuple(alone[0]), second_alone=tuple(alone[1]), p_solved=mcnemar(len(alone[0]), len(alone[1])),
        p_solved_mid=mid_p(len(alone[0]), len(alone[1])), odds=matched_odds(len(alone[0]), len(alone[1])),
        rates=tuple(_rates(first.records(), second.records(), seed)), ratios=tuple(ratios),
    )  # fmt: skip
    if not ratios:
        return found
    logs = np.log([r.ratio for r in ratios])
    low, high = np.exp(bootstrap(list(logs), seed))
    return found.model_copy(update={
        "mean_ratio": float(np.exp(logs.mean())), "low": float(low), "high": float(high),
        "p_time": float(stats.wilcoxon(logs).pvalue) if np.any(logs) else 1.0, "time_source": sources.pop(),
    })  # fmt: skip


def _rates(first: Sequence[Record], second: Sequence[Record], seed: int) -> Iterator[RateDifference]:
    """Yield the differences for one sample, and for as many as every common task has on both sides."""
    counts = [
        {samples[0].task: (len(samples), sum(r.solved for r in samples)) for samples in by_task(side)}
        for side in (first, second)
    ]
    tasks = sorted(counts[0].keys() & counts[1].keys())
    most = min((side[t][0] for side in counts for t in tasks), default=0)
    for k in sorted({1, most} - {0}):
        before, after = ([at_least_one(*side[t], k) for t in tasks] for side in counts)
        means = {"first": float(np.mean(before)), "second": float(np.mean(after))}
        yield RateDifference(
            k=k, tasks=len(tasks), **means, h=cohens_h(*means.values()), **paired_difference(before, after, seed)
        )  # fmt: skip


def _solved(records: Sequence[Record]) -> dict[str, Record | None]:
    """Return each judged task's fastest solved sample, None where no sample is."""
    found: dict[str, Record | None] = {}
    for samples in by_task(records):
        solved = [r for r in samples if r.solved]
        found[samples[0].task] = min(
            solved, key=lambda r: r.time_us if r.time_us is not None else np.inf, default=None
        )
    return found


def _ratio(first: Record | None, second: Record | None) -> TimeRatio | None:
    if first is None or second is None:
        return None
    left, right = (
        {c.id: c.time_us for c in r.cases if c.outcome == Outcome.CORRECT and c.time_us}
        for r in (first, second)
    )
    common = sorted(left.keys() & right.keys())
    if not common:
        return None
    a, b = (float(np.exp(np.mean(np.log([side[c] for c in common])))) for side in (left, right))
    return TimeRatio(
        task=first.task, level=first.level, category=first.category, first_us=a, second_us=b, ratio=a / b
    )
