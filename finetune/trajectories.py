"""Read attempts from a run's folder as exchanges: what was asked, thought and answered."""

from collections.abc import Iterator
from pathlib import Path

from akgen.agents.budget import Budget
from akgen.agents.calls.replies import split_thought
from akgen.agents.prompts import render
from akgen.agents.prompts.builder import coder_user, example_project
from akgen.graph.store.records import Attempt, RunInfo
from akgen.graph.store.run_store import RunStore, TaskStore
from akgen.knowledge.chip import DEFAULT_CHIP, chip
from akgen.tools.core.frozen import Frozen
from akgen.tools.core.outcome import InputError, Outcome
from akgen.tools.core.project import KernelProject
from akgen.tools.core.task import Task


class Exchange(Frozen):
    """One attempt that has sources. `user` is what was asked with the feedback of the time, if there was any."""

    task: Task
    attempt: Attempt
    run: RunInfo
    system: str
    user: str
    thought: str
    answer: str  # every file in full, in the form that the coder's prompt asks for

    @property
    def outcome(self) -> Outcome:
        return self.attempt.verdict.outcome


def exchanges(run: Path) -> Iterator[Exchange]:
    """Yield every attempt with sources, task by task.

    An attempt without a model (the composer's) gets the prompt that a model would have got. Raises InputError if
    the folder holds no run, or sources that it names are gone.
    """
    store = RunStore.open(run)
    for place in store.tasks():
        task = place.task()
        for sample in place.samples():
            for attempt in sample.attempts():
                if attempt.project is not None and attempt.plan is not None:
                    yield _exchange(store.info, place, task, attempt)


def first_prompt(exchange: Exchange) -> str:
    """Return what is asked before any attempt: the prompt that a pair's two sides share."""
    assert exchange.attempt.plan is not None
    return coder_user(exchange.task, exchange.attempt.plan, None, None, Budget(), None)


def _exchange(info: RunInfo, place: TaskStore, task: Task, attempt: Attempt) -> Exchange:
    assert attempt.project is not None and attempt.plan is not None
    project = KernelProject.read_from(
        place.folder / attempt.project, attempt.op_type or task.op_type, attempt.kernel or task.kernel
    )
    if project.digest != attempt.digest:
        raise InputError(
            f"{place.folder / attempt.project} was changed after it was judged.",
            "Export from an untouched run folder; a changed project has no verdict.",
        )
    said = {message["role"]: message["content"] for message in attempt.coder_messages}
    thought, _, _ = split_thought(said.get("assistant", ""))
    target = chip(info.config.chip or DEFAULT_CHIP)
    return Exchange(
        task=task,
        attempt=attempt,
        run=info,
        system=said.get("system") or render("coder_system", chip=target, example=example_project()),
        user=said.get("user") or coder_user(task, attempt.plan, attempt.feedback, None, Budget(), None),
        thought=thought or attempt.plan.thought,
        answer=render("answer", project=project),
    )
