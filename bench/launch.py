"""What `akgen bench` does before and after the work: choose tasks, open the folder, write the report."""

import contextlib
import importlib.util
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from akgen.agents.budget import Budget
from akgen.agents.run_config import SolveConfig
from akgen.bench import suites
from akgen.bench.answers.reading import AnswerRefused
from akgen.bench.executors.executor import Executor, ExecutorName, LocalExecutor, Stage, WorkerSlot
from akgen.bench.job import run_config
from akgen.bench.npukb import discovery
from akgen.bench.page.data import ReportedRun, names_of
from akgen.bench.page.render import page
from akgen.bench.record import BenchConfig, Record
from akgen.bench.report import Report, report
from akgen.bench.sources import Answers, Folder
from akgen.bench.store import BenchStore
from akgen.graph.run import begin as begin_run
from akgen.graph.store.files import write_whole
from akgen.graph.store.run_store import RunStore, sources_of
from akgen.tools.core.frozen import Frozen
from akgen.tools.core.outcome import InputError
from akgen.tools.core.settings import Settings
from akgen.tools.core.task import Task
from akgen.tools.core.toolchain import Toolchain, ToolchainName
from akgen.tools.toolchains import make_toolchain


def choose_tasks(
    suite: str,
    root: Path | None,
    source: str,
    *,
    names: tuple[str, ...],
    levels: tuple[int, ...],
    categories: tuple[str, ...] = (),
) -> dict[str, Path]:
    """Return name and folder of every task to run.

    Raises InputError when nothing is left, or when the suite has no answers and these are asked for.
    """
    if source not in ("composer", "model", "answers"):
        Folder(Path(source))
    if source == "answers" and suite != "npukb":
        raise InputError(f"The suite {suite} has no reference answers.", "Use --source answers with npukb.")
    chosen = suites.choose(
        suites.suite_folders(suite, root),
        names=names,
        levels=levels,
        categories=categories,
        answered=source == "answers",
    )
    if not chosen:
        raise InputError(
            "No task of the suite fits --tasks, --levels and --categories.", "Leave one of them out."
        )
    return chosen


def level_numbers(words: tuple[str, ...]) -> tuple[int, ...]:
    """Read the numbers of --levels. Raises InputError for anything else."""
    for word in words:
        if not word.isdigit():
            raise InputError(f"--levels holds {word!r}.", "Give numbers separated by commas, such as 1,2.")
    return tuple(int(w) for w in words)


def prepare(
    toolchain: ToolchainName, chip: str, settings: Settings, progress: Callable[[str], None], *, strict: bool
) -> Toolchain:
    """Return the toolchain, with what it needs once per machine built or checked.

    Raises InputError for an unknown chip, InfraError when the machine lacks something.
    """
    made = make_toolchain(toolchain, settings, chip, strict=strict)
    made.prepare(progress)
    return made


def configure(
    fields: Mapping[str, Any], *, suite: str, source: str, root: Path | None, **given: Any
) -> BenchConfig:
    """Return a bench run's configuration: `fields` are those that `solve` takes too, the others the suite's own."""
    budget: Budget = fields["budget"]
    alike = {name: fields[name] for name in SolveConfig.model_fields if name in fields}
    limited = budget != Budget(attempts=budget.attempts)
    return BenchConfig(
        **{**alike, **given, "model": fields["model"] if source == "model" else "composer"},
        suite=suite if suite in suites.NAMED else str(Path(suite).resolve()),
        source=source if source in ("composer", "answers", "model") else str(Path(source).resolve()),
        root=str(root.resolve()) if root is not None else None,
        attempts=budget.attempts,
        budget=budget if limited else None,
    )


class Places(Frozen):
    """Where a run's workers are. No part of what was asked for: a run may go on elsewhere."""

    executor: ExecutorName = ExecutorName.LOCAL
    workers: int = 1
    compile_workers: int = 0
    address: str | None = None  # of a Ray cluster
    devices: tuple[int, ...] = ()  # of each machine; none with the twin


