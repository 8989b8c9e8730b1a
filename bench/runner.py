"""The batch runner: every task of a suite, in worker processes, resumable after any crash.

Here, and nowhere else, `except Exception` stands: a bug of ours on one task is recorded, and the run goes on.
"""

import queue
import threading
import time
import traceback
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from akgen.bench.job import Bench, Job
from akgen.bench.record import Record
from akgen.bench.store import BenchStore
from akgen.tools.core.outcome import InfraError, InputError, Outcome, after_candidate
from akgen.tools.core.plain_text import shown
from akgen.tools.core.settings import Settings
from akgen.tools.process.worker import Worker, WorkerDied
from akgen.tools.twin.report import candidate_ran

OnStart = Callable[[str], None]


def pending(store: BenchStore, folders: Mapping[str, Path], levels: Mapping[str, int]) -> tuple[Job, ...]:
    """Return the jobs that have no outcome yet, in the order of the tasks."""
    done = store.done()
    jobs = []
    for name, folder in folders.items():
        samples = tuple(n for n in range(store.config.samples) if (name, n) not in done)
        if samples:
            jobs.append(Job(task=name, folder=folder, level=levels[name], samples=samples))
    return tuple(jobs)


def run(
    store: BenchStore,
    jobs: Sequence[Job],
    *,
    argv: Sequence[str | Path],
    env: Mapping[str, str],
    settings: Settings,
    workers: int = 1,
    on_start: OnStart = lambda _task: None,
) -> Iterator[Record]:
    """Do the jobs and yield each record after it is on disk.

    `argv` starts a worker process (`python -m akgen.bench.worker`). A worker that exceeds the task's time is killed
    and the task recorded as a timeout; one that dies is recorded as an error and replaced.
    """
    todo: queue.SimpleQueue[Job] = queue.SimpleQueue()
    results: queue.SimpleQueue[list[Record] | BaseException | None] = queue.SimpleQueue()
    for job in jobs:
        todo.put(job)
    stop = threading.Event()
    setup = {
        "config": store.config.model_dump(mode="json"),
        "run": str(store.folder.resolve()),
        "settings": settings.model_dump(mode="json"),
    }

    def serve() -> None:
        try:
            with Worker(argv, cwd=Path("/"), env=env) as worker:
                while not stop.is_set():
                    try:
                        job = todo.get_nowait()
                    except queue.Empty:
                        break
                    on_start(job.task)
                    results.put(_ask(worker, job, setup, store.config.task_timeout_s))
        except BaseException as e:  # noqa: BLE001 (handed to the caller, who raises it)
            results.put(e)
        results.put(None)

    threads = [threading.Thread(target=serve, daemon=True) for _ in range(max(1, min(workers, len(jobs))))]
    for thread in threads:
        thread.start()
    try:
        running = len(threads)
        while running:
            result = results.get()
            if result is None:
                running -= 1
            elif isinstance(result, BaseException):
                raise result
            else:
                for record in result:
                    store.append(record)
                    yield record
    finally:
        stop.set()


def _ask(worker: Worker, job: Job, setup: Mapping[str, Any], timeout_s: float) -> list[Record]:
    started, begun = time.monotonic(), time.time()
    message = {**setup, "job": job.model_dump(mode="json")}
    try:
        answer = worker.request(message, timeout_s * len(job.samples))
    except WorkerDied as died:
        wall_s = time.monotonic() - started
        if died.timed_out:
            why = f"the task took longer than its {timeout_s:.0f} s"
            return [_empty(job, n, Outcome.TIMEOUT, why, None, wall_s) for n in job.samples]
        lines = died.tail.strip().splitlines()
        error = f"the worker process {died.text}: {shown(lines[-1]) if lines else 'no message'}"
        ran = _launched(Path(setup["run"]), job, begun)
        return [
            broken(job, n, f"its code had run: {error}", wall_s)
            if n in ran
            else failed(job, n, error, wall_s)
            for n in job.samples
        ]
    return [Record.model_validate(r) for r in answer["records"]]


def answer(bench: Bench, job: Job) -> list[Record]:
    """Do a job in the worker process; whatever goes wrong becomes a record."""
    started = time.monotonic()
    records: list[Record] = []
    try:
        records.extend(bench.perform(job))
    except (InputError, InfraError) as e:
        error, ran = f"{e.text} {e.remedy}", after_candidate(e)
    except Exception as e:  # noqa: BLE001 (the one place for it)
        ran = after_candidate(e)
        place = traceback.extract_tb(e.__traceback__)[-1]
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
        else failed(job, n, error, wall_s)
        for n in rest
    ]


def broken(job: Job, sample: int, why: str, wall_s: float = 0.0) -> Record:
    """Return the record of a sample that had a part in what broke: it has failed, and is not done again."""
    return _empty(job, sample, Outcome.TRAP, why, None, wall_s)


def _launched(run: Path, job: Job, since_s: float) -> frozenset[int]:
    """Return the samples of a job whose code was running when the worker died, by the reports that lie about."""
    places = {
        n: (run / "work" / f"{job.task}-{n}", run / "tasks" / job.task / f"sample-{n}") for n in job.samples
    }
    return frozenset(
        n
        for n, folders in places.items()
        for folder in folders
        for report in folder.rglob("report.jsonl")
        if report.stat().st_mtime >= since_s - 1 and candidate_ran(report)
    )


def failed(job: Job, sample: int, error: str, wall_s: float = 0.0) -> Record:
    """Return the record of a sample that could not be judged."""
    return _empty(job, sample, None, "", error, wall_s)


def _empty(
    job: Job, sample: int, outcome: Outcome | None, why: str, error: str | None, wall_s: float
) -> Record:
    return Record(
        task=job.task,
        sample=sample,
        level=job.level,
        category="",
        outcome=outcome,
        why=why,
        error=error,
        wall_s=round(wall_s, 3),
    )
