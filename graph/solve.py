"""Run one task through the machine, from the start or from where an earlier process stopped."""

from contextlib import AbstractContextManager

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import BaseCheckpointSaver

from akgen.graph import machine
from akgen.graph.deps import Context
from akgen.graph.state import Candidates, TaskState
from akgen.graph.store.checkpoints import postgres_saver, sqlite_saver
from akgen.graph.store.files import digest_of
from akgen.graph.store.records import Solution
from akgen.graph.store.run_store import TaskStore
from akgen.tools.core.outcome import InputError
from akgen.tools.core.task import Task

STEPS_PER_ATTEMPT = 6


def solve(
    task: Task, context: Context, *, parallel: int = 1, postgres: str | None = None, thread: str | None = None
) -> Solution:
    """Return the task's solution, doing only what is not done yet.

    `parallel` is how many candidates run at the same time; `thread` names the task in a shared database.
    Raises InfraError when the machine is at fault (what was done until then is kept), InputError when
    another process works on the task or the store holds a different task of this name.
    """
    store = context.store
    with store.claimed():
        _keep_task(store, task)
        finished = store.solution()
        if finished is not None:
            return finished
        with _saver(context, postgres) as saver:
            graph = machine.build(saver)
            config: RunnableConfig = {
                "configurable": {"thread_id": thread or task.name},
                "recursion_limit": STEPS_PER_ATTEMPT * context.budget.attempts + 10,
                "max_concurrency": parallel,
            }
            begun = graph.get_state(config).created_at is not None
            start: TaskState | None = None if begun else {"task": task, "candidates": Candidates()}
            graph.invoke(start, config, context=context, durability="sync")
        solution = store.solution()
        assert solution is not None
        return solution


def _keep_task(store: TaskStore, task: Task) -> None:
    """Write the task down, or find it as it was written; what was paid for must belong to it."""
    reference = digest_of(task.reference.path)
    if (store.known() and store.task() != task) or store.reference() not in (None, reference):
        raise InputError(
            f"Task {task.name} is not what it was when {store.folder} was begun.",
            "Start a new run; results of different tasks are never mixed.",
        )
    store.save_task(task)
    store.save_reference(reference)


def _saver(context: Context, postgres: str | None) -> AbstractContextManager[BaseCheckpointSaver[str]]:
    return postgres_saver(postgres) if postgres else sqlite_saver(context.store.checkpoints)
