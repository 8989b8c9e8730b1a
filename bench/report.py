"""The report of a bench run: one JSON document, one table, one HTML page, all from results.jsonl."""

import statistics
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path

from pydantic import Field

from akgen.bench.breakdown import (
    FastP,
    ResultGroup,
    against_baseline,
    against_roofline,
    by_case,
    by_category,
    by_family,
    drawn,
    failure_tree,
    read_baseline,
    solved_by_attempt,
)
from akgen.bench.metrics import FixRate, GainCalibration, Rate, calibration, fix_rates, rate, score
from akgen.bench.record import BenchConfig, Blame, Record
from akgen.tools.core.frozen import Frozen

KS = (1, 5, 10, 100)


class Failure(Frozen):
    task: str
    outcome: str
    why: str


class LevelReport(Frozen):
    """One level. A task is compiled or solved if one of its samples is; `failed` lists the tasks without one."""

    tasks: int
    compiled: int
    solved: int
    failed: tuple[Failure, ...]
    not_run: tuple[str, ...] = ()
    cr: tuple[Rate, ...] = ()
    er: tuple[Rate, ...] = ()
    cases: int = 0
    cases_correct: int = 0
    # Of correct cases whose numbers our tolerance decides: the largest difference as a share of what is allowed there.
    most_used: float | None = None
    processor_s: float | None = None  # the median of what solved samples took, where it was measured


class Spending(Frozen):
    """What was spent for each solved sample, failures included; None where none was solved."""

    solved: int
    seconds: float | None = None
    tokens: float | None = None
    cost: float | None = None  # in the currency of the model's prices


class FaultTally(Frozen):
    """What went wrong that was no candidate's fault. Machine faults alone are tried again."""

    machine: int = 0  # samples without an outcome, after all tries
    input: int = 0
    bug: int = 0
    mended: int = 0  # samples that have an outcome after a machine failed them
    tries: int = 0  # that machines failed, of all samples


class Report(Frozen):
    """What `akgen bench run --json` and `akgen bench report --json` print."""

    suite: str
    source: str
    mode: str
    toolchain: str
    strict: bool = False  # what devices tolerate counted as an error
    levels: dict[str, LevelReport]
    score: float | None = None  # NPUKernelBench's weighting; None for other suites and unfinished runs
    samples: int = 1
    max_mb: float | None = None
    memory: bool = False  # then tasks were not solved independently
    errors: tuple[Failure, ...] = ()  # of the machine or of AKGen, beside the score
    faults: FaultTally = FaultTally()
    outcomes: dict[str, int] = Field(default={})
    codes: dict[str, int] = Field(default={})
    repairs: dict[str, FixRate] = Field(default={})  # by code, where samples had more than one attempt
    tuning: dict[str, GainCalibration] = Field(default={})  # by kind of change, where kernels were tuned
    wall_s: float = 0.0
    input_tokens: int = 0  # of all model calls
    output_tokens: int = 0
    cost: float = 0.0  # in the currency of the model's prices
    sandbox_missing: tuple[str, ...] = ()  # what the machine refuses to the sandbox
    model: str = ""
    seed: int = 0
    temperature: tuple[float, ...] = ()  # of samples, in turn; of a model
    top_p: tuple[float, ...] = ()
    attempts: int = 1
    cr: tuple[Rate, ...] = ()  # over all levels
    er: tuple[Rate, ...] = ()
    categories: dict[str, ResultGroup] = Field(default={})
    families: dict[str, ResultGroup] = Field(
        default={}
    )  # held out from our models' training, or not; built-in suite
    dtypes: dict[str, ResultGroup] = Field(default={})  # of cases
    shapes: dict[str, ResultGroup] = Field(default={})  # cases with listed shapes; samples on drawn ones
    failures: dict[str, dict[str, int]] = Field(default={})  # samples by class, then by code or cause
    solved_by: tuple[Rate, ...] = ()  # share of samples solved by attempt k: what repair brings
    per_solved: Spending = Spending(solved=0)
    fast_p: FastP | None = None  # of KernelBench's convention; None: no time is known


