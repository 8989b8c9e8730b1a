"""Measure what AKGen adds to a kernel engineer's wait: compiling, a verdict, the graph. Ratios within one run.

The yardstick is the time to compile and link a program that only includes <iostream>, taken in turn with the
kernels, so that a slow or busy machine shifts both: one call of the same compiler from source to linked file, in the
same sandbox, with -pipe and the same linker. Caches are defeated by a comment that differs each time.
"""

import secrets
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from akgen.bench.npukb import discovery
from akgen.bench.resolve import resolve_task
from akgen.bench.sources import operator_project
from akgen.graph.overhead import measure as measure_graph
from akgen.tools.frozen import Frozen
from akgen.tools.judge.judge import Judge
from akgen.tools.outcome import InfraError
from akgen.tools.project import KernelProject
from akgen.tools.reference.client import ReferenceWorker
from akgen.tools.task import Task
from akgen.tools.toolchain import Toolchain
from akgen.tools.twin.runtime_build import Runtime, build_runtime
from akgen.tools.twin.sandboxed import compile_in
from akgen.tools.twin.settings import TwinSettings

Say = Callable[[str], None]
VERDICT_TASK, VERDICT_BYTES = "relu", 1_000_000


class Figure(Frozen):
    """One measurement beside its target; `unit` is "ratio", "s" or "ms"."""

    name: str
    value: float
    target: float
    unit: str
    detail: str

    @property
    def holds(self) -> bool:
        return self.value <= self.target


def measure(toolchain: Toolchain, settings: TwinSettings, root: Path | None, say: Say) -> tuple[Figure, ...]:
    """Take all figures. Without `root` (a checkout of NPUKernelBench) the composer's own kernels are compiled."""
    toolchain.prepare(say)
    with ReferenceWorker() as reference:
        reference.start()
        judge = Judge(toolchain, reference)
        say("compiling kernels and a program that only includes <iostream>, in turn")
        compiled = _compile_ratio(judge, settings, tuple(_kernels(root)), root is not None)
        say("judging a 1 MB elementwise task")
        verdict = _warm_verdict(judge, reference)
    say("driving the graph with deciders that answer at once")
    overhead = measure_graph()
    return (compiled, verdict, _graph_figure(overhead.per_step_ms))


def _kernels(root: Path | None) -> Iterator[tuple[Task, KernelProject]]:
    """Yield what is compiled: level-1 answers with one kernel file, or the composer's kernels for our own tasks."""
    if root is None:
        for name in ("relu", "gelu_tanh", "softmax_rows", "layer_norm", "row_sum", "adam_step"):
            task = resolve_task(name)
            yield task, _composed(task)
        return
    for folder in discovery.find_tasks(root):
        if discovery.level_of(folder) == 1 and (folder / "answer" / "0").is_dir():
            task = discovery.describe(folder)
            project = operator_project(folder / "answer" / "0", task)
            if len(project.kernel_files) == 1:
                yield task, project


def _compile_ratio(
    judge: Judge, settings: TwinSettings, kernels: tuple[tuple[Task, KernelProject], ...], public: bool
) -> Figure:
    ours, yardstick = [], []
    runtime = build_runtime(settings, lambda _: None)
    for task, project in kernels:
        case = min(task.cases, key=lambda c: c.size_bytes or 0)
        with tempfile.TemporaryDirectory(prefix="akgen-speed-") as work:
            build = judge.compile(_never_seen(project), task, Path(work), cases=(case,))
        yardstick.append(_iostream_s(runtime))
        if build.kernel_compile_s is not None and build.outcome is None:
            ours.append(build.kernel_compile_s)
    if not ours:
        raise InfraError("No kernel compiled.", "Run `akgen doctor`.")
    of = "level-1 single-file answers" if public else "kernels of the composer (give --root for the answers)"
    kernel_s, iostream_s = statistics.median(ours), statistics.median(yardstick)
    return Figure(
        name="kernel compile / <iostream> compile",
        value=kernel_s / iostream_s,
        target=0.5,
        unit="ratio",
        detail=f"{len(ours)} {of}: median {1000 * kernel_s:.0f} ms / {1000 * iostream_s:.0f} ms",
    )


def _iostream_s(runtime: Runtime) -> float:
    with tempfile.TemporaryDirectory(prefix="akgen-speed-") as work:
        folder = Path(work)
        (folder / "io.cpp").write_text("#include <iostream>\nint main() {}\n")
        started = time.monotonic()
        done = compile_in(runtime, ["-pipe", *runtime.compiler.linker, "-o", "io", "io.cpp"], folder)
        if not done.ok:
            raise InfraError(f"{runtime.compiler.path} cannot compile a program.", "Run `akgen doctor`.")
        return time.monotonic() - started


def _warm_verdict(judge: Judge, reference: ReferenceWorker, rounds: int = 5) -> Figure:
    """Compile, three trials and judgement on the case nearest to 1 MB; processes are warm, the project is new."""
    task = resolve_task(VERDICT_TASK)
    sizes = {c.id: reference.describe(task.reference, c).size_bytes for c in task.cases}
    case = min(task.cases, key=lambda c: abs(sizes[c.id] - VERDICT_BYTES))
    project = _composed(task)
    seconds = []
    for _ in range(rounds + 1):
        with tempfile.TemporaryDirectory(prefix="akgen-speed-") as work:
            started = time.monotonic()
            verdict = judge.judge(_never_seen(project), task, work=Path(work), cases=(case,))
            seconds.append(time.monotonic() - started)
            if verdict.outcome != "correct":
                raise InfraError(
                    f"The {task.name} kernel was judged {verdict.outcome}.", "This is a bug of ours."
                )
    return Figure(
        name="warm verdict, 1 MB elementwise",
        value=statistics.median(seconds[1:]),
        target=1.5,
        unit="s",
        detail=f"{task.name}, {sizes[case.id] / 1e6:.2f} MB, host and kernel compiled anew, median of {rounds}",
    )


def _composed(task: Task) -> KernelProject:
    from akgen.agents.composer.model_free import ModelFree  # imports torch

    composer = ModelFree()
    planned = composer.plan(task, None, 0)
    written = composer.write(task, planned.plan, None, None, 0) if planned.plan else None
    if written is None or written.project is None:
        raise InfraError(f"The composer wrote no kernel for {task.name}.", "This is a bug of ours.")
    return written.project


def _never_seen(project: KernelProject) -> KernelProject:
    note = f"\n// {secrets.token_hex(8)}\n"
    return project.model_copy(update={"files": {p: t + note for p, t in project.files.items()}})


def _graph_figure(overhead_ms: float) -> Figure:
    return Figure(
        name="graph overhead per step",
        value=overhead_ms,
        target=25.0,
        unit="ms",
        detail="checkpoint and run store included, deciders and tools answer at once",
    )
