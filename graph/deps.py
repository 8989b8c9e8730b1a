"""What the nodes work with and the state does not hold: deciders, judge, store, budget."""

from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from akgen.agents.budget import Budget
from akgen.agents.roles import Coder, Critic, Planner
from akgen.graph.store.events import EventLog, Watch
from akgen.graph.store.ledger import Ledger
from akgen.graph.store.run_store import SampleStore, TaskStore
from akgen.tools.core.profile import Profile
from akgen.tools.core.project import KernelProject
from akgen.tools.core.task import Task
from akgen.tools.core.toolchain import Build
from akgen.tools.core.verdict import Verdict


class Workbench(Protocol):
    """Toolchain and judge as the graph uses them. Raises InfraError when the machine is at fault."""

    @property
    def toolchain(self) -> str:
        """Return the toolchain's name and version, which every result carries."""
        ...

    def compile(self, project: KernelProject, task: Task, folder: Path) -> Build: ...

    def test(
        self, build: Build, task: Task, folder: Path, seed: int, *, what_if: bool = False
    ) -> Verdict: ...

    def profile(self, build: Build, task: Task, folder: Path, seed: int) -> Profile | None:
        """Run one case with a trace; None if it cannot be had."""
        ...


@dataclass(frozen=True)
class Context:
    """Everything that one task's graph run depends on."""

    planner: Planner
    coder: Coder
    critic: Critic
    workbench: Workbench
    store: TaskStore
    budget: Budget
    tune: int  # attempts that may go into speed once a sample is correct
    seed: int
    samples: int
    watch: Watch
    run: str | None = None  # its id, for what is recorded outside of it

    def sample(self, number: int, task: str) -> "SampleContext":
        store = self.store.sample(number)
        return SampleContext(
            store=store,
            log=EventLog(store.events_file, task, number, self.watch, self.run),
            ledger=Ledger(store.effects),
        )


@dataclass(frozen=True)
class SampleContext:
    """Where one sample records what it does."""

    store: SampleStore
    log: EventLog
    ledger: Ledger
