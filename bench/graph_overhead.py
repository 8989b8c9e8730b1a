"""Measure what the graph itself costs per step: checkpoint, effect cache, events and routing, without the work.

Run as `python -m akgen.bench.graph_overhead`; prints one JSON object. The deciders and the workbench answer at once
with values as large as real ones; everything else is the machine as it is used.
"""

import json
import tempfile
import time
from pathlib import Path

from akgen.agents.budget import Budget
from akgen.agents.plan import Plan
from akgen.agents.requests.sentence import parse_request
from akgen.agents.roles import Decision, Feedback, Planned, Written
from akgen.agents.run_config import Command, RunConfig
from akgen.graph.deps import Deps
from akgen.graph.run import begin, work_on
from akgen.tools.core.frozen import Frozen
from akgen.tools.core.outcome import Outcome
from akgen.tools.core.profile import Profile
from akgen.tools.core.project import KernelProject
from akgen.tools.core.settings import Settings
from akgen.tools.core.task import Case, Reference, Task
from akgen.tools.core.toolchain import Build
from akgen.tools.core.verdict import CaseVerdict, Verdict

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


def measure(runs: int = 5) -> Overhead:
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
        understand=parse_request,
        workbench=instant,
        store=begin(folder / "run", config, "none"),
    )


if __name__ == "__main__":
    print(json.dumps(measure().model_dump()))
