"""A run's records taken apart: by category, family, dtype and shape class, failures by class, what attempts add."""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence

from akgen.bench.builtin import HELD_OUT_FAMILIES
from akgen.bench.metrics import Rate, rate
from akgen.bench.record import CaseRow, Record
from akgen.knowledge.errors import class_of
from akgen.tools.core.frozen import Frozen
from akgen.tools.core.outcome import Outcome


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
