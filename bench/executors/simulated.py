"""How a cluster would spend its time: the real scheduler, recorded durations, and a clock that nobody waits for."""

import heapq
import random
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from statistics import fmean

from akgen.bench.executors.executor import Job, WorkerSlot
from akgen.bench.executors.scheduler import Scheduler
from akgen.bench.record import Record
from akgen.tools.core.frozen import Frozen
from akgen.tools.core.outcome import InputError

LEAST_EFFICIENCY = 0.9


class ClusterModel(Frozen):
    """What a worker does besides judging. Measured on two cores with the twin."""

    start_s: float = 6.0  # imports, the reference process, the toolchain
    load_s: float = 0.3  # of a task that the worker did not do last
    driver_s: float = 0.0005  # for each verdict, one after the other: hand out, check, write in batches


class SimulatedRun(Frozen):
    """What came of it. `efficiency` is the share of the workers' time that went into verdicts."""

    workers: int
    verdicts: int
    judging_s: float
    wall_s: float

    @property
    def efficiency(self) -> float:
        return self.judging_s / (self.workers * self.wall_s)


def recorded(records: Iterable[Record]) -> dict[str, tuple[float, ...]]:
    """Return how long the samples of each task took. Raises InputError where none was judged."""
    found: dict[str, tuple[float, ...]] = {}
    for record in records:
        if record.error is None:
            found[record.task] = (*found.get(record.task, ()), record.wall_s)
    if not found:
        raise InputError("The run has no verdicts.", "Give the folder of a run that has judged something.")
    return found


def simulate(
    seconds: Mapping[str, Sequence[float]],
    workers: int,
    samples: int,
    *,
    seed: int = 0,
    model: ClusterModel | None = None,
) -> SimulatedRun:
    """Schedule `samples` of each task; each takes one of the task's recorded seconds, drawn with this seed.

    The scheduler knows the tasks' means, as a run that goes on does, and not what a sample will take.
    """
    model = model or ClusterModel()
    drawn = random.Random(seed)
    takes = {(t, n): drawn.choice(seconds[t]) for t in sorted(seconds) for n in range(samples)}
    jobs = [Job(task=t, folder=Path(), level=1, samples=(n,)) for t, n in takes]
    now_s = 0.0
    known_s = {t: fmean(s) for t, s in seconds.items()}
    scheduler = Scheduler(jobs, lambda: now_s, expected_s=known_s)
    for number in range(workers):
        scheduler.joined(WorkerSlot(name=f"worker-{number}", host=f"host-{number // 64}"))
    last: dict[str, str] = {}
    ends: list[tuple[float, int]] = []
    while not scheduler.finished:
        for lease in scheduler.leases():
            now_s += model.driver_s
            before = model.start_s if lease.worker not in last else 0.0
            before += model.load_s if last.get(lease.worker) != lease.job.task else 0.0
            last[lease.worker] = lease.job.task
            before += takes[lease.job.task, lease.job.samples[0]]
            heapq.heappush(ends, (now_s + before, lease.number))
        end_s, number = heapq.heappop(ends)
        now_s = max(now_s, end_s)
        scheduler.answered(number)
    return SimulatedRun(workers=workers, verdicts=len(jobs), judging_s=sum(takes.values()), wall_s=now_s)
