"""Measure AKGen's speed in one run: compiling, verdicts, operators on the twin, memory, the graph.

Where a figure depends on the machine it is a ratio to something that is measured in turn with it.
"""

import os
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import akgen
from akgen.bench.resolve import resolve_task
from akgen.bench.speed_parts import Figure, composed, measure_compile, measure_graph, never_seen
from akgen.bench.speed_scale import another_sample, measure_scale
from akgen.knowledge.patterns import patterns
from akgen.tools.core.call import Call
from akgen.tools.core.outcome import InfraError, Outcome
from akgen.tools.core.project import KernelProject
from akgen.tools.core.task import Case, Task
from akgen.tools.core.toolchain import Build, Toolchain
from akgen.tools.judge.judge import Judge
from akgen.tools.process.group import MINIMAL_ENV
from akgen.tools.process.worker import Worker
from akgen.tools.reference.client import ReferenceWorker
from akgen.tools.reference.kept_trials import kept_trials
from akgen.tools.twin.runtime_build import build_runtime
from akgen.tools.twin.settings import TwinSettings
from akgen.tools.twin.toolchain import TwinToolchain

Say = Callable[[str], None]


def measure(toolchain: Toolchain, settings: TwinSettings, root: Path | None, say: Say) -> tuple[Figure, ...]:
    """Take all figures. Without `root` (a checkout of NPUKernelBench) the composer's own kernels are compiled."""
    toolchain.prepare(say)
    runtime = build_runtime(settings, say)
    with ReferenceWorker(kept=kept_trials(settings.cache)) as reference:
        reference.start()
        judge = Judge(toolchain, reference)
        say("compiling kernels and a program that only includes <iostream>, in turn")
        compiled = measure_compile(judge, runtime, root)
        say("running softmax and RMSNorm on the twin and in PyTorch, in turn")
        unsealed = TwinToolchain(settings.model_copy(update={"seal": False}))
        unsealed.prepare(say)
        operators = measure_operators(toolchain, unsealed, judge, reference)
        say("judging a 1 MB elementwise task")
        verdicts = measure_warm_verdict(judge, reference)
    say("judging samples of level-1 tasks with one worker, and with two")
    scale = measure_scale(toolchain.version(), settings)
    say("driving the graph with deciders that answer at once")
    overhead = measure_graph()
    graph = Figure(
        name="graph overhead per step",
        value=overhead.per_step_ms,
        target=15.0,
        unit="ms",
        detail="checkpoint and run store included, deciders and tools answer at once",
    )
    return (compiled, *operators, *verdicts, *scale, graph)


ROUNDS = 7
SLOWEST = {"softmax": 3.0, "rms_norm": 6.0}
MOST_MB = 300.0  # beyond the tensors
# PyTorch's operator, our expert kernel, rows and columns.
OPERATORS = (("softmax", "row_softmax", (4000, 4096)), ("rms_norm", "row_norm", (1000, 4096)))
_MORE_PARAMS = {"rms_norm": {"eps": 1e-6}}


def measure_operators(
    toolchain: Toolchain, unsealed: Toolchain, judge: Judge, reference: ReferenceWorker
) -> tuple[Figure, ...]:
    """Time each operator, sealed and unsealed, and say how much memory the hungriest took.

    Raises InfraError if one does not run.
    """
    figures: list[Figure] = []
    beyond: dict[str, float] = {}
    argv = [sys.executable, "-m", "akgen.tools.reference.baseline"]
    env = {**MINIMAL_ENV, "PYTHONPATH": str(Path(akgen.__file__).parent.parent), "OMP_NUM_THREADS": "1"}
    with (
        tempfile.TemporaryDirectory(prefix="akgen-speed-") as work,
        Worker(argv, cwd=Path("/"), env=env) as baseline,
    ):
        for op, name, shape in OPERATORS:
            params = {"shape": list(shape), "dtype": "float32", **_MORE_PARAMS.get(op, {})}
            pattern = next(p for p in patterns() if p.name == name)
            project = KernelProject(op_type=pattern.op_type, kernel=pattern.kernel, files=pattern.files)
            task = resolve_task(pattern.task).model_copy(update={"cases": (Case(id="large", params=params),)})
            folder = Path(work) / op
            build = judge.compile(project, task, folder / "build")
            unsealed_build = Judge(unsealed, reference).compile(project, task, folder / "unsealed")
            call = reference.sample(
                task.reference, task.cases[0], 1, "task", inputs=folder / "in", expected=folder / "expected"
            ).call
            ours, without, theirs = [], [], []
            for _ in range(ROUNDS):
                seconds, peak = _launch(toolchain, build, call, folder / "run", task)
                ours.append(seconds)
                without.append(_launch(unsealed, unsealed_build, call, folder / "run", task)[0])
                theirs.append(_torch_s(baseline, op, shape))
                if peak is not None:
                    beyond[op] = max(beyond.get(op, 0.0), (peak - call.size_bytes) / 1e6)
            figures.append(_ratio(op, shape, ours, without, theirs))
    if beyond:
        figures.append(_memory(beyond))
    return tuple(figures)


