"""Which worker does which job, and what becomes of those that fail. No process and no clock of its own.

Jobs that take longest come first, so that short ones fill the end. Among those that take about as long, a worker goes
on with the task that it knows; else it takes a task whose first job is not still out, since that one makes what the
others share, and of these the one with the most work left for each worker on it.

A job that a machine failed is given to another worker, up to `Limits.attempts` times; it waits for one that is being
started. A worker that failed two jobs in a row gets no more, unless another worker fails one of them too: then the job
is to blame. The last worker is kept, if no other is being started.
"""

import math
from collections import deque
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from statistics import fmean

from akgen.bench.executors.executor import Job, Lease, Stage, WorkerSlot
from akgen.tools.core.frozen import Frozen

Clock = Callable[[], float]  # seconds, never going back


class Limits(Frozen):
    """When a lease or a worker is given up."""

    attempts: int = 3  # of a job that machines fail
    failures: int = 2  # of a worker, in a row and not the jobs' fault
    silence_s: float = 60.0  # without a beat
    compiled_ahead: int = 2  # builds that wait, for each worker that runs them


@dataclass
class _Worker:
    slot: WorkerSlot
    lease: Lease | None = None
    task: str | None = None  # that it did last
    seen_s: float = 0.0
    strikes: set[tuple[str, tuple[int, ...]]] = field(default_factory=set)


@dataclass
class _Work:
    """What is left of a task in one stage."""

    jobs: deque[Job] = field(default_factory=deque)
    left_s: float = 0.0
    workers: int = 0  # that are on it
    begun: bool = False
    shared: bool = False  # its first job is done


