"""The batch runner: every task of a suite, by the workers of an executor, resumable after any crash.

Here, and nowhere else, `except Exception` stands: a bug of ours on one task is recorded, and the run goes on.
"""

import time
import traceback
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from statistics import fmean

from akgen.bench.executors.executor import (
    Answered,
    Beat,
    Died,
    Event,
    Executor,
    Gone,
    Job,
    Joined,
    Joining,
    Lease,
    Stage,
)
from akgen.bench.executors.scheduler import Limits, Scheduler
from akgen.bench.job import Bench
from akgen.bench.record import Blame, Record
from akgen.bench.store import BenchStore
from akgen.tools.core.outcome import InfraError, InputError, Outcome, after_candidate
from akgen.tools.core.plain_text import shown
from akgen.tools.core.settings import Settings
from akgen.tools.twin.report import candidate_ran

OnStart = Callable[[str], None]
TICK_S = 1.0  # between two looks for silent workers
NO_WORKERS_S = 300.0  # that a run waits for a worker


def pending(
    store: BenchStore, folders: Mapping[str, Path], levels: Mapping[str, int], *, compile_apart: bool = False
) -> tuple[Job, ...]:
    """Return the jobs that have no outcome yet, in the order of the tasks; the caller holds the run.

    Samples that are written during the run are one job; those that exist are one each, and may `compile_apart`.
    """
    store.recover()
    done = store.done()
    together = store.config.solves
    jobs = []
    for name, folder in folders.items():
        samples = tuple(n for n in range(store.config.samples) if (name, n) not in done)
        job = Job(task=name, folder=folder, level=levels[name], samples=samples)
        if compile_apart and not together:
            job = job.model_copy(update={"stage": Stage.COMPILE})
        jobs += [job] if together and samples else [job.model_copy(update={"samples": (n,)}) for n in samples]
    return tuple(jobs)


def run(
    store: BenchStore,
    jobs: Sequence[Job],
    executor: Executor,
    *,
    settings: Settings,
    on_start: OnStart = lambda _task: None,
    limits: Limits | None = None,
) -> Iterator[Record]:
    """Do the jobs and yield each record after it is on disk, each sample's once.

    A job whose worker exceeds the task's time is recorded as a timeout. One whose worker dies, or whose machine fails
    it, is tried again elsewhere; then it is recorded as an error, or as failed if its own code was running. Raises
    InfraError if there are no workers.
    """
    spent: dict[str, list[float]] = {}
    for record in store.records():
        spent.setdefault(record.task, []).append(record.wall_s)
    expected_s = {task: fmean(seconds) for task, seconds in spent.items()}
    scheduler = Scheduler(jobs, time.monotonic, expected_s=expected_s, limits=limits)
    with executor:
        yield from _Ledger(store, scheduler, executor, settings, on_start).fill()


class _Ledger:
    """Takes what workers answer, and puts each sample's record on disk once."""

    def __init__(
        self,
        store: BenchStore,
        scheduler: Scheduler,
        executor: Executor,
        settings: Settings,
        on_start: OnStart,
    ) -> None:
        self._store, self._scheduler, self._executor, self._on_start = store, scheduler, executor, on_start
        self._setup = {
            "config": store.config.model_dump(mode="json"),
            "run": str(store.folder.resolve()),
        }
        self._settings = settings
        self._begun: dict[int, tuple[float, float]] = {}  # by lease: seconds since the epoch, and monotonic

    def fill(self) -> Iterator[Record]:
        alone_since = time.monotonic()
        while not self._scheduler.finished:
            for lease in self._scheduler.leases():
                self._submit(lease)
            records = [r for event in self._executor.wait(TICK_S) for r in self._records(event)]
            for lease in self._scheduler.silent():
                self._executor.end(lease.worker)
                records += self._died(Died(lease=lease.number, text="gave no sign of life"))
            self._store.append(*records)
            yield from records
            if self._scheduler.workers:
                alone_since = time.monotonic()
            elif time.monotonic() - alone_since > NO_WORKERS_S:
                raise InfraError(
                    "There are no workers.", "Add nodes to the cluster; the same command goes on."
                )

    def _submit(self, lease: Lease) -> None:
        self._on_start(lease.job.task)
        self._begun[lease.number] = time.time(), time.monotonic()
        settings = self._settings.model_copy(
            update={"device": self._scheduler.slot(lease.worker).device or 0}
        )
        message = {
            **self._setup,
            "settings": settings.model_dump(mode="json"),
            "job": lease.job.model_dump(mode="json"),
        }
        self._executor.submit(lease, message, self._store.config.task_timeout_s * len(lease.job.samples))

    def _records(self, event: Event) -> Sequence[Record]:
        """Return the records that are final with this event."""
        match event:
            case Joining():
                self._scheduler.joining(event.slot)
            case Joined():
                self._scheduler.joined(event.slot)
            case Beat():
                self._scheduler.beat(event.worker)
            case Answered():
                return self._answered(event)
            case Died():
                return self._died(event)
            case Gone():
                return self._gone(event)
        return ()

    def _answered(self, event: Answered) -> Sequence[Record]:
        lease = self._scheduler.lease(event.lease)
        if lease is None:
            return ()  # it was taken back, and another worker's answer counts
        records = [Record.model_validate(r) for r in event.answer["records"]]
        records = [r.model_copy(update={"tries": lease.job.attempt}) for r in records]
        by_machine = tuple(r.sample for r in records if r.fault == Blame.MACHINE)
        if not by_machine:
            self._scheduler.answered(event.lease, compiled=lease.job.stage is Stage.COMPILE and not records)
            return records
        failed = self._scheduler.failed(event.lease, by_machine)
        again = failed is not None and failed[1]
        return [r for r in records if not (again and r.fault == Blame.MACHINE)]

    def _died(self, event: Died) -> Sequence[Record]:
        lease = self._scheduler.lease(event.lease)
        if lease is None:
            return ()
        settled, rest = self._settled(lease)
        if not rest or event.timed_out:
            self._scheduler.answered(event.lease)
            why = f"the task took longer than its {self._store.config.task_timeout_s:.0f} s"
            return [*settled, *self._without(lease, rest, Outcome.TIMEOUT, why)]
        failed = self._scheduler.failed(event.lease, rest)
        if failed is None or failed[1]:
            return settled
        lines = event.tail.strip().splitlines()
        error = f"the worker process {event.text}: {shown(lines[-1]) if lines else 'no message'}"
        return [*settled, *self._given_up(lease, rest, error)]

    def _gone(self, event: Gone) -> Sequence[Record]:
        lease = self._scheduler.held(event.worker)
        settled, rest = self._settled(lease) if lease is not None else ([], ())
        failed = self._scheduler.gone(event.worker, rest)
        if failed is None or failed[1] or not rest:
            return settled
        return [*settled, *self._given_up(failed[0], rest, f"the worker {event.worker} is gone")]

    def _settled(self, lease: Lease) -> tuple[list[Record], tuple[int, ...]]:
        """Return the verdicts that a worker put on disk before it was lost, and the samples without one."""
        found = [self._store.settled(lease.job.task, n) for n in lease.job.samples]
        settled = [r.model_copy(update={"tries": lease.job.attempt}) for r in found if r is not None]
        return settled, tuple(n for n, r in zip(lease.job.samples, found, strict=True) if r is None)

    def _given_up(self, lease: Lease, samples: tuple[int, ...], error: str) -> Sequence[Record]:
        """Return the records of a job that workers died of: a sample whose own code was running has failed."""
        ran = _launched(self._store.folder, lease.job, self._begun[lease.number][0]).intersection(samples)
        rest = tuple(n for n in samples if n not in ran)
        return [
            *self._without(lease, tuple(sorted(ran)), Outcome.TRAP, f"its code had run: {error}"),
            *self._without(lease, rest, None, "", error),
        ]

    def _without(
        self,
        lease: Lease,
        samples: tuple[int, ...],
        outcome: Outcome | None,
        why: str,
        error: str | None = None,
    ) -> list[Record]:
        wall_s = time.monotonic() - self._begun[lease.number][1]
        fault = None if error is None else Blame.MACHINE
        empty = [_empty(lease.job, n, outcome, why, error, fault, wall_s) for n in samples]
        return [r.model_copy(update={"tries": lease.job.attempt}) for r in empty]