def _launch(
    toolchain: Toolchain, build: Build, call: Call, folder: Path, task: Task
) -> tuple[float, int | None]:
    launch = toolchain.run(build, call, folder)
    if launch.outcome is not None or launch.cpu_s is None:
        raise InfraError(f"The {task.name} kernel ended as {launch.outcome}.", "This is a bug of ours.")
    return launch.cpu_s, launch.peak_bytes


def _torch_s(baseline: Worker, op: str, shape: tuple[int, int]) -> float:
    return float(baseline.request({"op": op, "shape": list(shape)}, 120.0)["seconds"])


def _ratio(
    op: str, shape: tuple[int, int], ours: list[float], without: list[float], theirs: list[float]
) -> Figure:
    twin_s, unsealed_s, torch_s = (statistics.median(times) for times in (ours, without, theirs))
    return Figure(
        name=f"{op} {shape[0]}x{shape[1]} on the twin / torch",
        value=twin_s / torch_s,
        target=SLOWEST[op],
        unit="ratio",
        detail=f"our expert kernel, float32, all checks, whole process: median of {ROUNDS}, "
        f"{1000 * twin_s:.0f} ms / {1000 * torch_s:.1f} ms of processor time; "
        f"unsealed {unsealed_s / torch_s:.2f}",
    )


def _memory(beyond: dict[str, float]) -> Figure:
    op, most = max(beyond.items(), key=lambda item: item[1])
    return Figure(
        name="memory of a run beyond its tensors",
        value=max(0.0, most),
        target=MOST_MB,
        unit="MB",
        detail=f"{op}; the launcher's peak",
    )


VERDICT_TASK, VERDICT_BYTES = "relu", 1_000_000
SEED = 1  # the same inputs in every run


def measure_warm_verdict(judge: Judge, reference: ReferenceWorker, rounds: int = 5) -> tuple[Figure, ...]:
    """Judge three trials of the case nearest to 1 MB with warm processes: a project nobody has seen, and it again."""
    task = resolve_task(VERDICT_TASK)
    sizes = {c.id: reference.describe(task.reference, c).size_bytes for c in task.cases}
    case = min(task.cases, key=lambda c: abs(sizes[c.id] - VERDICT_BYTES))
    task, project = task.model_copy(update={"cases": (case,)}), composed(task)
    what = f"{task.name}, {sizes[case.id] / 1e6:.2f} MB"
    _verdict_s(judge, task, never_seen(project))
    _verdict_s(judge, task, project)
    seconds: list[float] = []
    compiling: list[float] = []
    kept: list[float] = []
    sampled: list[float] = []
    for _ in range(rounds):
        new, sample = never_seen(project), another_sample(project)
        times = [processor_s()]
        seconds.append(_verdict_s(judge, task, new))
        times.append(processor_s())
        _verdict_s(judge, task, new)
        times.append(processor_s())
        _verdict_s(judge, task, sample)
        times.append(processor_s())
        for spent, (before, after) in zip((compiling, kept, sampled), pairwise(times), strict=True):
            spent.append(after - before)
    return (
        Figure(
            name="warm verdict, 1 MB elementwise",
            value=statistics.median(seconds),
            target=1.5,
            unit="s",
            detail=f"{what}, host and kernel compiled anew, median of {rounds}",
        ),
        Figure(
            name="processor time of another sample's verdict",
            value=statistics.mean(sampled),
            target=0.45,
            unit="s",
            detail=f"{what}, all processes, kernel compiled anew, host and trials shared; mean of {rounds}",
        ),
        Figure(
            name="processor time of a warm verdict",
            value=statistics.mean(kept),
            target=0.35,
            unit="s",
            detail=f"{what}, all processes, build kept; compiled anew {statistics.mean(compiling):.2f} s; "
            f"mean of {rounds}",
        ),
    )


def processor_s() -> float:
    """Return the processor time so far of this process, of those it waited for, and of its living children."""
    total = sum(os.times()[:4])
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text().rpartition(")")[2].split()
        except OSError:  # it has ended
            continue
        if int(fields[1]) == os.getpid():
            total += sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK")
    return total


def _verdict_s(judge: Judge, task: Task, project: KernelProject) -> float:
    with tempfile.TemporaryDirectory(prefix="akgen-speed-") as work:
        started = time.monotonic()
        verdict = judge.judge(project, task, work=Path(work), seed=SEED)
        seconds = time.monotonic() - started
    if verdict.outcome is not Outcome.CORRECT:
        raise InfraError(f"The {task.name} kernel was judged {verdict.outcome}.", "This is a bug of ours.")
    return seconds
