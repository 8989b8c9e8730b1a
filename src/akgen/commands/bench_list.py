"""`akgen bench list` and `akgen bench survey`: what a suite holds, and what the composer plans for it."""

import os
from pathlib import Path
from typing import Annotated

import typer

from akgen.commands.bench_options import (
    Categories,
    Levels,
    ModeOption,
    MostMegabytes,
    Root,
    SuiteName,
    TaskNames,
    checkout,
    words,
)
from akgen.terminal import AsJson, Terminal
from akgen.tools.core.settings import Settings
from akgen.tools.core.task import Mode


def list_tasks(
    context: typer.Context,
    suite: SuiteName = "builtin",
    root: Root = None,
    check: Annotated[
        bool, typer.Option("--check", help="Run every reference, and say which tasks are excluded and why.")
    ] = False,
    mode: Annotated[
        Mode, typer.Option(help="With --check, static: the first case alone; dynamic: all of them.")
    ] = Mode.STATIC,
    tasks: TaskNames = None,
    categories: Categories = None,
    task_timeout: Annotated[
        float, typer.Option(min=1.0, help="With --check, how many seconds a reference may take.")
    ] = 120.0,
    as_json: AsJson = False,
) -> None:
    """Print the tasks of a suite; with --check, run their references."""
    from rich.table import Table

    from akgen.bench import launch, suites
    from akgen.bench.builtin import HELD_OUT_FAMILIES

    settings: Settings = context.obj
    terminal = Terminal(as_json)
    folders = suites.choose(
        suites.suite_folders(suite, root or checkout(suite, settings)),
        names=words(tasks),
        categories=words(categories),
    )
    if check:
        _check(terminal, suite, folders, mode, task_timeout)
        return
    described = launch.describe_all(folders)
    held_out = {t.name for t in described if t.suite == "builtin" and t.category in HELD_OUT_FAMILIES}
    table = Table("Level", "Category", "Task", "Cases", "", box=None)
    for task in described:
        note = "held out" if task.name in held_out else ""
        table.add_row(str(task.level), task.category, task.name, str(len(task.cases)), note)
    terminal.show(table)
    rows = [
        {"name": t.name, "level": t.level, "category": t.category, "held_out": t.name in held_out}
        for t in described
    ]
    terminal.result({"suite": suite, "tasks": rows})


def _check(terminal: Terminal, suite: str, folders: dict[str, Path], mode: Mode, timeout_s: float) -> None:
    from rich.table import Table

    from akgen.bench.survey import check

    rows = []
    env = dict(os.environ) | {"OMP_NUM_THREADS": "1"}
    for row in check(folders, mode, None, timeout_s, env):
        rows.append(row)
        terminal.line(f"{len(rows)} of {len(folders)} {row.task}: {row.found} {row.why}".rstrip())
    excluded = [r for r in rows if r.found == "excluded"]
    table = Table("Category", "Excluded", "Why", box=None)
    for row in excluded:
        table.add_row(row.category, row.task, row.why)
    terminal.show(table)
    terminal.line(
        f"{len(rows) - len(excluded)} of {len(rows)} references run; {len(excluded)} tasks are excluded"
    )
    terminal.result({"suite": suite, "mode": mode, "rows": [r.model_dump() for r in rows]})


def survey_suite(
    context: typer.Context,
    suite: SuiteName,
    root: Root = None,
    mode: ModeOption = Mode.STATIC,
    max_mb: MostMegabytes = None,
    tasks: TaskNames = None,
    levels: Levels = None,
    categories: Categories = None,
    task_timeout: Annotated[float, typer.Option(min=1.0, help="How many seconds a task may take.")] = 60.0,
    as_json: AsJson = False,
) -> None:
    """Compose a suite's tasks without compiling, and say what stands in the way of the others."""
    from rich.table import Table

    from akgen.bench import launch
    from akgen.bench.survey import Surveyed, refusals, shares, survey

    settings: Settings = context.obj
    terminal = Terminal(as_json)
    chosen = launch.choose_tasks(
        suite, root or checkout(suite, settings), "composer", names=words(tasks),
        levels=launch.level_numbers(words(levels)), categories=words(categories),
    )  # fmt: skip
    rows: list[Surveyed] = []
    env = dict(os.environ) | {"OMP_NUM_THREADS": "1"}
    for row in survey(chosen, mode, max_mb, task_timeout, env):
        rows.append(row)
        if row.found != "composed":
            terminal.line(f"{row.task}: {row.found}: {row.why}")
    table = Table("Category", "Tasks", "Composed", box=None)
    for share in shares(rows):
        table.add_row(share.category, str(share.tasks), str(share.composed))
    table.add_row("all", str(len(rows)), str(sum(r.found == "composed" for r in rows)))
    terminal.show(table)
    refused = Table("In the way", "Tasks", "Of", box=None)
    for operator, group in refusals(rows):
        refused.add_row(operator, str(len(group)), ", ".join(r.task for r in group))
    terminal.show(refused)
    terminal.result({"suite": suite, "mode": mode, "rows": [r.model_dump() for r in rows]})
