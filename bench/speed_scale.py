"""How many verdicts an hour worker processes give, and what share of many workers' time would go into verdicts.

How a cluster would spend its time: the real scheduler, recorded durations, and a clock that nobody waits for.

Verdicts are given on a suite of tasks with one case of about a megabyte each, and many samples of a kernel for each.
"""

import heapq
import json
import math
import random
import secrets
import sys
import tempfile
import time
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from statistics import fmean
from types import TracebackType
from typing import Any

import akgen
from akgen.bench.executors.executor import Answered, Event, Job, Joined, Lease, WorkerSlot
from akgen.bench.executors.scheduler import Scheduler
from akgen.bench.launch import Places, executor
from akgen.bench.record import BenchConfig, Record
from akgen.bench.resolve import resolve_task
from akgen.bench.runner import pending, run
from akgen.bench.speed_parts import Figure, composed
from akgen.bench.store import BenchStore
from akgen.bench.suites import level_of, suite_folders
from akgen.tools.core.frozen import Frozen
from akgen.tools.core.outcome import InfraError, InputError, Outcome
from akgen.tools.core.project import KernelProject, write_files
from akgen.tools.core.settings import Settings
from akgen.tools.core.task import Case, Mode
from akgen.tools.process.group import MINIMAL_ENV
from akgen.tools.twin.settings import TwinSettings

CASE_BYTES = 1_000_000
TASKS = ("relu", "gelu_tanh", "clamp_range", "axpy", "greater_than", "half_to_float")


class ManySamples(Frozen):
    """Folders for `akgen bench run SUITE --source SOURCE`, and what each sample's outcome must be."""

    suite: Path
    source: Path
    outcomes: dict[str, tuple[Outcome, ...]]  # by task


def write_samples(
    folder: Path, count: int, tasks: Sequence[str] = TASKS, faulty_every: int = 0
) -> ManySamples:
    """Write `count` samples of each task; of those, one in `faulty_every` does not compile."""
    outcomes = {}
    for name in tasks:
        task = resolve_task(name)
        case = min(task.cases, key=lambda c: abs(_bytes(c) - CASE_BYTES))
        place = folder / "suite" / name
        place.mkdir(parents=True)
        said = json.loads((task.reference.path.parent / "task.json").read_text())
        cases = [c for c in said["cases"] if c["id"] == case.id]
        (place / "task.json").write_text(json.dumps(said | {"cases": cases}))
        (place / "reference.py").write_bytes(task.reference.path.read_bytes())
        project = composed(task.model_copy(update={"cases": (case,)}))
        faulty = [bool(faulty_every) and n % faulty_every == faulty_every - 1 for n in range(count)]
        for number, wrong in enumerate(faulty):
            write_files(
                dict(another_sample(project, wrong=wrong).files), folder / "source" / name / str(number)
            )
        outcomes[name] = tuple(Outcome.COMPILE_ERROR if wrong else Outcome.CORRECT for wrong in faulty)
    return ManySamples(suite=folder / "suite", source=folder / "source", outcomes=outcomes)


def another_sample(project: KernelProject, *, wrong: bool = False) -> KernelProject:
    """Return the project with a kernel that no cache has met."""
    note = f"\n// {secrets.token_hex(8)}\n" + ("int missing = NotDeclaredAnywhere;\n" if wrong else "")
    files = {p: t + note if p in project.kernel_files else t for p, t in project.files.items()}
    return project.model_copy(update={"files": files})


def _bytes(case: Case) -> int:
    """Return the bytes of a case's inputs and outputs, roughly: one of each."""
    shape = case.params.get("shape")
    count = math.prod(int(n) for n in shape) if isinstance(shape, list | tuple) else 1
    return 2 * count * (4 if case.params.get("dtype") == "float32" else 2)


SAMPLES = 6  # of each task, for each worker
FEWEST_PER_HOUR, LEAST_TWICE = 8000.0, 1.8
MANY_WORKERS, MANY_MINUTES = 512, 2.0  # simulated, and for how long each of them judges
DRIVEN = 40  # verdicts for each of many workers that answer at once
LEAST_EFFICIENCY = 0.9


