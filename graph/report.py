"""What a run's folder says, also of a run that stopped half-way."""

from pathlib import Path

from akgen.agents.calls.model_call import Usage
from akgen.graph.store.calls import RunCalls
from akgen.graph.store.memory import Remembered, remembered
from akgen.graph.store.records import Attempt, RunInfo, Solution
from akgen.graph.store.run_store import RunStore, SampleStore
from akgen.tools.core.frozen import Frozen


class SampleReport(Frozen):
    """One candidate. `ended` is False while an earlier process's work is not finished."""

    number: int
    ended: bool
    attempts: tuple[Attempt, ...]
    last_line: str  # of its events: where it stands or stopped


class TaskReport(Frozen):
    """One task of the run."""

    name: str
    solution: Solution | None
    samples: tuple[SampleReport, ...]
    memory: Remembered | None  # None if the run used none


class RunReport(Frozen):
    """The whole run."""

    folder: Path
    info: RunInfo
    tasks: tuple[TaskReport, ...]
    usage: Usage  # of all model calls


def describe_run(folder: Path) -> RunReport:
    """Read a run.

    Raises InputError if the folder holds none, or if a file in it is damaged.
    """
    store = RunStore.open(folder)
    tasks = tuple(
        TaskReport(
            name=place.task().name,
            solution=place.solution(),
            samples=tuple(_sample(sample) for sample in place.samples()),
            memory=remembered(place.folder),
        )
        for place in store.tasks()
    )
    usage = RunCalls(store.folder, mend=False).total()
    return RunReport(folder=store.folder, info=store.info, tasks=tasks, usage=usage)


def _sample(sample: SampleStore) -> SampleReport:
    *_, last = [None, *sample.events()]
    text = f"attempt {last.attempt}, {last.stage or last.event} {last.status or ''}".strip() if last else ""
    return SampleReport(number=sample.number, ended=sample.ended, attempts=sample.attempts(), last_line=text)
