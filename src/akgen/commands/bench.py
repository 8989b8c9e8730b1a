"""`akgen bench run`: tasks times samples, by worker processes."""

import os
import sys
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from akgen.agents.run_config import MODELS
from akgen.bench.executors.executor import ExecutorName
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
from akgen.commands.bench_report import show_report
from akgen.options import LIMITS, Fields, configured
from akgen.terminal import AsJson, Terminal, finish, warn_of_sandbox
from akgen.tools.core.settings import Settings
from akgen.tools.core.task import Mode
from akgen.tools.core.toolchain import ToolchainName

if TYPE_CHECKING:
    from akgen.bench.launch import Places
    from akgen.bench.store import BenchStore


class Scale(StrEnum):
    FIT = "fit"
    FULL = "full"


@configured(
    "samples", "attempts", "parallel", "model", "base_url", "planner", "critic", *LIMITS, "route", "take_over",
    "start",
    "toolchain", "chip", "strict", "memory", "seed",
    helps={
        "samples": "How many samples of each task.",
        "attempts": "How many attempts each sample has; later ones repair.",
        "parallel": "How many samples of a task to work on at once, for a model.",
        "model": f"Chat model for --source model: {MODELS}",
        "base_url": "The model's endpoint.",
        "budget": "What each sample may use: tokens=N,cost=X,wall=SECONDS.",
        "toolchain": "What builds and runs the kernels.",
        "seed": "The seed of the hidden inputs.",
    },
    defaults={"attempts": 1, "seed": 0},
)  # fmt: skip
def run_suite(
    context: typer.Context,
    suite: SuiteName,
    fields: Fields,
    root: Root = None,
    source: Annotated[
        str, typer.Option(help="composer, answers (NPUKernelBench's own), model, or a folder of projects.")
    ] = "composer",
    mode: ModeOption = Mode.DYNAMIC,
    max_mb: MostMegabytes = None,
    tasks: TaskNames = None,
    levels: Levels = None,
    categories: Categories = None,
    scale: Annotated[
        Scale, typer.Option(help="Of MultiKernelBench: fit, to what can be simulated, or full sizes.")
    ] = Scale.FIT,
    trials: Annotated[int, typer.Option(min=1, help="How many hidden inputs for each case.")] = 3,
    workers: Annotated[int, typer.Option(min=1, help="How many worker processes.")] = 1,
    executor: Annotated[
        ExecutorName, typer.Option(help="Where workers run: local, this machine; ray, a cluster.")
    ] = ExecutorName.LOCAL,
    address: Annotated[
        str | None, typer.Option(help="Of a Ray cluster; without it, one of this machine alone is started.")
    ] = None,
    compile_workers: Annotated[
        int, typer.Option(min=0, help="How many further workers only compile, for --workers that only run.")
    ] = 0,
    devices: Annotated[
        str,
        typer.Option(help="Numbers of a machine's NPUs, separated by commas; one kernel at a time on each."),
    ] = "0",
    task_timeout: Annotated[float, typer.Option(min=1.0, help="How many seconds a task may take.")] = 900.0,
    out: Annotated[Path | None, typer.Option(help="The run's folder; give it again to go on.")] = None,
    as_json: AsJson = False,
) -> None:
    """Run tasks times samples and report; the same command again goes on where it stopped.

    The exit code is 0 if every task was judged, whatever the verdicts.
    """
    from akgen.bench import launch

    settings: Settings = context.obj
    terminal = Terminal(as_json)
    root = root or checkout(suite, settings)
    chosen = launch.choose_tasks(
        suite,
        root,
        source,
        names=words(tasks),
        levels=launch.level_numbers(words(levels)),
        categories=words(categories),
    )
    toolchain = launch.prepare(
        fields["toolchain"], fields["chip"], settings, terminal.line, strict=fields["strict"]
    )
    warn_of_sandbox(terminal, toolchain.sandbox_missing())
    config = launch.configure(
        fields,
        suite=suite,
        source=source,
        mode=mode,
        toolchain=toolchain.version(),
        sandbox_missing=toolchain.sandbox_missing(),
        root=root,
        max_mb=max_mb,
        full_sizes=scale is Scale.FULL,
        tasks=tuple(chosen),
        trials=trials,
        task_timeout_s=task_timeout,
    )
    places = launch.Places(
        executor=executor,
        workers=workers,
        compile_workers=compile_workers,
        address=address,
        devices=launch.level_numbers(words(devices)) if fields["toolchain"] == ToolchainName.CANN else (),
    )
    store = launch.begin(out or settings.runs / launch.default_name(config), config)
    terminal.line(f"run {store.folder}")
    with store.claimed():
        _work(terminal, store, chosen, places, settings)
    found = show_report(terminal, store)
    finish(not found.errors and not any(level.not_run for level in found.levels.values()))


def _work(
    terminal: Terminal, store: "BenchStore", folders: dict[str, Path], places: "Places", settings: Settings
) -> None:
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    from akgen.bench import launch, runner, suites

    levels = {name: suites.level_of(folder) for name, folder in folders.items()}
    jobs = runner.pending(store, folders, levels, compile_apart=places.compile_workers > 0)
    total = len(store.config.tasks) * store.config.samples
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=terminal.people, transient=True) as progress:
        done = total - sum(len(j.samples) for j in jobs)
        bar = progress.add_task("", total=total, completed=done)
        argv = [sys.executable, "-m", "akgen.bench.worker"]
        for record in runner.run(
            store,
            jobs,
            launch.executor(places, argv=argv, env=dict(os.environ) | {"OMP_NUM_THREADS": "1"}),
            settings=settings.for_workers(),
            on_start=lambda task: progress.update(bar, description=task),
        ):
            progress.advance(bar)
            if not record.solved:
                progress.console.print(
                    f"{record.task}: {record.error or record.outcome}  {'' if record.error else record.why}",
                    markup=False,
                    soft_wrap=True,
                )