class Scheduler:
    """Hand out leases and keep count of what they came to. The same calls give the same leases."""

    def __init__(
        self,
        jobs: Iterable[Job],
        now: Clock,
        *,
        expected_s: Mapping[str, float] | None = None,
        limits: Limits | None = None,
    ) -> None:
        """`expected_s` says how long a sample of a task takes, where that is known."""
        self._now, self._limits, self._expected_s = now, limits or Limits(), dict(expected_s or {})
        self._unknown_s = fmean(self._expected_s.values()) if self._expected_s else 1.0
        self._work: dict[Stage, dict[str, _Work]] = {stage: {} for stage in Stage}
        self._workers: dict[str, _Worker] = {}
        self._joining: dict[str, tuple[WorkerSlot, float]] = {}  # with the second since when
        self._idle: dict[str, _Worker] = {}
        self._held: set[tuple[str, int] | str] = set()  # by the leases that are out
        self._struck: set[str] = set()  # workers with strikes
        self._out: dict[int, Lease] = {}
        self._failed_on: dict[tuple[str, tuple[int, ...]], list[str]] = {}
        self._given = 0
        self.waiting = 0  # jobs that no worker has
        for job in jobs:
            self._put(job)

    @property
    def finished(self) -> bool:
        return not self.waiting and not self._out

    def slot(self, worker: str) -> WorkerSlot:
        return self._workers[worker].slot

    @property
    def workers(self) -> tuple[str, ...]:
        return tuple(self._workers)

    @property
    def quarantined(self) -> frozenset[str]:
        """Return the workers that get no more jobs."""
        bad = {n for n in self._struck if len(self._workers[n].strikes) >= self._limits.failures}
        if not bad:
            return frozenset()
        for stage in Stage:
            able = [n for n, w in self._workers.items() if stage in w.slot.stages]
            if able and bad.issuperset(able) and not self._starting(stage):
                bad.discard(min(able, key=lambda n: len(self._workers[n].strikes)))
        return frozenset(bad)

    def joining(self, slot: WorkerSlot) -> None:
        """Note that a worker is being started; for as long as a silent one is waited for, jobs may wait for it."""
        self._joining[slot.name] = (slot, self._now())

    def joined(self, slot: WorkerSlot) -> None:
        self._joining.pop(slot.name, None)
        self._workers[slot.name] = self._idle[slot.name] = _Worker(slot, seen_s=self._now())

    def beat(self, worker: str) -> None:
        if worker in self._workers:
            self._workers[worker].seen_s = self._now()

    def lease(self, number: int) -> Lease | None:
        """Return a lease that is still out; None if it was answered or taken back."""
        return self._out.get(number)

    def leases(self) -> list[Lease]:
        """Give jobs to the workers that have none."""
        bad = self.quarantined
        given = []
        for name, worker in list(self._idle.items()):
            if not self.waiting:
                break
            if name in bad or worker.slot.place in self._held:
                continue
            job = self._choose(worker, bad)
            if job is None:
                continue
            self._given += 1
            attempt = len(self._failed_on.get(job.key, ())) + 1
            job = job.model_copy(update={"attempt": attempt})
            worker.lease = Lease(number=self._given, job=job, worker=name)
            worker.seen_s, worker.task = self._now(), job.task
            self._out[self._given] = worker.lease
            self._held.add(worker.slot.place)
            del self._idle[name]
            given.append(worker.lease)
        return given

    def answered(self, number: int, *, compiled: bool = False) -> Lease | None:
        """Note that a lease is done; None if it had been taken back, and then its answer does not count.

        `compiled`: its builds are there, and a worker that runs them gets the job next.
        """
        lease = self._take_back(number)
        if lease is None:
            return None
        self._workers[lease.worker].strikes.clear()
        self._struck.discard(lease.worker)
        self._work[lease.job.stage][lease.job.task].shared = True
        if compiled:
            self._put(lease.job.model_copy(update={"stage": Stage.RUN}))
        return lease

    def failed(self, number: int, samples: tuple[int, ...] | None = None) -> tuple[Lease, bool] | None:
        """Note that a machine failed a lease, or only these samples of it.

        Return the lease, and whether they will be tried again; None if it had been taken back.
        """
        lease = self._take_back(number)
        if lease is None:
            return None
        again = lease.job.model_copy(update={"samples": samples or lease.job.samples})
        failed_on = self._failed_on.pop(lease.job.key, [])
        self._failed_on[again.key] = [*failed_on, lease.worker]
        others = [w for w in failed_on if w != lease.worker]
        for name in others:  # it fails wherever it is done
            if name in self._workers:
                self._workers[name].strikes.discard(lease.job.key)
        if not others:
            self._workers[lease.worker].strikes.add(again.key)
            self._struck.add(lease.worker)
        if lease.job.attempt >= self._limits.attempts:
            return lease, False
        self._put(again, first=True)
        return lease, True

    def held(self, worker: str) -> Lease | None:
        """Return the lease that a worker has."""
        return self._workers[worker].lease if worker in self._workers else None

    def gone(self, worker: str, samples: tuple[int, ...] | None = None) -> tuple[Lease, bool] | None:
        """Forget a worker; return what `failed` does of the lease that it held, of which these samples are lost."""
        lease = self.held(worker)
        if lease is None:
            lost = None
        elif samples == ():
            lost = None
            self.answered(lease.number)
        else:
            lost = self.failed(lease.number, samples)
        self._workers.pop(worker, None)
        self._joining.pop(worker, None)
        self._idle.pop(worker, None)
        self._struck.discard(worker)
        return lost

    def silent(self) -> list[Lease]:
        """Return the leases whose workers gave no sign of life for too long."""
        before = self._now() - self._limits.silence_s
        return [w.lease for w in self._workers.values() if w.lease is not None and w.seen_s < before]

    def _take_back(self, number: int) -> Lease | None:
        lease = self._out.pop(number, None)
        if lease is None:
            return None
        self._work[lease.job.stage][lease.job.task].workers -= 1
        worker = self._workers[lease.worker]
        worker.lease = None
        self._held.discard(worker.slot.place)
        self._idle[lease.worker] = worker
        return lease

    def _put(self, job: Job, *, first: bool = False) -> None:
        work = self._work[job.stage].setdefault(job.task, _Work())
        (work.jobs.appendleft if first else work.jobs.append)(job)
        work.left_s += self._seconds(job)
        self.waiting += 1

    def _seconds(self, job: Job) -> float:
        return self._expected_s.get(job.task, self._unknown_s) * len(job.samples)

    def _choose(self, worker: _Worker, bad: frozenset[str]) -> Job | None:
        for stage in (Stage.RUN, Stage.WHOLE, Stage.COMPILE):
            if stage not in worker.slot.stages or (stage is Stage.COMPILE and self._ahead()):
                continue
            open_ = [w for w in self._work[stage].values() if w.jobs]
            while open_:
                work = min(open_, key=lambda w: self._order(w, worker))
                job = next((j for j in work.jobs if self._may(worker, j, bad)), None)
                if job is None:
                    open_.remove(work)
                    continue
                work.jobs.remove(job)
                work.left_s -= self._seconds(job)
                work.workers += 1
                work.begun = True
                self.waiting -= 1
                return job
        return None

    def _order(self, work: _Work, worker: _Worker) -> tuple[int, bool, bool, float]:
        """Return what puts the work first that a worker should do."""
        alike = -round(
            math.log2(max(self._seconds(work.jobs[0]), 1e-3))
        )  # the long ones first, within a factor of two
        return (
            alike,
            work.jobs[0].task != worker.task,
            work.begun and not work.shared,
            -work.left_s / (work.workers + 1),
        )

    def _may(self, worker: _Worker, job: Job, bad: frozenset[str]) -> bool:
        """Say whether a worker may do a job: one that failed it leaves it to others, if there are any."""
        failed_on = self._failed_on.get(job.key)
        if not failed_on or worker.slot.name not in failed_on:
            return True
        others = (n for n, w in self._workers.items() if job.stage in w.slot.stages and n not in bad)
        return not self._starting(job.stage) and all(n in failed_on for n in others)

    def _starting(self, stage: Stage) -> bool:
        """Say whether a worker that does such jobs may soon be there."""
        after = self._now() - self._limits.silence_s
        return any(stage in slot.stages and since_s >= after for slot, since_s in self._joining.values())

    def _ahead(self) -> bool:
        """Say whether enough builds wait for those who run them."""
        runners = sum(Stage.RUN in w.slot.stages for w in self._workers.values())
        return sum(len(w.jobs) for w in self._work[Stage.RUN].values()) >= self._limits.compiled_ahead * max(
            runners, 1
        )
