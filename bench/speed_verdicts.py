"""How fast verdicts come: one with everything warm, and how many an hour two workers give."""

import queue
import statistics
import tempfile
import threading
import time
from pathlib import Path

from akgen.bench.figure import Figure
from akgen.bench.resolve import resolve_task
from akgen.bench.speed_kernels import OWN_TASKS, composed, never_seen
from akgen.tools.core.outcome import InfraError, Outcome
from akgen.tools.core.project import KernelProject
from akgen.tools.core.task import Task
from akgen.tools.core.toolchain import Toolchain
from akgen.tools.judge.judge import Judge
from akgen.tools.reference.client import ReferenceWorker

VERDICT_TASK, VERDICT_BYTES = "relu", 1_000_000
WORKERS, REPEATS = 2, 2
SEED = 1  # the same inputs in every run
FEWEST_PER_HOUR = 1000.0  # an absolute figure: a floor for two slow or busy cores


def measure_warm_verdict(judge: Judge, reference: ReferenceWorker, rounds: int = 5) -> Figure:
    """Compile, three trials and judgement on the case nearest to 1 MB; processes are warm, the project is new."""
    task = resolve_task(VERDICT_TASK)
    sizes = {c.id: reference.describe(task.reference, c).size_bytes for c in task.cases}
    case = min(task.cases, key=lambda c: abs(sizes[c.id] - VERDICT_BYTES))
    task, project = task.model_copy(update={"cases": (case,)}), composed(task)
    seconds = [_verdict_s(judge, task, project) for _ in range(rounds + 1)]
    return Figure(
        name="warm verdict, 1 MB elementwise",
        value=statistics.median(seconds[1:]),
        target=1.5,
        unit="s",
        detail=f"{task.name}, {sizes[case.id] / 1e6:.2f} MB, host and kernel compiled anew, median of {rounds}",
    )


def measure_rate(toolchain: Toolchain) -> Figure:
    """Judge our own tasks, all their cases, by two workers that each have a reference process of their own."""
    work: queue.SimpleQueue[tuple[Task, KernelProject]] = queue.SimpleQueue()
    tasks = [(task, composed(task)) for task in map(resolve_task, OWN_TASKS)]
    for task, project in tasks * REPEATS:
        work.put((task, project))
    failed: list[BaseException] = []

    def serve(judge: Judge) -> None:
        try:
            while True:
                task, project = work.get_nowait()
                _verdict_s(judge, task, project)
        except queue.Empty:
            pass
        except BaseException as e:  # noqa: BLE001 (raised below, in the caller's thread)
            failed.append(e)

    references = [ReferenceWorker() for _ in range(WORKERS)]
    try:
        judges = [Judge(toolchain, reference) for reference in references]
        for judge in judges:  # starts the reference's process, which takes seconds
            _verdict_s(judge, *tasks[0])
        threads = [threading.Thread(target=serve, args=(judge,)) for judge in judges]
        started = time.monotonic()
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        seconds = time.monotonic() - started
    finally:
        for reference in references:
            reference.close()
    if failed:
        raise failed[0]
    count = len(tasks) * REPEATS
    cases = statistics.mean(len(task.cases) for task, _ in tasks)
    return Figure(
        name="verdicts an hour on two workers",
        value=count * 3600 / seconds,
        target=FEWEST_PER_HOUR,
        unit="per hour",
        detail=f"{count} projects of the composer compiled anew, {cases:.0f} cases each, three trials a case",
    )


def _verdict_s(judge: Judge, task: Task, project: KernelProject) -> float:
    with tempfile.TemporaryDirectory(prefix="akgen-speed-") as work:
        started = time.monotonic()
        verdict = judge.judge(never_seen(project), task, work=Path(work), seed=SEED)
        seconds = time.monotonic() - started
    if verdict.outcome is not Outcome.CORRECT:
        raise InfraError(f"The {task.name} kernel was judged {verdict.outcome}.", "This is a bug of ours.")
    return seconds