def answer(
    bench: Bench, job: Job, settle: Callable[[Record], Record] = lambda record: record
) -> list[Record]:
    """Do a job in the worker process; whatever goes wrong becomes a record.

    `settle` puts a verdict on disk, and returns the one that counts.
    """
    started = time.monotonic()
    records: list[Record] = []
    try:
        records.extend(map(settle, bench.perform(job)))
    except (InputError, InfraError) as e:
        error, ran = f"{e.text} {e.remedy}", after_candidate(e)
        fault = Blame.MACHINE if isinstance(e, InfraError) else Blame.INPUT
    except Exception as e:  # noqa: BLE001 (the one place for it)
        ran = after_candidate(e)
        place = traceback.extract_tb(e.__traceback__)[-1]
        fault = Blame.BUG
        error = f"bug in AKGen: {type(e).__name__}: {e} ({Path(place.filename).name}:{place.lineno})"
        traceback.print_exc()
    else:
        return records
    done = {r.sample for r in records}
    wall_s = time.monotonic() - started
    rest = [n for n in job.samples if n not in done]
    # Samples are judged one after the other, so the first of the rest broke; written ones break together.
    answers = set(rest) if bench.solves else set(rest[:1])
    return records + [
        broken(job, n, f"{ran}: {error}", wall_s)
        if ran is not None and n in answers
        else failed(job, n, error, fault, wall_s)
        for n in rest
    ]


def broken(job: Job, sample: int, why: str, wall_s: float = 0.0) -> Record:
    """Return the record of a sample that had a part in what broke: it has failed, and is not done again."""
    return _empty(job, sample, Outcome.TRAP, why, None, None, wall_s)


def _launched(run: Path, job: Job, since_s: float) -> frozenset[int]:
    """Return the samples of a job whose code was running when the worker died, by the reports that lie about."""
    return frozenset(
        n
        for n in job.samples
        for folder in (*(run / "work").glob(f"{job.task}-{n}*"), run / "tasks" / job.task / f"sample-{n}")
        if folder.name.split(".")[0] in (f"{job.task}-{n}", f"sample-{n}")
        for report in folder.rglob("report.jsonl")
        if report.stat().st_mtime >= since_s - 1 and candidate_ran(report)
    )


def failed(job: Job, sample: int, error: str, fault: Blame, wall_s: float = 0.0) -> Record:
    """Return the record of a sample that could not be judged."""
    return _empty(job, sample, None, "", error, fault, wall_s)


def _empty(
    job: Job,
    sample: int,
    outcome: Outcome | None,
    why: str,
    error: str | None,
    fault: Blame | None,
    wall_s: float,
) -> Record:
    return Record(
        task=job.task,
        sample=sample,
        level=job.level,
        category="",
        outcome=outcome,
        why=why,
        error=error,
        fault=fault,
        wall_s=round(wall_s, 3),
    )
