"""What the nodes work with and the state does not hold: `Deps` of a run, `AttemptScope` of a stage, its event log."""

import json
from collections.abc import Callable, MutableMapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

import structlog

from akgen.agents.budget import Spent, remaining
from akgen.agents.calls.context import CallContext, span, stage_span, use_context
from akgen.agents.calls.model_call import Usage
from akgen.agents.roles import Coder, Critic, Planner
from akgen.agents.run_config import RunConfig
from akgen.graph.state import SampleState
from akgen.graph.store.effects import EffectCache, Paid
from akgen.graph.store.files import append_line
from akgen.graph.store.records import Event, Stage
from akgen.graph.store.run_store import RunStore
from akgen.tools.core.frozen import Frozen
from akgen.tools.core.outcome import Outcome
from akgen.tools.core.profile import Profile
from akgen.tools.core.project import KernelProject
from akgen.tools.core.settings import Settings
from akgen.tools.core.task import Task
from akgen.tools.core.toolchain import Build
from akgen.tools.core.verdict import Verdict

if TYPE_CHECKING:
    from akgen.agents.requests.understanding import Understand
    from akgen.graph.store.memory import Memory

T = TypeVar("T", bound=Frozen)
Watch = Callable[[Event], None]
ON_DEVICE: tuple[Stage, ...] = ("test", "profile")


class Workbench(Protocol):
    """The judge as the graph uses it. Raises InfraError when the machine is at fault."""

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
class Deps:
    """What a run of the graph depends on; made once in a process, used for every task of the run."""

    settings: Settings
    config: RunConfig
    planner: Planner
    coder: Coder
    critic: Critic
    understand: "Understand"  # a person's sentences
    workbench: Workbench
    store: RunStore
    memory: "Memory | None" = None  # what was learnt in earlier runs
    watch: Watch = lambda _event: None


class AttemptScope:
    """One stage of one attempt: announced when it is made, paid for once, recorded when it is `done`."""

    def __init__(self, stage: Stage, state: SampleState, deps: Deps) -> None:
        task, sample = state["task"].name, state["sample"]
        self.attempt = state["attempt"]
        self.store = deps.store.task(task).sample(sample)
        self.log = EventLog(self.store.events_file, task, sample, deps.watch, deps.store.info.id)
        self._stage = stage
        self._effects = EffectCache(self.store.effects)
        self._spent = state["spent"]
        self._call_context = CallContext(
            run=deps.store.info.id,
            task=task,
            sample=sample,
            attempt=self.attempt,
            node=stage,
            left=remaining(deps.config.budget, state["spent"]),
        )
        self._seconds = 0.0
        self.log.say("stage", attempt=self.attempt, stage=stage, status="start")

    @property
    def folder(self) -> Path:
        """Return the attempt's folder."""
        return self.store.attempt_folder(self.attempt)

    def pay(
        self,
        inputs: dict[str, Any],
        model: type[T],
        act: Callable[[], T],
        usable: Callable[[T], bool] = lambda _: True,
    ) -> T:
        """Act once for these inputs, however often the process dies in between."""
        with use_context(self._call_context), span(*stage_span(self._call_context)):
            paid: Paid[T] = self._effects.once(self._stage, inputs, model, act, usable)
        self._seconds = paid.seconds
        if paid.reused:
            self.log.say("reused", attempt=self.attempt, stage=self._stage)
        return paid.value

    def done(self, text: str, outcome: Outcome | None, usage: Usage | None = None) -> Spent:
        """Record how the stage ended; return what the sample has spent by now."""
        self.log.say(
            "stage",
            attempt=self.attempt,
            stage=self._stage,
            status="done",
            outcome=outcome,
            seconds=round(self._seconds, 3),
            text=text,
        )
        return self._spent.plus(
            usage=usage,
            wall_s=self._seconds,
            device_s=self._seconds if self._stage in ON_DEVICE else 0.0,
        )


class _LineFile:
    """The last stage of the structlog chain: takes the rendered line."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def info(self, line: str) -> None:
        append_line(self._path, line)

    def debug(self, line: str) -> None:
        """Append without waiting for the disk: a power cut may take the line, a crash may not."""
        append_line(self._path, line, wait=False)


class EventLog:
    """The events of one sample. Safe to reopen; never rewrites a line."""

    def __init__(self, path: Path, task: str, sample: int, watch: Watch, run: str | None = None) -> None:
        self._watch = watch
        self._log: structlog.typing.FilteringBoundLogger = structlog.wrap_logger(
            _LineFile(path),
            processors=[
                structlog.processors.TimeStamper(fmt="iso", utc=True, key="at"),
                self._check,
                structlog.processors.JSONRenderer(serializer=json.dumps),
            ],
            wrapper_class=structlog.make_filtering_bound_logger(0),
            run=run,
            task=task,
            sample=sample,
        )

    def say(self, event: str, **fields: Any) -> None:
        """Record an event (fields of `records.Event`), then hand it to the watcher.

        The disk is waited for when an attempt ended; until then a power cut may take lines, a crash may not. What
        was paid for is on disk in the effect cache either way.
        """
        ends = event == "stopped" or (fields.get("stage") == "criticise" and fields.get("status") == "done")
        record = self._log.info if ends else self._log.debug
        record(event, **fields)
        self._watch(self._last)

    def _check(self, _logger: Any, _name: str, fields: MutableMapping[str, Any]) -> dict[str, Any]:
        self._last = Event.model_validate(dict(fields))
        return self._last.model_dump(mode="json", exclude_none=True)
