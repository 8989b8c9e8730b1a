"""What the tests of decisions share: frozen values, and a run in a folder whose critic has one answer."""

from datetime import UTC, datetime
from pathlib import Path
from typing import Any, cast

from langgraph.runtime import Runtime

from akgen.agents.budget import Budget, Spent
from akgen.agents.plan import Plan
from akgen.agents.roles import ContextItem, Decision, Feedback, Planned, TuningMove, Written
from akgen.agents.run_config import RunConfig
from akgen.graph.decide import choose, criticise, start
from akgen.graph.deps import Deps
from akgen.graph.state import History, Samples, SampleState, TaskState
from akgen.graph.store.records import Attempt, AttemptRow, Event, RunInfo, SampleRecord, Solution
from akgen.graph.store.run_store import RunStore
from akgen.tools.core.outcome import Outcome
from akgen.tools.core.profile import Profile
from akgen.tools.core.project import KernelProject
from akgen.tools.core.settings import Settings
from akgen.tools.core.task import Case, Reference, Task
from akgen.tools.core.verdict import CaseVerdict, Verdict

TASK = Task(
    name="x",
    suite="file",
    op_type="X",
    kernel="x",
    reference=Reference(loader="m", path=Path("x.py")),
    cases=(Case(id="0"),),
)
PLAN = Plan(origin="test", category="other", thought="so")
PLANNED = Planned(plan=PLAN, messages=({"role": "user", "content": "plan it"},))
PROJECT = KernelProject(op_type="X", kernel="x", files={"op_kernel/x.cpp": "void x();"})
WRITTEN = Written(
    project=PROJECT,
    form="edits",
    shown=(ContextItem(kind="card", name="Add", tokens=7),),
    dsl="y = x",
    messages=({"role": "user", "content": "write it"},),
)
PROFILE = Profile(
    time_us=8.0,
    time_source="predicted",
    toolchain="twin",
    cores=1,
    gm_read_bytes=1,
    gm_write_bytes=1,
    pipes=(),
    bound="memory",
    roofline_share=0.5,
    core_imbalance=1.0,
)
TOLD = Feedback(attempt=1, outcome=Outcome.WRONG, text="the tail differs")
REPAIR = Decision(action="repair", feedback=TOLD, why="the tail differs")
TUNE = Decision(
    action="tune",
    feedback=TOLD.model_copy(update={"action": "tune"}),
    why="larger tiles",
    hypothesis=TuningMove(kind="larger_tiles", predicted_gain=0.25),
)
ACCEPT = Decision(action="accept", why="all cases correct")
GIVE_UP = Decision(action="give_up", why="out of scope")


class Scripted:
    """A critic with one answer; it keeps what it was asked."""

    def __init__(self, answer: Decision) -> None:
        self.answer = answer
        self.asked: list[tuple[Task, Plan | None, Verdict, int, int]] = []

    def criticise(
        self,
        task: Task,
        plan: Plan | None,
        verdict: Verdict,
        attempt: int,
        left: int,
        project: KernelProject | None = None,
    ) -> Decision:
        self.asked.append((task, plan, verdict, attempt, left))
        return self.answer


class DecidedRun:
    """A run in a folder, whose critic gives one answer, and the events that its watcher saw."""

    def __init__(self, folder: Path, answer: Decision = REPAIR, tune: int = 0, **budget: Any) -> None:
        config = RunConfig(command="solve", seed=7, tune=tune, budget=Budget(**{"attempts": 4, **budget}))
        info = RunInfo(
            id="one",
            created_at=datetime(2026, 1, 2, tzinfo=UTC),
            config=config,
            versions={},
            toolchain="twin",
        )
        self.critic, self.events = Scripted(answer), list[Event]()
        unused = cast(Any, None)  # no stage here plans, writes or judges
        self.deps = Deps(
            settings=Settings(cache=folder / "cache"),
            config=config,
            planner=unused,
            coder=unused,
            critic=self.critic,
            understand=unused,
            workbench=unused,
            store=RunStore.create(folder / "one", info),
            watch=self.events.append,
        )
        self.task = self.deps.store.task("x")
        self.task.folder.mkdir(parents=True, exist_ok=True)

    def criticise(self, state: SampleState) -> dict[str, Any]:
        return criticise(state, Runtime(context=self.deps))

    def attempts(self) -> tuple[Attempt, ...]:
        return self.task.sample(2).attempts()

    def choose(self, *ended: SampleRecord) -> Solution:
        state = TaskState(task=TASK, samples=Samples(ended=ended), solution=None)
        return cast(Solution, choose(state, Runtime(context=self.deps))["solution"])


def verdict_of(outcome: Outcome = Outcome.WRONG, *times: float) -> Verdict:
    cases = tuple(CaseVerdict(id="0", outcome=outcome, time_us=t, time_source="predicted") for t in times)
    return Verdict(outcome=outcome, toolchain="twin 1", compile_s=0.1, cases=cases)


def state_of(**changes: Any) -> SampleState:
    values = {**start(2), "task": TASK, "planned": PLANNED, "written": WRITTEN, "verdict": verdict_of()}
    return cast(SampleState, {**values, **changes})


def row_of(
    number: int, outcome: Outcome = Outcome.WRONG, time_us: float | None = None, **more: Any
) -> AttemptRow:
    source = "predicted" if time_us else None
    return AttemptRow(number=number, outcome=outcome, time_us=time_us, time_source=source, **more)


def rows_of(*rows: AttemptRow) -> dict[str, Any]:
    return {"attempt": len(rows) + 1, "history": History(rows=rows), "spent": Spent(attempts=len(rows))}


def ended(update: dict[str, Any]) -> SampleRecord:
    (record,) = update["samples"].ended
    return cast(SampleRecord, record)
