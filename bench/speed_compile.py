"""The time to compile a kernel beside the time to compile a program that only includes <iostream>.

Both are taken in turn, so that a slow or busy machine shifts both, and both are one call of the same compiler from
source to linked file, in the same sandbox, with -pipe and the same linker. The kernel's time holds all that the twin
does for it besides. The kernels are the composer's, or a checkout's answers; no cache has ever seen them.
"""

import secrets
import statistics
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from akgen.bench.figure import Figure
from akgen.bench.npukb import discovery
from akgen.bench.resolve import resolve_task
from akgen.bench.sources import operator_project
from akgen.tools.core.outcome import InfraError
from akgen.tools.core.project import KernelProject
from akgen.tools.core.task import Task
from akgen.tools.judge.judge import Judge
from akgen.tools.twin.runtime_build import Runtime
from akgen.tools.twin.sandboxed import compile_in


def measure_compile(judge: Judge, runtime: Runtime, root: Path | None) -> Figure:
    """Compile each kernel once, on its smallest case. Raises InfraError if none compiles."""
    ours, baseline = [], []
    for task, project in kernels(root):
        case = min(task.cases, key=lambda c: c.size_bytes or 0)
        with tempfile.TemporaryDirectory(prefix="akgen-speed-") as work:
            build = judge.compile(never_seen(project), task, Path(work), cases=(case,))
        baseline.append(_iostream_s(runtime))
        if build.kernel_compile_s is not None and build.outcome is None:
            ours.append(build.kernel_compile_s)
    if not ours:
        raise InfraError("No kernel compiled.", "Run `akgen doctor`.")
    of = "level-1 single-file answers" if root else "kernels of the composer (give --root for the answers)"
    kernel_s, iostream_s = statistics.median(ours), statistics.median(baseline)
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


OWN_TASKS = ("relu", "gelu_tanh", "softmax_rows", "layer_norm", "row_sum", "adam_step")


def kernels(root: Path | None) -> Iterator[tuple[Task, KernelProject]]:
    """Yield level-1 answers with one kernel file, or without `root` the composer's kernels for our own tasks."""
    if root is None:
        for name in OWN_TASKS:
            task = resolve_task(name)
            yield task, composed(task)
        return
    for folder in discovery.find_tasks(root):
        if discovery.level_of(folder) == 1 and (folder / "answer" / "0").is_dir():
            task = discovery.describe(folder)
            project = operator_project(folder / "answer" / "0", task)
            if len(project.kernel_files) == 1:
                yield task, project


def composed(task: Task) -> KernelProject:
    """Return the composer's first project. Raises InfraError if it has none, which would be a bug."""
    from akgen.agents.composer.model_free import ModelFree  # imports torch

    composer = ModelFree()
    planned = composer.plan(task, None, 0)
    written = composer.write(task, planned.plan, None, None, 0) if planned.plan else None
    if written is None or written.project is None:
        raise InfraError(f"The composer wrote no kernel for {task.name}.", "This is a bug of ours.")
    return written.project


def never_seen(project: KernelProject) -> KernelProject:
    """Return the project with a comment that no cache has met."""
    note = f"\n// {secrets.token_hex(8)}\n"
    return project.model_copy(update={"files": {p: t + note for p, t in project.files.items()}})
