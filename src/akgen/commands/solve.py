"""`akgen solve` and `akgen resume`: a task to a kernel, from the start or from where it stopped."""

import json
import secrets
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from akgen import model_options
from akgen.memory_lines import memory_line
from akgen.model_options import MODELS, LimitText, MaxTokens, MemoryOption, PriceText, Temperature, TopP
from akgen.progress import StageLines
from akgen.settings import Settings
from akgen.tables import profile_lines, verdict_table
from akgen.terminal import AsJson, Terminal, finish
from akgen.tools.core.outcome import InputError, Outcome

if TYPE_CHECKING:
    from akgen.graph.store.records import Solution
    from akgen.graph.store.run_store import RunStore

SEED_BITS = 31  # a server's seed is a signed 32-bit number at least


def solve(
    context: typer.Context,
    task: Annotated[str, typer.Argument(help="A built-in task, a task folder, or a Python file with Model.")],
    model: Annotated[str | None, typer.Option(help=MODELS)] = None,
    base_url: Annotated[str | None, typer.Option(help="The model's endpoint, ending in /v1.")] = None,
    planner: Annotated[Literal["model", "composer"], typer.Option(help="Who plans for a model.")] = "model",
    critic: Annotated[
        Literal["rules", "model"], typer.Option(help="Whether the model may add to the rules' criticism.")
    ] = "rules",
    toolchain: Annotated[
        Literal["twin", "cann"] | None, typer.Option(help="Where it is built and run.")
    ] = None,
    route: Annotated[
        Literal["dsl", "dsl+passes", "ascendc"] | None, typer.Option(help="Through the tile DSL or direct.")
    ] = None,
    samples: Annotated[int, typer.Option(min=1, help="Candidates; the best correct one wins.")] = 1,
    parallel: Annotated[int, typer.Option(min=1, help="Candidates at the same time.")] = 1,
    attempts: Annotated[int, typer.Option(min=1, help="Attempts of each candidate.")] = 4,
    tune: Annotated[int, typer.Option(min=0, help="Attempts that may go into speed once it is correct.")] = 0,
    budget: Annotated[
        str, typer.Option(help="tokens=N,cost=X,wall=SECONDS,device=SECONDS, of each candidate.")
    ] = "",
    limit: LimitText = "",
    price: PriceText = "",
    temperature: Temperature = "0.7",
    top_p: TopP = "0.9",
    max_tokens: MaxTokens = 16_384,
    case: Annotated[list[str] | None, typer.Option(help="Only this case; may be repeated.")] = None,
    mode: Annotated[Literal["static", "dynamic"], typer.Option(help="One case, or all of them.")] = "dynamic",
    root: Annotated[
        Path | None, typer.Option(help="A checkout of NPUKernelBench, to name its tasks.")
    ] = None,
    memory: MemoryOption = False,
    seed: Annotated[int | None, typer.Option(help="Of inputs and models; random unless given.")] = None,
    out: Annotated[Path | None, typer.Option(help="The run's folder.")] = None,
    as_json: AsJson = False,
) -> None:
    """Plan, write, compile, test, profile and repair a kernel for TASK."""
    from akgen.bench.resolve import resolve_task

    settings: Settings = context.obj
    resolved = resolve_task(
        task, mode=mode, case_ids=tuple(case) if case else None, root=root or settings.npukb_root
    )
    prices = model_options.price(price)
    budgeted = model_options.budget(budget, attempts, prices)
    limits = model_options.limits(limit, prices)
    # After what may be refused: these bring langgraph.
    from akgen.graph.run import begin, new_folder
    from akgen.graph.store.records import RunConfig
    from akgen.tools.toolchains import make_toolchain

    config = RunConfig(
        command="solve",
        model=model or settings.model,
        base_url=base_url or settings.base_url,
        planner=planner,
        critic=critic,
        toolchain=toolchain or settings.toolchain,
        chip=settings.chip,
        route=route,
        samples=samples,
        parallel=parallel,
        tune=tune,
        budget=budgeted,
        limits=limits,
        price=prices,
        sampling=model_options.sampling(temperature, top_p, max_tokens),
        memory=memory,
        seed=secrets.randbits(SEED_BITS) if seed is None else seed,
    )
    toolchain_made = make_toolchain(config.toolchain, settings.machine(), config.chip)
    store = begin(out or new_folder(settings.runs, resolved.name), config, toolchain_made.version())
    store.task(resolved.name).save_task(resolved)
    _work(store, settings, Terminal(as_json))


def resume(
    context: typer.Context,
    run: Annotated[Path, typer.Argument(help="A run's folder.")],
    as_json: AsJson = False,
) -> None:
    """Finish a run that was stopped; nothing that was paid for is paid again."""
    from akgen.graph.store.run_store import RunStore

    store = RunStore.open(run)
    if store.info.config.command != "solve":
        raise InputError(
            f"{run} is a {store.info.config.command} run.",
            "Give its own command again; it goes on by itself.",
        )
    _work(store, context.obj, Terminal(as_json))


def _work(store: "RunStore", settings: Settings, terminal: Terminal) -> None:
    from akgen.graph.run import open_crew, work_on

    config = store.info.config
    (place,) = store.tasks()  # a solve run has one task
    terminal.line(f"run {store.folder}")
    with (
        StageLines(terminal, config.samples) as lines,
        open_crew(config, settings.site(), lines.say, store.folder) as crew,
    ):
        solution = work_on(store, place.task(), crew, lines.watch)
    _report(store, place.folder, solution, terminal)
    finish(solution.outcome is Outcome.CORRECT)


def _report(store: "RunStore", folder: Path, solution: "Solution", terminal: Terminal) -> None:
    from akgen.graph.store.memory import remembered

    project = folder / solution.project if solution.project else None
    profile = solution.profile
    terminal.show(verdict_table(solution.verdict))
    for line in profile_lines(profile) if profile else []:
        terminal.line(line)
    terminal.line(f"outcome: {solution.outcome}" + (f", {solution.why}" if solution.why else ""))
    if (learnt := memory_line(remembered(folder), on=store.info.config.memory)) is not None:
        terminal.line(learnt)
    if project is not None:
        terminal.line(f"kernel project: {project}")
    if profile is not None and profile.trace is not None:
        terminal.line(f"timeline: {solution.page} (browser), {profile.trace} (Perfetto)")
    document = json.loads(solution.model_dump_json())
    terminal.result({"run": str(store.folder), **document, "project": str(project) if project else None})
