"""The scheduler with a clock that nobody waits for: every job once, workers busy to the end."""

import random
from pathlib import Path

from akgen.bench.executors.executor import Job, Stage, WorkerSlot
from akgen.bench.executors.scheduler import Limits, Scheduler
from akgen.bench.speed_scale import ClusterModel, simulate


def durations(tasks: int) -> dict[str, list[float]]:
    drawn = random.Random(1)
    return {f"t{n}": [drawn.lognormvariate(0.3, 0.5) * (1 + n % 9) for _ in range(3)] for n in range(tasks)}


def test_nine_tenths_of_512_workers_time_judges_where_samples_differ_forty_fold() -> None:
    found = simulate(durations(137), 512, 100)
    assert found.verdicts == 13700
    assert 0.9 <= found.efficiency < 1
    assert found.wall_s * 512 >= found.judging_s


def test_one_worker_takes_as_long_as_all_its_work_and_its_ways() -> None:
    model = ClusterModel(start_s=5.0, load_s=1.0, driver_s=0.0)
    found = simulate({"a": [2.0], "b": [3.0]}, 1, 4, model=model)
    assert (found.judging_s, found.wall_s) == (20.0, 20.0 + 5.0 + 2 * 1.0)


def test_a_failed_job_waits_for_a_worker_that_is_being_started_but_not_forever() -> None:
    now = [0.0]
    job = Job(task="t", folder=Path("/nowhere"), level=1, samples=(0,))
    scheduler = Scheduler([job], lambda: now[0], limits=Limits(silence_s=60.0))
    first, second = (WorkerSlot(name=n, host="h", stages=(Stage.WHOLE, Stage.RUN)) for n in ("a", "b"))
    scheduler.joining(second)
    scheduler.joined(first)
    (lease,) = scheduler.leases()
    scheduler.failed(lease.number)
    assert scheduler.leases() == []
    now[0] = 61.0
    assert [lease.worker for lease in scheduler.leases()] == ["a"]
    scheduler.failed(2)
    scheduler.joined(second)
    assert [lease.worker for lease in scheduler.leases()] == ["b"]


def test_a_worker_that_failed_two_jobs_waits_with_the_rest_for_one_that_is_being_started() -> None:
    now = [0.0]
    slots = [WorkerSlot(name=n, host="h", stages=(Stage.WHOLE,)) for n in "ab"]
    jobs = [Job(task=f"t{n}", folder=Path("/nowhere"), level=1, samples=(0,)) for n in range(4)]
    scheduler = Scheduler(jobs, lambda: now[0])
    for slot in slots:
        scheduler.joining(slot)
    scheduler.joined(slots[0])
    for _ in range(2):
        (lease,) = scheduler.leases()
        scheduler.failed(lease.number)
    assert scheduler.leases() == [] and scheduler.quarantined == {"a"}
    now[0] = 61.0
    assert [lease.worker for lease in scheduler.leases()] == ["a"], "the last worker is kept"
    scheduler.joined(slots[1])
    assert [lease.worker for lease in scheduler.leases()] == ["b"]