def measure_scale(version: str, settings: TwinSettings) -> tuple[Figure, ...]:
    """Judge samples of level-1 tasks by one worker and by two. Raises InfraError if one is not correct.

    The rate is an absolute figure, of an idle machine; the others are ratios in one run.
    """
    rates: dict[int, float] = {}
    records: list[Record] = []
    for workers in (1, 2):
        with tempfile.TemporaryDirectory(prefix="akgen-speed-") as folder:
            many = write_samples(Path(folder), SAMPLES * workers)
            rates[workers], records = _rate(many, Path(folder) / "run", workers, version, settings)
    took_s = recorded(records)
    model = ClusterModel(driver_s=_driver_s(records[-1], version))
    all_s = sum(sum(s) / len(s) for s in took_s.values())
    many_workers = simulate(took_s, MANY_WORKERS, int(MANY_WORKERS * MANY_MINUTES * 60 / all_s), model=model)
    what = f"{len(TASKS)} level-1 tasks at about 1 MB, kernels compiled anew, three trials, hosts and trials shared"
    return (
        Figure(
            name="verdicts an hour on two workers",
            value=rates[2],
            target=FEWEST_PER_HOUR,
            unit="per hour",
            detail=f"{SAMPLES * 2} samples of {what}",
        ),
        Figure(
            name="two workers over one",
            value=rates[2] / rates[1],
            target=LEAST_TWICE,
            unit="times",
            detail=f"verdicts an hour; one worker {rates[1]:.0f}; says little on a machine that is not idle",
        ),
        Figure(
            name="512 workers, simulated",
            value=many_workers.efficiency,
            target=LEAST_EFFICIENCY,
            unit="share",
            detail=f"of their time judges: {many_workers.verdicts} verdicts with these durations in "
            f"{many_workers.wall_s / 60:.1f} minutes, by the scheduler; {model.start_s:.0f} s to start, "
            f"{model.driver_s * 1000:.2f} ms of the driver for a verdict, as measured",
        ),
    )


def _rate(
    many: ManySamples, out: Path, workers: int, version: str, settings: TwinSettings
) -> tuple[float, list[Record]]:
    """Return the verdicts an hour after each worker's first, and all records."""
    folders = suite_folders(str(many.suite), None)
    count = len(next(iter(many.outcomes.values())))
    config = BenchConfig(
        suite=str(many.suite), source=str(many.source), mode=Mode.DYNAMIC, toolchain=version, tasks=tuple(folders),
        samples=count, seed=1,
    )  # fmt: skip
    store = BenchStore.begin(out, config)
    found, ends = [], []
    jobs = pending(store, folders, {name: level_of(folder) for name, folder in folders.items()})
    where = executor(
        Places(workers=workers),
        argv=[sys.executable, "-m", "akgen.bench.worker"],
        env={**MINIMAL_ENV, "PYTHONPATH": str(Path(akgen.__file__).parent.parent), "OMP_NUM_THREADS": "1"},
    )
    machine = Settings(cache=settings.cache, compiler=settings.compiler, path=settings.path)
    for record in run(store, jobs, where, settings=machine):
        found.append(record)
        ends.append(time.monotonic())
        if not record.solved:
            raise InfraError(f"A {record.task} kernel was judged {record.outcome}.", "This is a bug of ours.")
    return (len(ends) - workers) * 3600 / (ends[-1] - ends[workers - 1]), found


class _AtOnce:
    """An executor whose workers answer at once, with one record: what remains is the driver's own work."""

    def __init__(self, record: Record) -> None:
        self._record = record.model_dump(mode="json")
        self._events: list[Event] = [
            Joined(slot=WorkerSlot(name=f"worker-{n}", host="one")) for n in range(MANY_WORKERS)
        ]

    def submit(self, lease: Lease, message: Mapping[str, Any], timeout_s: float) -> None:  # noqa: ARG002
        job = json.loads(json.dumps(message))["job"]
        records = [self._record | {"task": job["task"], "sample": n} for n in job["samples"]]
        answer = json.loads(json.dumps({"records": records}))
        self._events.append(Answered(lease=lease.number, answer=answer))

    def wait(self, timeout_s: float) -> Sequence[Event]:  # noqa: ARG002
        events, self._events = self._events, []
        return events

    def end(self, worker: str) -> None:
        raise NotImplementedError(worker)

    def __enter__(self) -> "_AtOnce":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None: ...


def _driver_s(record: Record, version: str) -> float:
    """Return the seconds that the batch runner itself spends on a verdict: hand out, check, write."""
    tasks = tuple(f"task-{n}" for n in range(DRIVEN))
    with tempfile.TemporaryDirectory(prefix="akgen-speed-") as name:
        folder = Path(name)
        config = BenchConfig(
            suite="driver", source="driver", mode=Mode.DYNAMIC, toolchain=version, tasks=tasks, samples=MANY_WORKERS,
            seed=1,
        )  # fmt: skip
        store = BenchStore.begin(folder, config)
        jobs = pending(store, dict.fromkeys(tasks, folder), dict.fromkeys(tasks, 1))
        started = time.monotonic()
        done = sum(1 for _ in run(store, jobs, _AtOnce(record), settings=Settings(cache=folder)))
        return (time.monotonic() - started) / done


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
