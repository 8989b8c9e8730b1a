"""`akgen solve` and `akgen resume`: a task to a kernel, from the start or from where it stopped."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from akgen.agents.run_config import Command, RunConfig
from akgen.options import LIMITS, Fields, Root, configured
from akgen.tables import profile_lines, verdict_table
from akgen.terminal import AsJson, StageLines, Terminal, finish, memory_line
from akgen.tools.core.outcome import InputError, Outcome
from akgen.tools.core.settings import Settings
from akgen.tools.core.task import Mode

if TYPE_CHECKING:
    from akgen.graph.store.records import Solution
    from akgen.graph.store.run_store import RunStore


@configured(
    "model", "base_url", "planner", "critic", "toolchain", "route", "take_over", "start", "samples", "parallel",
    "attempts", "tune", *LIMITS, "strict", "memory", "seed",
)  # fmt: skip
def solve(
    context: typer.Context,
    task: Annotated[str, typer.Argument(help="A built-in task, a task folder, or a Python file with Model.")],
    fields: Fields,
    case: Annotated[list[str] | None, typer.Option(help="Only this case; may be repeated.")] = None,
    mode: Annotated[
        Mode, typer.Option(help="static: the first case alone; dynamic: all of them.")
    ] = Mode.DYNAMIC,
    root: Root = None,
    out: Annotated[Path | None, typer.Option(help="The run's folder.")] = None,
    as_json: AsJson = False,
) -> None:
    """Plan, write, compile, test, profile and repair a kernel for TASK."""
    from akgen.bench.resolve import resolve_task

    settings: Settings = context.obj
    resolved = resolve_task(
        task, mode=mode, case_ids=tuple(case) if case else None, root=root or settings.npukb_root
    )
    # After what may be refused: these bring langgraph.
    from akgen.graph.run import begin, new_folder
    from akgen.tools.toolchains import make_toolchain

    config = RunConfig(command=Command.SOLVE, **fields)
    toolchain = make_toolchain(config.toolchain, settings, config.chip, strict=config.strict)
    store = begin(out or new_folder(settings.runs, resolved.name), config, toolchain.version())
    store.task(resolved.name).save_task(resolved)
    _work(store, settings, Terminal(as_json))


def resume(
    context: typer.Context,
    run: Annotated[Path, typer.Argument(help="A run's folder.")],
    as_json: AsJson = False,
) -> None:
    """Finish a run that stopped; repeat nothing that was paid for."""
    from akgen.graph.store.run_store import RunStore

    store = RunStore.open(run)
    if store.info.config.command != "solve":
        raise InputError(
            f"{run} is a {store.info.config.command} run.",
            "Give its own command again; it goes on by itself.",
        )
    _work(store, context.obj, Terminal(as_json))


def _work(store: "RunStore", settings: Settings, terminal: Terminal) -> None:
    from akgen.graph.run import open_deps, work_on

    config = store.info.config
    tasks = store.tasks()
    if len(tasks) != 1:
        raise InputError(
            f"{store.folder} holds {len(tasks)} tasks; a run of `akgen solve` has one.",
            "The folder was damaged: begin another run.",
        )
    (place,) = tasks
    terminal.line(f"run {store.folder}")
    with (
        StageLines(terminal, config.samples) as lines,
        open_deps(store, settings, lines.say, lines.watch) as deps,
    ):
        solution = work_on(place.task(), deps)
    _report(store, place.folder, solution, terminal)
    finish(solution.outcome is Outcome.CORRECT)


def _report(store: "RunStore", folder: Path, solution: "Solution", terminal: Terminal) -> None:
    project = folder / solution.project if solution.project else None
    profile = solution.profile
    terminal.show(verdict_table(solution.verdict))
    for line in profile_lines(profile) if profile else []:
        terminal.line(line)
    terminal.line(f"outcome: {solution.outcome}" + (f", {solution.why}" if solution.why else ""))
    if store.info.config.memory:
        from akgen.graph.store.memory import remembered

        if (learnt := memory_line(remembered(folder), on=True)) is not None:
            terminal.line(learnt)
    if project is not None:
        terminal.line(f"kernel project: {project}")
    if profile is not None and profile.trace is not None:
        terminal.line(f"timeline: {solution.page} (browser), {profile.trace} (Perfetto)")
    document = json.loads(solution.model_dump_json())
    terminal.result({"run": str(store.folder), **document, "project": str(project) if project else None})
