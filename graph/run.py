"""Begin a run, make what it depends on, work on its tasks, go on with one that stopped."""

import platform
import secrets
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import BaseCheckpointSaver

from akgen.agents.calls.context import start_tracing
from akgen.agents.run_config import COMPOSER, RunConfig
from akgen.agents.team import make_conversation, make_deciders, make_understanding
from akgen.graph import machine
from akgen.graph.deps import Deps, Watch
from akgen.graph.state import Samples, TaskState
from akgen.graph.store.checkpoints import STATE, postgres_saver, sqlite_saver
from akgen.graph.store.files import digest_of
from akgen.graph.store.records import RunInfo, Solution
from akgen.graph.store.run_store import RunStore, TaskStore
from akgen.tools.compose.front.traced import RemoteTrace
from akgen.tools.core.outcome import InputError
from akgen.tools.core.settings import Settings, package_version
from akgen.tools.core.task import Task
from akgen.tools.judge.judge import Judge, open_judge
from akgen.tools.reference.kept_trials import kept_trials
from akgen.tools.toolchains import make_toolchain

if TYPE_CHECKING:
    from akgen.agents.calls.conversation import Conversation
    from akgen.graph.store.memory import Memory

STEPS_PER_ATTEMPT = 6
_RECORDED = ("akgen", "langgraph", "langchain-core", "torch", "numpy")


def begin(folder: Path, config: RunConfig, toolchain: str) -> RunStore:
    """Make a run's folder with everything that tells how it was made."""
    info = RunInfo(
        id=folder.name,
        created_at=datetime.now(UTC),
        config=config,
        versions={"python": platform.python_version(), **_versions()},
        toolchain=toolchain,
    )
    return RunStore.create(folder, info)


def new_folder(runs: Path, label: str) -> Path:
    """Return a new folder's name below `runs`: time, label, and four letters against collisions."""
    now = datetime.now(UTC).strftime("%Y%m%d-%H%M%S")
    return runs / f"{now}-{label}-{secrets.token_hex(2)}"


@contextmanager
def open_deps(
    store: RunStore, settings: Settings, progress: Callable[[str], None], watch: Watch
) -> Iterator[Deps]:
    """Make what a run works with; its processes end with the context.

    Raises InputError for a model, chip or route that cannot be used, InfraError when the machine lacks something.
    """
    config = store.info.config
    toolchain = make_toolchain(config.toolchain, settings, config.chip, strict=config.strict)
    with (
        open_judge(toolchain, progress, kept_trials(settings.cache)) as judge,
        memory_of(config, settings) as memory,
    ):
        yield replace(make_deps(store, config, settings, judge, memory), watch=watch)


@contextmanager
def memory_of(config: RunConfig, settings: Settings) -> "Iterator[Memory | None]":
    """Open the memory if the run is to use one."""
    if not config.memory:
        yield None
        return
    from akgen.graph.store.memory import open_memory

    with open_memory(settings.memory) as memory:
        yield memory


def make_deps(
    store: RunStore, config: RunConfig, settings: Settings, judge: Judge, memory: "Memory | None" = None
) -> Deps:
    """Make the deciders of a run, who use a judge that is open already. Model calls are kept in the run's folder.

    Raises InputError for a model or route that cannot be used.
    """
    if settings.otel_endpoint is not None:
        start_tracing(settings.otel_endpoint)
    conversation = _conversation(store, config, settings)
    recall = memory.recall if memory is not None else None
    planner, coder, critic = make_deciders(
        config, conversation, judge.describe, recall, RemoteTrace(judge.reference)
    )
    return Deps(
        settings=settings,
        config=config,
        planner=planner,
        coder=coder,
        critic=critic,
        understand=make_understanding(conversation),
        workbench=judge,
        store=store,
        memory=memory,
    )


def _conversation(store: RunStore, config: RunConfig, settings: Settings) -> "Conversation | None":
    if config.model == COMPOSER:
        return None
    from akgen.graph.store.calls import RunCalls

    return make_conversation(config, settings, RunCalls(store.folder))


def work_on(task: Task, deps: Deps) -> Solution:
    """Solve one task of the run, doing only what is not done yet.

    Raises InfraError when the machine is at fault (what was done until then is kept), InputError when
    another process works on the task or the store holds a different task of this name.
    """
    place, run = deps.store.task(task.name), deps.store.info.id
    with place.claimed():
        keep_task(place, task)
        solution = place.solution() or _solve(task, deps, place, f"{run}/{task.name}/{STATE}")
        place.forget_effects()
    if deps.memory is not None:
        deps.memory.take_in(place, run)
    return solution


def _solve(task: Task, deps: Deps, place: TaskStore, thread: str) -> Solution:
    """Run the machine to its end. `thread` names the task, and the state's classes, in a shared database."""
    config: RunnableConfig = {
        "configurable": {"thread_id": thread},
        "recursion_limit": STEPS_PER_ATTEMPT * deps.config.budget.attempts + 10,
        # The composer answers every sample alike, and traces with torch: nothing is won by threads.
        "max_concurrency": 1 if deps.config.model == COMPOSER else deps.config.parallel,
    }
    with _saver(deps, place) as saver:
        graph = machine.build(saver)
        begun = graph.get_state(config).created_at is not None
        start: TaskState | None = None if begun else {"task": task, "samples": Samples()}
        graph.invoke(start, config, context=deps, durability="sync")
    solution = place.solution()
    assert solution is not None
    return solution


def keep_task(place: TaskStore, task: Task) -> None:
    """Write the task down, or find it as it was written; what was paid for must belong to it."""
    reference = digest_of(task.reference.path)
    if (place.known() and place.task() != task) or place.reference() not in (None, reference):
        raise InputError(
            f"Task {task.name} is not what it was when {place.folder} was begun.",
            "Start a new run; results of different tasks are never mixed.",
        )
    place.save_task(task)
    place.save_reference(reference)


def _saver(deps: Deps, place: TaskStore) -> AbstractContextManager[BaseCheckpointSaver[str]]:
    postgres = deps.settings.postgres
    return postgres_saver(postgres) if postgres else sqlite_saver(place.checkpoints)


def _versions() -> dict[str, str]:
    found = {package: package_version(package) for package in _RECORDED}
    return {package: version for package, version in found.items() if version is not None}
