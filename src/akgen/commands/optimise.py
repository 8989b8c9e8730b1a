"""`akgen optimise`: make a correct kernel faster, and keep what the timeline proves."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from akgen.agents.run_config import Command, RunConfig
from akgen.options import LIMITS, Fields, Project, Root, TaskName, configured
from akgen.terminal import AsJson, Terminal, finish
from akgen.tools.core.outcome import InputError
from akgen.tools.core.settings import Settings

if TYPE_CHECKING:
    from akgen.agents.calls.conversation import Conversation
    from akgen.agents.search.candidates import Proposer, SearchStep
    from akgen.graph.optimise import Optimised
    from akgen.graph.store.run_store import RunStore
    from akgen.tools.core.project import KernelProject
    from akgen.tools.core.task import Task
    from akgen.tools.judge.judge import Judge


@configured(
    "model", "base_url", "toolchain", "candidates", *LIMITS, "strict", "seed",
    helps={"budget": "What the search may use: tokens=N,cost=X,wall=SECONDS."},
)  # fmt: skip
def optimise(
    context: typer.Context,
    project: Project,
    task: TaskName,
    fields: Fields,
    beam: Annotated[int, typer.Option(min=1, help="How many kernels to develop side by side.")] = 2,
    each: Annotated[int, typer.Option(min=1, help="How many changes to each of them to try per round.")] = 4,
    case: Annotated[list[str] | None, typer.Option(help="Only this case; may be repeated.")] = None,
    root: Root = None,
    out: Annotated[Path | None, typer.Option(help="The run's folder; give it again to go on.")] = None,
    as_json: AsJson = False,
) -> None:
    """Make PROJECT faster on a task: profile, hypothesise, change, verify, keep what the timeline proves."""
    from akgen.bench.resolve import resolve_task
    from akgen.tools.core.project import read_project

    settings: Settings = context.obj
    wanted = resolve_task(task, root=root or settings.npukb_root, case_ids=tuple(case) if case else None)
    kernel = read_project(project, wanted.op_type, wanted.kernel)
    extra = {"project": str(project.resolve()), "task": task, "beam": beam, "each": each}
    config = RunConfig(command=Command.OPTIMISE, extra=extra, **fields)
    terminal = Terminal(as_json)
    store = _open(out, config, settings, wanted)
    found = _search(store, wanted, kernel, settings, terminal)
    _report(found, store, terminal)
    finish(found.gain > 1.0 or "roofline" in found.stopped)


def _open(out: Path | None, config: RunConfig, settings: Settings, task: "Task") -> "RunStore":
    """Begin a run, or go on with one that searches for the same."""
    from akgen.graph.run import begin, new_folder
    from akgen.graph.store.run_store import RunStore
    from akgen.tools.toolchains import make_toolchain

    if out is not None and (out / "run.json").is_file():
        store = RunStore.open(out)
        known = store.info.config
        if known.command != "optimise" or known.extra.get("project") != config.extra["project"]:
            raise InputError(f"{out} holds another run.", "Choose another folder with --out.")
        return store
    version = make_toolchain(config.toolchain, settings, config.chip, strict=config.strict).version()
    return begin(out or new_folder(settings.runs, f"optimise-{task.name}"), config, version)


def _search(
    store: "RunStore", task: "Task", kernel: "KernelProject", settings: Settings, terminal: Terminal
) -> "Optimised":
    from akgen.agents.team import make_conversation
    from akgen.graph.optimise import Search
    from akgen.graph.store.calls import RunCalls
    from akgen.tools.judge.judge import open_judge
    from akgen.tools.toolchains import make_toolchain

    config = store.info.config
    terminal.line(f"run {store.folder}")
    conversation = make_conversation(config, settings, RunCalls(store.folder))
    chain = make_toolchain(config.toolchain, settings, config.chip, strict=config.strict)
    with open_judge(chain, terminal.line) as judge:
        proposer = _proposer(config, conversation, judge, task, kernel)
        terminal.line(f"changes by {proposer.name}")
        search = Search(
            judge=judge,
            proposer=proposer,
            folder=store.folder,
            budget=config.budget,
            beam=int(config.extra["beam"]),
            each=int(config.extra["each"]),
            seed=config.seed,
            on_step=lambda step: terminal.line(_step_line(step)),
        )
        return search.run(task, kernel)


def _proposer(
    config: RunConfig,
    conversation: "Conversation | None",
    judge: "Judge",
    task: "Task",
    kernel: "KernelProject",
) -> "Proposer":
    """Return who thinks of changes: a model, or the composer's knobs where it wrote the kernel, else rules."""
    from akgen.agents.search.by_rules import ByRules
    from akgen.agents.search.proposers import ByModel, KnobSearch
    from akgen.knowledge.chip import DEFAULT_CHIP, chip
    from akgen.tools.compose.front.traced import RemoteTrace

    target = chip(config.chip or DEFAULT_CHIP)
    if conversation is not None:
        return ByModel(conversation, target, judge.describe)
    knobs = KnobSearch(target, RemoteTrace(judge.reference))
    return knobs if knobs.wrote(task, kernel) else ByRules(target)


def _step_line(step: "SearchStep") -> str:
    promise = step.hypothesis.predicted_gain
    said = f", predicted {promise:.2f}" if promise else ""
    if step.gain is None:
        return f"round {step.round}  {step.hypothesis.text}: {step.outcome}{said}"
    return f"round {step.round}  {step.hypothesis.text}: gain {step.gain:.2f}{said}{', kept' if step.kept else ''}"


def _report(found: "Optimised", store: "RunStore", terminal: Terminal) -> None:
    from akgen.tables import calibration_table, profile_lines, trials_table

    terminal.show(trials_table(found.trials))
    terminal.show(calibration_table(found.calibration))
    for line in profile_lines(found.profile) if found.profile else []:
        terminal.line(line)
    terminal.line(
        f"{found.before_us:.2f} us to {found.after_us:.2f} us {found.time_source} "
        f"(geometric mean over the cases), gain {found.gain:.2f}"
    )
    for change in found.changes:
        terminal.line(f"kept: {change}")
    for place in found.left:
        terminal.line(f"left: {place}")
    terminal.line(f"stopped: {found.stopped}")
    terminal.line(f"kernel project: {found.project}")
    terminal.result({"run": str(store.folder), **json.loads(found.model_dump_json())})
