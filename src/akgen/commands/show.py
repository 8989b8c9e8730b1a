"""`akgen show`: what a run did, from its folder."""

from pathlib import Path
from typing import Annotated

import typer

from akgen.agents.calls.model_call import Usage
from akgen.agents.critic import failure
from akgen.bench.metrics import GainCalibration, score_predictions, tuning_steps
from akgen.graph.store.calls import RunCalls
from akgen.graph.store.memory import Remembered, remembered
from akgen.graph.store.records import Attempt, AttemptRow, RunInfo, Solution
from akgen.graph.store.run_store import RunStore, SampleStore
from akgen.tables import attempts_table, predictions_table, verdict_table
from akgen.terminal import AsJson, Terminal, memory_line
from akgen.tools.core.frozen import Frozen


class SampleReport(Frozen):
    """One sample. `ended` is False while an earlier process's work is not finished."""

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
    tuning: dict[str, GainCalibration]  # by kind of change: what the critic predicted, and what came


def show(
    run: Annotated[Path, typer.Argument(help="A run's folder.")],
    feedback: Annotated[bool, typer.Option("--feedback", help="Print what each attempt was told.")] = False,
    as_json: AsJson = False,
) -> None:
    """Print a run's attempts, verdicts and files, even if it stopped half-way."""
    terminal = Terminal(as_json)
    report = describe_run(run)
    info = report.info
    terminal.line(
        f"run {info.id}: {info.config.model} on {info.toolchain}, {info.created_at:%Y-%m-%d %H:%M} UTC"
    )
    for task in report.tasks:
        _show_task(terminal, task, feedback)
        if (learnt := memory_line(task.memory, on=info.config.memory)) is not None:
            terminal.line(f"{task.name}: {learnt}")
    if report.tuning:
        terminal.line("what changes for speed were to save, and saved:")
        terminal.show(predictions_table(report.tuning))
    used = report.usage
    if used.input_tokens or used.output_tokens:
        cost = f", cost {used.cost:.4g}" if info.config.price else ""
        terminal.line(
            f"model calls: {used.input_tokens} tokens in, {used.output_tokens} out, {used.seconds:.1f} s{cost}"
        )
    terminal.result(report)


def _show_task(terminal: Terminal, task: TaskReport, feedback: bool) -> None:
    for sample in task.samples:
        ended = "" if sample.ended else f", not finished ({sample.last_line}); `akgen resume` goes on"
        terminal.line(f"{task.name}, sample {sample.number}{ended}")
        terminal.show(attempts_table(sample.attempts))
        if feedback:
            _show_feedback(terminal, sample)
    if not task.samples:
        terminal.line(f"{task.name}: not begun; `akgen resume` begins it")
    if task.solution is not None:
        terminal.line(f"{task.name}: {task.solution.outcome}")
        terminal.show(verdict_table(task.solution.verdict))


def _show_feedback(terminal: Terminal, sample: SampleReport) -> None:
    for attempt in sample.attempts:
        if attempt.feedback is not None:
            terminal.line(f"attempt {attempt.number} was told:")
            terminal.line(attempt.feedback.text)


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
    steps = (step for task in tasks for one in task.samples for step in tuning_steps(_rows(one.attempts)))
    tuning = score_predictions(steps)
    return RunReport(folder=store.folder, info=store.info, tasks=tasks, usage=usage, tuning=tuning)


def _rows(attempts: tuple[Attempt, ...]) -> list[AttemptRow]:
    """Return the attempts in a line each, as far as a tuning step is measured by them."""
    return [
        AttemptRow(
            number=one.number,
            outcome=one.verdict.outcome,
            time_us=(mean_us := one.verdict.mean_us()),
            time_source=one.verdict.time_source if mean_us else None,
            hypothesis=one.decision.hypothesis if one.decision.action == "tune" else None,
            failure=failure(one.verdict),
        )
        for one in attempts
    ]


def _sample(sample: SampleStore) -> SampleReport:
    *_, last = [None, *sample.events()]
    text = f"attempt {last.attempt}, {last.stage or last.event} {last.status or ''}".strip() if last else ""
    return SampleReport(number=sample.number, ended=sample.ended, attempts=sample.attempts(), last_line=text)