def executor(places: Places, *, argv: Sequence[str | Path], env: Mapping[str, str]) -> Executor:
    """Return where workers will run. `argv` starts a worker process. Raises InputError where Ray is not installed."""
    runs: tuple[Stage, ...] = (Stage.RUN,) if places.compile_workers else (Stage.WHOLE, Stage.RUN)
    kinds: dict[tuple[Stage, ...], int] = {runs: places.workers, (Stage.COMPILE,): places.compile_workers}
    if places.executor is ExecutorName.LOCAL:
        if places.address is not None:
            raise InputError("--address is of a Ray cluster.", "Add --executor ray, or leave it out.")
        names = iter(range(places.workers + places.compile_workers))
        return LocalExecutor(
            [
                WorkerSlot(
                    name=f"worker-{next(names)}",
                    host="local",
                    stages=stages,
                    device=places.devices[n % len(places.devices)]
                    if places.devices and Stage.RUN in stages
                    else None,
                )
                for stages, count in kinds.items()
                for n in range(count)
            ],
            argv=argv,
            env=env,
        )
    if importlib.util.find_spec("ray") is None:
        raise InputError("Ray is not installed.", "pip install 'akgen[ray]', or leave --executor ray out.")
    from akgen.bench.executors.ray_cluster import RayExecutor  # imports Ray

    return RayExecutor(kinds, argv=argv, env=env, address=places.address, devices=places.devices)


def default_name(config: BenchConfig) -> str:
    """Name a run's folder by what it does, so that the same command again goes on."""
    source = config.model.replace(":", "-").replace("/", "-") if config.source == "model" else config.source
    size = f"-{config.max_mb:g}mb" if config.max_mb is not None else ""
    strict = "-strict" if config.strict else ""
    size += "-full" if config.full_sizes else ""
    return f"bench-{Path(config.suite).name}-{Path(source).name}-{config.mode}{size}{strict}"


def begin(folder: Path, config: BenchConfig) -> BenchStore:
    """Open the run's folder, and its run store where projects are written during the run."""
    store = BenchStore.begin(folder, config)
    if config.solves and not (folder / "run.json").is_file():
        with contextlib.suppress(FileExistsError):
            begin_run(folder, run_config(config), config.toolchain)
    return store


def describe_all(folders: Mapping[str, Path]) -> tuple[Task, ...]:
    """Describe tasks of a suite, without sizes."""
    return tuple(sorted(map(suites.describe, folders.values()), key=lambda t: (t.level, t.category, t.name)))


def report_of(store: BenchStore, name: str, baseline: Path | None = None) -> ReportedRun:
    """Compute a run's report from its records; where its suite is not at hand, they say the levels."""
    config, records = store.config, store.records()
    try:
        folders = suites.suite_folders(config.suite, Path(config.root) if config.root else None)
        levels = {name: suites.level_of(folders[name]) for name in config.tasks if name in folders}
    except InputError:
        known = {record.task: record.level for record in records}
        levels = {name: known.get(name, 1) for name in config.tasks}
    found = report(config, records, levels, baseline)
    return ReportedRun(name=name, report=found, records=records, levels=levels)


def write_layout(store: BenchStore) -> Path:
    """Write a run's samples in the folders that its benchmark writes; return where. Raises InputError for others."""
    config = store.config
    if config.suite != "npukb":
        raise InputError(
            f"The run is of {config.suite}.", "The layout npukb is that of runs of the suite npukb."
        )
    folders = suites.suite_folders(config.suite, Path(config.root) if config.root else None)
    if config.solves:
        run = RunStore.open(store.folder)

        def written(record: Record) -> dict[str, str]:
            task = run.task(record.task)
            attempts = task.sample(record.sample).attempts()
            alike = [a for a in attempts if a.verdict.outcome == record.outcome] or attempts
            return sources_of(task.folder, alike[-1].project) if alike else {}

        return discovery.write_layout(store, folders, written)
    source = Answers() if config.source == "answers" else Folder(Path(config.source))

    def given(record: Record) -> dict[str, str]:
        try:
            project = source.project(suites.describe(folders[record.task]), record.sample)
        except AnswerRefused:
            return {}
        return project.files if project is not None else {}

    return discovery.write_layout(store, folders, given)


def write_report(
    stores: Sequence[BenchStore], out: Path | None = None, baseline: Path | None = None
) -> tuple[tuple[Report, ...], Path]:
    """Compute the runs' reports, write each run's report.json and one page of all, and return reports and page.

    The page of one run is its report.html; of several, runs.html in the first one's folder, unless `out` is given.
    Raises InputError for a baseline that cannot be used.
    """
    runs = [report_of(store, name, baseline) for store, name in zip(stores, names_of(stores), strict=True)]
    for run, store in zip(runs, stores, strict=True):
        write_whole(store.folder / "report.json", run.report.model_dump_json(indent=1) + "\n")
    html = out or stores[0].folder / ("report.html" if len(stores) == 1 else "runs.html")
    write_whole(html, page(runs, stores))
    return tuple(run.report for run in runs), html
