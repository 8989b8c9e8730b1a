"""A run's records taken apart: categories, families, dtypes, shapes, failures by class, what attempts add; fast_p.

fast_p is the share of tasks that are solved, and more than p times as fast as what they are compared with. With a
baseline, a file of KernelBench's convention (`{"level1": {"1_Name.py": {"mean": milliseconds, ...}}}`), the times of
both are those of full sizes. Without one, the comparison is with the least time that the twin says the task needs: its
roofline, of which no kernel is faster, so p goes to 1.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

from akgen.bench.builtin import HELD_OUT_FAMILIES
from akgen.bench.metrics import Rate, rate
from akgen.bench.record import BenchConfig, CaseRow, Record
from akgen.knowledge.errors import class_of
from akgen.tools.core.frozen import Frozen
from akgen.tools.core.outcome import InputError, Outcome
from akgen.tools.core.plain_text import shown
from akgen.tools.core.untrusted import FileRefused, JsonRefused, parse_object, read_bytes

_OF_BASELINE = (0.0, 0.5, 0.8, 1.0, 1.5, 2.0)
_OF_ROOFLINE = (0.0, 0.25, 0.5, 0.75, 0.9)


class ResultGroup(Frozen):
    """Some of a run. `total` and `good` count samples, of cases the cases; `rate` is the mean over tasks."""

    tasks: int
    total: int
    good: int
    rate: Rate


def by_category(records: Iterable[Record]) -> dict[str, ResultGroup]:
    """Return how many samples of each category are solved."""
    return _by_sample(records, lambda r: r.category)


def by_family(records: Iterable[Record]) -> dict[str, ResultGroup]:
    """Return how many samples of the built-in suite are solved: of held-out families, and of all others."""
    return _by_sample(records, lambda r: "held_out" if r.category in HELD_OUT_FAMILIES else "not_held_out")


def _by_sample(records: Iterable[Record], key: Callable[[Record], str]) -> dict[str, ResultGroup]:
    groups: defaultdict[str, list[Record]] = defaultdict(list)
    for record in records:
        if record.error is None:
            groups[key(record)].append(record)
    return {
        name: ResultGroup(
            tasks=len({r.task for r in mine}), total=len(mine), good=sum(r.solved for r in mine), rate=found
        )
        for name, mine in sorted(groups.items())
        if (found := rate(mine, lambda r: r.solved, 1)) is not None
    }


def by_case(records: Iterable[Record], key: Callable[[CaseRow], str]) -> dict[str, ResultGroup]:
    """Return how many judged cases of each kind are correct; a case that was not reached counts for none."""
    found: defaultdict[str, list[tuple[str, bool]]] = defaultdict(list)
    for record in records:
        for case in record.cases if record.error is None else ():
            found[key(case)].append((record.task, case.outcome == Outcome.CORRECT))
    return {name: _group(found[name]) for name in sorted(found)}


def drawn(records: Iterable[Record]) -> dict[str, ResultGroup]:
    """Return on how many samples that are right on all listed shapes those that the judge drew held as well."""
    tried = [(r.task, r.drawn == Outcome.CORRECT) for r in records if r.drawn is not None]
    return {"drawn": _group(tried)} if tried else {}


def _group(judged: Sequence[tuple[str, bool]]) -> ResultGroup:
    """ResultGroup (task, good) pairs; the rate is the mean over tasks of the share that is good."""
    from akgen.bench.statistics import interval

    by: defaultdict[str, list[bool]] = defaultdict(list)
    for task, good in judged:
        by[task].append(good)
    shares = [sum(goods) / len(goods) for goods in by.values()]
    low, high = interval(shares, 0)
    return ResultGroup(
        tasks=len(by),
        total=len(judged),
        good=sum(good for _, good in judged),
        rate=Rate(value=sum(shares) / len(shares), low=low, high=high, k=1),
    )


def failure_tree(records: Iterable[Record]) -> dict[str, dict[str, int]]:
    """Count what is not solved by class and, within it, by first code, by cause of wrong numbers, or by outcome."""
    found: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for record in records:
        if record.solved or record.outcome is None:
            continue
        code = record.codes[0] if record.codes else None
        name = code or (record.cause if record.outcome == Outcome.WRONG else None) or str(record.outcome)
        found[class_of(code, str(record.outcome))][name] += 1
    order = sorted(found, key=lambda c: (-found[c].total(), c))
    return {name: dict(found[name].most_common()) for name in order}


def solved_by_attempt(records: Sequence[Record]) -> tuple[Rate, ...]:
    """Return the share of samples solved by attempt 1, 2, …, each `k` an attempt: what repair brings."""
    most = max((len(r.course) for r in records), default=0) or 1

    def by(k: int) -> Rate | None:
        return rate(records, lambda r: first_solved(r) <= k, 1)

    return tuple(r.model_copy(update={"k": k}) for k in range(1, most + 1) if (r := by(k)) is not None)


def first_solved(record: Record) -> float:
    """Return the number of the attempt that solved it, infinity if none did."""
    if not record.solved:
        return float("inf")
    return record.course.index("correct") + 1 if "correct" in record.course else 1


class FastP(Frozen):
    """Shares by p. `speedups` holds each solved task's: its best sample's time against what it is compared with."""

    against: Literal["baseline", "roofline of the twin"]
    times: str | None  # "predicted" or "measured", of the kernels
    baseline: str | None = None  # the file
    tasks: int
    without: int = 0  # tasks that the baseline has no time of; they count as not fast
    p: dict[str, float]
    speedups: dict[str, float]


def read_baseline(file: Path) -> dict[str, float]:
    """Return the mean milliseconds of every problem by name. Raises InputError for a file that is none."""
    try:
        told = parse_object(read_bytes(file))
    except (FileRefused, JsonRefused) as e:
        raise InputError(
            f"{file} is no baseline: {shown(str(e))}.", "Give a JSON file of KernelBench's."
        ) from e
    found: dict[str, float] = {}
    for problems in [told, *told.values()]:
        for name, times in problems.items() if isinstance(problems, dict) else ():
            mean = _mean(times)
            if mean is not None:
                found.setdefault(str(name).rsplit("/", 1)[-1].removesuffix(".py"), mean)
    if not found:
        raise InputError(
            f"{file} holds no times.", 'Give {"level1": {"1_Name.py": {"mean": milliseconds}}} and so on.'
        )
    return found


def _mean(times: Any) -> float | None:
    value = times.get("mean") if isinstance(times, dict) else times
    if not isinstance(value, int | float) or isinstance(value, bool) or value <= 0:
        return None
    return float(value)


def against_baseline(
    config: BenchConfig, records: Sequence[Record], baseline: Mapping[str, float], file: Path
) -> FastP:
    """Compare with a baseline. Raises InputError where sizes are scaled: its times are of others."""
    if config.suite in ("mkb", "kernelbench") and not config.full_sizes:
        raise InputError(
            "The run's sizes are scaled, and a baseline's times are of full ones.",
            "Run with --scale full, or leave the baseline out: then the roofline is what kernels are compared with.",
        )
    speedups = _best(
        records, lambda r: baseline[r.task] * 1e3 / r.time_us if r.task in baseline and r.time_us else None
    )
    without = sum(name not in baseline for name in config.tasks)
    return _shares("baseline", config, records, speedups, _OF_BASELINE).model_copy(
        update={"baseline": str(file), "without": without}
    )


def against_roofline(config: BenchConfig, records: Sequence[Record]) -> FastP | None:
    """Compare with the least time that the twin says each case needs; None where no record has it."""
    speedups = _best(records, _share_of_roofline)
    return _shares("roofline of the twin", config, records, speedups, _OF_ROOFLINE) if speedups else None


def _share_of_roofline(record: Record) -> float | None:
    if record.roofline_us is None or not record.time_us:
        return None
    return min(1.0, record.roofline_us / record.time_us)


def _best(records: Sequence[Record], speedup: Callable[[Record], float | None]) -> dict[str, float]:
    best: dict[str, float] = {}
    for record in records:
        found = speedup(record) if record.solved else None
        if found is not None:
            best[record.task] = max(best.get(record.task, 0.0), found)
    return {name: round(value, 4) for name, value in best.items()}


def _shares(
    against: Literal["baseline", "roofline of the twin"],
    config: BenchConfig,
    records: Sequence[Record],
    speedups: dict[str, float],
    ps: Sequence[float],
) -> FastP:
    tasks = max(1, len(config.tasks))
    solved = {r.task for r in records if r.solved}
    return FastP(
        against=against,
        times=next((str(r.time_source) for r in records if r.solved and r.time_source), None),
        tasks=len(config.tasks),
        p={
            f"{p:g}": round(len(solved if p == 0 else [s for s in speedups.values() if s > p]) / tasks, 4)
            for p in ps
        },
        speedups=speedups,
    )
