"""`akgen bench`: run a suite of tasks, report on a run, list tasks."""

import os
import sys
import tempfile
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from akgen.agents.run_config import MODELS
from akgen.bench.executors.executor import ExecutorName
from akgen.options import LIMITS, Fields, configured
from akgen.terminal import AsJson, Terminal, finish, warn_of_sandbox
from akgen.tools.core.settings import Settings
from akgen.tools.core.task import Mode
from akgen.tools.core.toolchain import ToolchainName

if TYPE_CHECKING:
    from akgen.bench.launch import Places
    from akgen.bench.report import Report
    from akgen.bench.store import BenchStore


class FolderLayout(StrEnum):
    NPUKB = "npukb"


class Scale(StrEnum):
    FIT = "fit"
    FULL = "full"


@configured(
    "samples", "attempts", "parallel", "model", "base_url", "planner", "critic", *LIMITS, "route", "take_over",
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
    suite: Annotated[
        str, typer.Argument(help="builtin, npukb, mkb, or a folder of task folders or Python files.")
    ],
    fields: Fields,
    root: Annotated[
        Path | None, typer.Option(help="Your checkout of NPUKernelBench or MultiKernelBench.")
    ] = None,
    source: Annotated[
        str, typer.Option(help="composer, answers (NPUKernelBench's own), model, or a folder of projects.")
    ] = "composer",
    mode: Annotated[
        Mode, typer.Option(help="static: the first case alone; dynamic: all of them.")
    ] = Mode.DYNAMIC,
    max_mb: Annotated[
        float | None, typer.Option(help="Leave out cases with more megabytes of input.")
    ] = None,
    tasks: Annotated[str | None, typer.Option(help="Only these tasks, separated by commas.")] = None,
    levels: Annotated[str | None, typer.Option(help="Only these levels, separated by commas.")] = None,
    categories: Annotated[
        str | None, typer.Option(help="Only these categories, separated by commas.")
    ] = None,
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
    root = root or _checkout(suite, settings)
    chosen = launch.choose_tasks(
        suite,
        root,
        source,
        names=_words(tasks),
        levels=launch.level_numbers(_words(levels)),
        categories=_words(categories),
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
        devices=launch.level_numbers(_words(devices)) if fields["toolchain"] == ToolchainName.CANN else (),
    )
    store = launch.begin(out or settings.runs / launch.default_name(config), config)
    terminal.line(f"run {store.folder}")
    with store.claimed():
        _work(terminal, store, chosen, places, settings)
    found = _show(terminal, store)
    finish(not found.errors and not any(level.not_run for level in found.levels.values()))


def report_run(
    runs: Annotated[list[Path], typer.Argument(help="The folders of one or more bench runs.")],
    out: Annotated[
        Path | None, typer.Option(help="The page to write; in the first run's folder unless given.")
    ] = None,
    baseline: Annotated[
        Path | None,
        typer.Option(help="Times to compare with, a JSON file of KernelBench's; else the twin's roofline."),
    ] = None,
    layout: Annotated[
        FolderLayout | None,
        typer.Option(help="Write answers and results in the benchmark's own folders, too."),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Report on runs, finished or not, and write one HTML page of them."""
    from akgen.bench import launch
    from akgen.bench.store import BenchStore

    terminal = Terminal(as_json)
    stores = [BenchStore.open(run) for run in runs]
    if layout is not None:
        for store in stores:
            terminal.line(f"layout {launch.write_layout(store)}")
    found, page = launch.write_report(stores, out, baseline)
    for store, one in zip(stores, found, strict=True):
        if len(found) > 1:
            terminal.line(f"run {store.folder}")
        _table(terminal, one)
    terminal.line(f"page {page}")
    terminal.result(found[0] if len(found) == 1 else {"runs": [one.model_dump(mode="json") for one in found]})


def list_tasks(
    context: typer.Context,
    suite: Annotated[str, typer.Argument(help="builtin, npukb, mkb, kernelbench, or a folder.")] = "builtin",
    root: Annotated[
        Path | None, typer.Option(help="Your checkout of NPUKernelBench, MultiKernelBench or KernelBench.")
    ] = None,
    check: Annotated[
        bool, typer.Option("--check", help="Run every reference, and say which tasks are excluded and why.")
    ] = False,
    mode: Annotated[
        Mode, typer.Option(help="With --check, static: the first case alone; dynamic: all of them.")
    ] = Mode.STATIC,
    tasks: Annotated[str | None, typer.Option(help="Only these tasks, separated by commas.")] = None,
    categories: Annotated[
        str | None, typer.Option(help="Only these categories, separated by commas.")
    ] = None,
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
        suites.suite_folders(suite, root or _checkout(suite, settings)),
        names=_words(tasks),
        categories=_words(categories),
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

    from akgen.bench.check import check

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
    suite: Annotated[
        str, typer.Argument(help="builtin, npukb, mkb, or a folder of task folders or Python files.")
    ],
    root: Annotated[
        Path | None, typer.Option(help="Your checkout of NPUKernelBench or MultiKernelBench.")
    ] = None,
    mode: Annotated[
        Mode, typer.Option(help="static: the first case alone; dynamic: all of them.")
    ] = Mode.STATIC,
    max_mb: Annotated[
        float | None, typer.Option(help="Leave out cases with more megabytes of input.")
    ] = None,
    tasks: Annotated[str | None, typer.Option(help="Only these tasks, separated by commas.")] = None,
    levels: Annotated[str | None, typer.Option(help="Only these levels, separated by commas.")] = None,
    categories: Annotated[
        str | None, typer.Option(help="Only these categories, separated by commas.")
    ] = None,
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
        suite, root or _checkout(suite, settings), "composer", names=_words(tasks),
        levels=launch.level_numbers(_words(levels)), categories=_words(categories),
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


def _show(terminal: Terminal, store: "BenchStore") -> "Report":
    from akgen.bench import launch

    (found,), page = launch.write_report([store])
    _table(terminal, found)
    terminal.line(f"page {page}")
    terminal.result(found)
    return found


def _table(terminal: Terminal, found: "Report") -> None:
    from rich.table import Table

    table = Table("Level", "Tasks", "Compiled", "Solved", "Cases", "CR@1", "ER@1", "Of allowed", box=None)
    for number, level in found.levels.items():
        table.add_row(
            number,
            str(level.tasks),
            str(level.compiled),
            str(level.solved),
            f"{level.cases_correct}/{level.cases}",
            *(f"{100 * r[0].value:.1f} %" if r else "" for r in (level.cr, level.er)),
            "" if level.most_used is None else f"{level.most_used:.1%}",
        )
    terminal.show(table)
    if found.memory:
        terminal.line("memory: on; tasks were shown what earlier ones taught, and are not independent")
    if found.repairs:
        mended = Table("Attempt failed with", "Times", "Gone in the next", "Correct in the next", box=None)
        for code, rates in found.repairs.items():
            mended.add_row(
                code, str(rates.met), f"{rates.gone / rates.met:.0%}", f"{rates.solved / rates.met:.0%}"
            )
        terminal.show(mended)
    if found.fast_p is not None:
        shares = ", ".join(f"fast_{p} {share:.1%}" for p, share in found.fast_p.p.items())
        terminal.line(f"against the {found.fast_p.against} ({found.fast_p.times} times): {shares}")
    if found.faults.tries:
        terminal.line(
            f"machine faults: {found.faults.tries}; {found.faults.mended} samples mended by another try, "
            f"{found.faults.machine} not judged"
        )
    for error in found.errors:
        terminal.line(f"not judged: {error.task}: {error.why}")
    if found.input_tokens or found.output_tokens:
        cost = f", cost {found.cost:.4g}" if found.cost else ""
        terminal.line(f"model calls: {found.input_tokens} tokens in, {found.output_tokens} out{cost}")
    if found.score is not None:
        terminal.line(f"score {found.score:.3f} ({found.toolchain})")


def _checkout(suite: str, settings: Settings) -> Path | None:
    roots = {"mkb": settings.mkb_root, "kernelbench": settings.kernelbench_root}
    return roots.get(suite, settings.npukb_root)


def _words(text: str | None) -> tuple[str, ...]:
    return tuple(w.strip() for w in (text or "").split(",") if w.strip())


def speed(
    context: typer.Context,
    root: Annotated[
        Path | None, typer.Option(help="Your checkout of NPUKernelBench, for its single-file answers.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Measure compiling, operators, memory, verdicts and the graph. Exit 0 if every figure is within its target."""
    from rich.table import Table

    from akgen.bench.speed import measure
    from akgen.tools.toolchains import make_toolchain
    from akgen.tools.twin.settings import TwinSettings

    settings: Settings = context.obj
    terminal = Terminal(as_json)
    twin = TwinSettings(
        cache=settings.cache, chip=settings.chip, compiler=settings.compiler, path=settings.path
    )
    toolchain = make_toolchain(ToolchainName.TWIN, settings, settings.chip)
    figures = measure(toolchain, twin, root or settings.npukb_root, terminal.line)
    table = Table()
    table.add_column("figure", overflow="fold")
    table.add_column("value", justify="right")
    table.add_column("target", justify="right")
    table.add_column("of", overflow="fold")
    for f in figures:
        unit = "" if f.unit == "ratio" else f" {f.unit}"
        bound = "at least " if f.at_least else ""
        digits = 2 if f.value < 100 else 0
        table.add_row(f.name, f"{f.value:.{digits}f}{unit}", f"{bound}{f.target:g}{unit}", f.detail)
    terminal.show(table)
    terminal.result({"toolchain": toolchain.version(), "figures": [f.model_dump() for f in figures]})
    finish(all(f.holds for f in figures))


def schedule(
    run: Annotated[Path, typer.Argument(help="The folder of a bench run, for how long its samples took.")],
    workers: Annotated[int, typer.Option(min=1, help="How many workers to simulate.")] = 512,
    samples: Annotated[int, typer.Option(min=1, help="How many samples of each task.")] = 100,
    as_json: AsJson = False,
) -> None:
    """Simulate many workers with a run's durations. Exit 0 if nine tenths of their time judge."""
    from akgen.bench.executors.simulated import LEAST_EFFICIENCY, recorded, simulate
    from akgen.bench.store import BenchStore

    terminal = Terminal(as_json)
    found = simulate(recorded(BenchStore.open(run).records()), workers, samples)
    terminal.line(
        f"{found.verdicts} verdicts, {found.judging_s / 3600:.1f} hours of judging, by {workers} workers in "
        f"{found.wall_s:.0f} s: {found.efficiency:.1%} of their time judges (target {LEAST_EFFICIENCY:.0%})"
    )
    terminal.result({**found.model_dump(), "efficiency": found.efficiency, "target": LEAST_EFFICIENCY})
    finish(found.efficiency >= LEAST_EFFICIENCY)


def roofline(
    context: typer.Context,
    large: Annotated[
        bool,
        typer.Option("--large", help="Operators of 16 MB and more, and products up to 4096^3; ten minutes."),
    ] = False,
    only: Annotated[str, typer.Option(help="Only tasks with this in their name.")] = "",
    as_json: AsJson = False,
) -> None:
    """Say how near the composer's kernels for ten tasks come to what the tasks need."""
    from rich.table import Table

    from akgen.bench.roofline import TASKS, large_tasks, measure
    from akgen.tools.toolchains import make_twin

    settings: Settings = context.obj
    terminal = Terminal(as_json)
    toolchain = make_twin(settings, settings.chip, timed_only=large)
    with tempfile.TemporaryDirectory(prefix="akgen-large-") as folder:
        tasks = large_tasks(Path(folder), only) if large else tuple(t for t in TASKS if only in t)
        found = measure(toolchain, terminal.line, tasks)
    table = Table()
    for head in (
        "task",
        "cores",
        "us",
        "us, warm",
        "us needed",
        "share",
        "of its own traffic",
        "MB moved",
        "bound",
    ):
        table.add_column(head, justify="left" if head in ("task", "bound") else "right")
    for n in found:
        times = (n.time_us, n.warm_us or 0.0, n.roofline_us or 0.0)
        table.add_row(
            n.task, str(n.cores), *(f"{t:.2f}" for t in times), f"{n.share:.0%}", f"{n.own_share or 0:.0%}",
            f"{n.moved_bytes / 1e6:.2f}", n.bound,
        )  # fmt: skip
    terminal.show(table)
    terminal.result({"toolchain": toolchain.version(), "kernels": [n.model_dump() for n in found]})


def sampling(
    context: typer.Context,
    model: Annotated[
        str, typer.Option(help="A model behind a server: vllm:NAME, kernelgen:NAME, openai:NAME.")
    ],
    base_url: Annotated[str | None, typer.Option(help="The model's endpoint.")] = None,
    task: Annotated[str, typer.Option(help="The task whose prompt to send.")] = "softmax_rows",
    samples: Annotated[int, typer.Option(min=2, help="How many samples.")] = 8,
    max_tokens: Annotated[
        int, typer.Option(min=1, help="How many tokens one reply may have, thought included.")
    ] = 256,
    as_json: AsJson = False,
) -> None:
    """Measure one request for n samples against n requests. Exit 0 if it is at least three times as fast."""
    from akgen.agents.calls.model_call import Sampling
    from akgen.agents.models.resolve import model_options
    from akgen.agents.run_config import SolveConfig
    from akgen.bench.resolve import resolve_task
    from akgen.bench.sampling import TARGET, measure
    from akgen.knowledge.chip import chip

    settings: Settings = context.obj
    terminal = Terminal(as_json)
    config = SolveConfig(base_url=base_url or settings.base_url, sampling=Sampling(max_tokens=max_tokens))
    options = model_options(config, settings)
    found = measure(model, options, resolve_task(task), chip(settings.chip), samples)
    terminal.line(
        f"{found.samples} samples of one prompt ({found.prompt_tokens} tokens): together {found.together_s:.1f} s "
        f"({found.together_tokens} tokens), apart {found.apart_s:.1f} s ({found.apart_tokens} tokens)"
    )
    terminal.line(f"{found.ratio:.1f} times as fast together, token by token (target {TARGET:g})")
    terminal.result({**found.model_dump(), "ratio": found.ratio, "target": TARGET})
    finish(found.holds)