def report(
    config: BenchConfig, records: Sequence[Record], levels: dict[str, int], baseline: Path | None = None
) -> Report:
    """Make the report; `levels` gives the level of every task of the run, also of those without a record.

    `baseline` is a file of KernelBench's times. Raises InputError if it cannot be used.
    """
    numbers = sorted(set(levels.values()))
    complete = config.suite == "npukb" and set(levels) == {r.task for r in records if r.error is None}
    return Report(
        suite=config.suite,
        source=config.source,
        mode=config.mode,
        toolchain=config.toolchain,
        strict=config.strict,
        levels={
            str(n): _level(config, [r for r in records if r.level == n], _names(levels, n)) for n in numbers
        },
        score=score(records) if complete else None,
        samples=config.samples,
        max_mb=config.max_mb,
        memory=config.memory,
        errors=tuple(
            Failure(task=r.task, outcome="error", why=r.error) for r in records if r.error is not None
        ),
        faults=_faults(records),
        outcomes=dict(Counter(str(r.outcome) for r in records if r.outcome is not None).most_common()),
        codes=dict(Counter(code for r in records for code in r.codes).most_common()),
        repairs=fix_rates(records),
        tuning=calibration(records),
        wall_s=round(sum(r.wall_s for r in records), 1),
        input_tokens=sum(r.input_tokens for r in records),
        output_tokens=sum(r.output_tokens for r in records),
        cost=sum(r.cost for r in records),
        sandbox_missing=config.sandbox_missing,
        model=config.model,
        seed=config.seed,
        temperature=config.sampling.temperature if config.source == "model" else (),
        top_p=config.sampling.top_p if config.source == "model" else (),
        attempts=config.attempts,
        cr=_rates(config, records, lambda r: r.compiled),
        er=_rates(config, records, lambda r: r.solved),
        categories=by_category(records),
        families=by_family(records) if config.suite == "builtin" else {},
        dtypes=by_case(records, lambda case: case.dtype or "not named"),
        shapes={**by_case(records, lambda _: "listed"), **drawn(records)},
        failures=failure_tree(records),
        solved_by=solved_by_attempt(records),
        per_solved=_spending(records),
        fast_p=against_roofline(config, records)
        if baseline is None
        else against_baseline(config, records, read_baseline(baseline), baseline),
    )


def _rates(
    config: BenchConfig, records: Sequence[Record], good: Callable[[Record], bool]
) -> tuple[Rate, ...]:
    return tuple(r for k in KS if k <= config.samples and (r := rate(records, good, k)) is not None)


def _spending(records: Sequence[Record]) -> Spending:
    solved = sum(r.solved for r in records)
    if not solved:
        return Spending(solved=0)
    return Spending(
        solved=solved,
        seconds=sum(r.wall_s for r in records) / solved,
        tokens=sum(r.input_tokens + r.output_tokens for r in records) / solved,
        cost=sum(r.cost for r in records) / solved,
    )


def _faults(records: Sequence[Record]) -> FaultTally:
    blamed = Counter(r.fault for r in records if r.error is not None)
    return FaultTally(
        machine=blamed[Blame.MACHINE],
        input=blamed[Blame.INPUT],
        bug=blamed[Blame.BUG],
        mended=sum(r.error is None and r.tries > 1 for r in records),
        tries=sum(r.tries - 1 for r in records) + blamed[Blame.MACHINE],
    )


def _names(levels: dict[str, int], level: int) -> tuple[str, ...]:
    return tuple(name for name, number in levels.items() if number == level)


def _level(config: BenchConfig, records: Sequence[Record], names: tuple[str, ...]) -> LevelReport:
    groups = {name: [r for r in records if r.task == name] for name in names}
    failed = [
        _failure(samples)
        for samples in groups.values()
        if samples and not any(r.solved for r in samples) and any(r.error is None for r in samples)
    ]
    return LevelReport(
        tasks=len(names),
        compiled=sum(any(r.compiled for r in s) for s in groups.values()),
        solved=sum(any(r.solved for r in s) for s in groups.values()),
        failed=tuple(failed),
        not_run=tuple(name for name, samples in groups.items() if not samples),
        cr=_rates(config, records, lambda r: r.compiled),
        er=_rates(config, records, lambda r: r.solved),
        cases=sum(len(r.cases) for r in records),
        cases_correct=sum(c.outcome == "correct" for r in records for c in r.cases),
        most_used=max(
            (
                c.max_used
                for r in records
                for c in r.cases
                if c.outcome == "correct" and c.own_checker is None and c.max_used is not None
            ),
            default=None,
        ),
        processor_s=_median([r.processor_s for r in records if r.solved and r.processor_s is not None]),
    )


def _median(values: Sequence[float]) -> float | None:
    return round(statistics.median(values), 2) if values else None


def _failure(samples: Sequence[Record]) -> Failure:
    """Describe a task by its best sample: one that compiled before one that did not."""
    best = max((s for s in samples if s.error is None), key=lambda r: (r.compiled, len(r.cases), -r.sample))
    return Failure(task=best.task, outcome=str(best.outcome), why=best.why)
