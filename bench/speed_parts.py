"""Two of the measured times: compiling a kernel, and a step of the graph without its work.

Compiling stands beside a program that only includes <iostream>. Both are taken in turn, so that a slow or busy machine
shifts both, and both are one call of the same compiler from source to linked file, in the same sandbox, with -pipe and
the same linker. The kernel's time holds all that the twin does for it besides. The kernels are the composer's, or a
checkout's answers; no cache has ever seen them.

The graph's own cost is checkpoint, effect cache, events and routing: the deciders and the workbench answer at once with
values as large as real ones; everything else is the machine as it is used. Run as `python -m akgen.bench.speed_parts`
it prints this cost as one JSON object.

A figure is a measured value beside its target.
"""

import json
import secrets
import statistics
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Literal

from akgen.agents.budget import Budget
from akgen.agents.plan import Plan
from akgen.agents.roles import Decision, Feedback, Planned, Written
from akgen.agents.run_config import Command, RunConfig
from akgen.agents.team import make_understanding
from akgen.bench.npukb import discovery
from akgen.bench.resolve import resolve_task
from akgen.bench.sources import operator_project
from akgen.graph.deps import Deps
from akgen.graph.run import begin, work_on
from akgen.tools.core.frozen import Frozen
from akgen.tools.core.outcome import InfraError, Outcome
from akgen.tools.core.profile import Profile
from akgen.tools.core.project import KernelProject
from akgen.tools.core.settings import Settings
from akgen.tools.core.task import Case, Reference, Task
from akgen.tools.core.toolchain import Build
from akgen.tools.core.verdict import CaseVerdict, Verdict
from akgen.tools.judge.judge import Judge
from akgen.tools.twin.runtime_build import Runtime
from akgen.tools.twin.sandboxed import compile_in


class Figure(Frozen):
    """`target` is an upper bound, or a lower one for what should be many."""

    name: str
    value: float
    target: float
    unit: Literal["ratio", "s", "ms", "MB", "per hour", "times", "share"]
    detail: str

    @property
    def holds(self) -> bool:
        return self.value >= self.target if self.at_least else self.value <= self.target

    @property
    def at_least(self) -> bool:
        """Say whether the target is a lower bound."""
        return self.unit in ("per hour", "times", "share")


ATTEMPTS = 8
CASES = 10
TEXT = "// a line of a kernel, about as long as lines are\n" * 400  # 20 KB
_TASK = Task(
    name="overhead",
    suite="file",
    op_type="Overhead",
    kernel="overhead",
    reference=Reference(loader="akgen.tools.reference.module_loader", path=Path("overhead.py")),
    cases=tuple(Case(id=str(i), params={"shape": [i, i]}) for i in range(CASES)),
)


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


class Overhead(Frozen):
    """The median over runs of a run's time divided by its steps."""

    per_step_ms: float
    steps: int
    runs: int


class _Instant:
    """Planner, coder, critic and workbench at once; wrong until the last attempt."""

    name = "instant"
    toolchain = "none"

    def plan(self, task: Task, feedback: Feedback | None, sample: int) -> Planned:
        del task, feedback, sample
        return Planned(plan=Plan(origin="instant", category="other", thought=TEXT))

    def write(
        self,
        task: Task,
        plan: Plan,
        feedback: Feedback | None,
        previous: KernelProject | None,
        sample: int,
    ) -> Written:
        del plan, previous, sample
        number = feedback.attempt + 1 if feedback else 1
        files = {f"op_kernel/{task.kernel}.cpp": f"// {number}\n{TEXT}"}
        project = KernelProject(op_type=task.op_type, kernel=task.kernel, files=files)
        return Written(project=project, messages=({"role": "assistant", "content": TEXT},))

    def compile(self, project: KernelProject, task: Task, folder: Path) -> Build:
        del project, task
        folder.mkdir(parents=True)
        return Build(toolchain="none", outcome=None, op=None, folder=folder, compile_s=0.0)

    def test(self, build: Build, task: Task, folder: Path, seed: int, *, what_if: bool = False) -> Verdict:
        del folder, seed, what_if
        last = build.folder.parent.name == f"attempt-{ATTEMPTS}"
        outcome = Outcome.CORRECT if last else Outcome.WRONG
        cases = tuple(CaseVerdict(id=case.id, outcome=outcome) for case in task.cases)
        return Verdict(outcome=outcome, toolchain="none", compile_s=0.0, cases=cases)

    def profile(self, build: Build, task: Task, folder: Path, seed: int) -> Profile | None:
        del build, task, folder, seed
        return None

    def criticise(
        self,
        task: Task,
        plan: Plan | None,
        verdict: Verdict,
        attempt: int,
        attempts_left: int,
        project: KernelProject | None = None,
    ) -> Decision:
        del task, plan, attempts_left, project
        if verdict.outcome is Outcome.CORRECT:
            return Decision(action="accept")
        feedback = Feedback(attempt=attempt, outcome=verdict.outcome, text=TEXT)
        return Decision(action="repair", feedback=feedback)


def measure_graph(runs: int = 5) -> Overhead:
    """Run the machine for eight attempts, several times; the first run warms up and does not count."""
    per_step: list[float] = []
    steps = 1 + 4 * ATTEMPTS + 1 + 1  # plan; write to criticise each attempt; profile; choose
    for _ in range(runs + 1):
        with tempfile.TemporaryDirectory(prefix="akgen-overhead-") as folder:
            deps = _deps(Path(folder))
            before = time.perf_counter()
            work_on(_TASK, deps)
            per_step.append((time.perf_counter() - before) * 1000 / steps)
    middle = sorted(per_step[1:])[runs // 2]
    return Overhead(per_step_ms=round(middle, 3), steps=steps, runs=runs)


def _deps(folder: Path) -> Deps:
    instant = _Instant()
    config = RunConfig(command=Command.SOLVE, budget=Budget(attempts=ATTEMPTS))
    return Deps(
        settings=Settings(cache=folder),
        config=config,
        planner=instant,
        coder=instant,
        critic=instant,
        understand=make_understanding(None),
        workbench=instant,
        store=begin(folder / "run", config, "none"),
    )


if __name__ == "__main__":
    print(json.dumps(measure_graph().model_dump()))
