"""`akgen show`: what a run did, from its folder."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from akgen.memory_lines import memory_line
from akgen.tables import attempts_table, verdict_table
from akgen.terminal import AsJson, Terminal

if TYPE_CHECKING:
    from akgen.graph.report import SampleReport, TaskReport


def show(
    run: Annotated[Path, typer.Argument(help="A run's folder.")],
    feedback: Annotated[bool, typer.Option("--feedback", help="Print what each attempt was told.")] = False,
    as_json: AsJson = False,
) -> None:
    """Print a run's attempts, verdicts and files; also of a run that stopped half-way."""
    from akgen.graph.report import describe_run

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
    used = report.usage
    if used.input_tokens or used.output_tokens:
        cost = f", cost {used.cost:.4g}" if info.config.price else ""
        terminal.line(
            f"model calls: {used.input_tokens} tokens in, {used.output_tokens} out, {used.seconds:.1f} s{cost}"
        )
    terminal.result(report)


def _show_task(terminal: Terminal, task: "TaskReport", feedback: bool) -> None:
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


def _show_feedback(terminal: Terminal, sample: "SampleReport") -> None:
    for attempt in sample.attempts:
        if attempt.feedback is not None:
            terminal.line(f"attempt {attempt.number} was told:")
            terminal.line(attempt.feedback.text)
