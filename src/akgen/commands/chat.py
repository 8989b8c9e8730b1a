"""`akgen chat`: a plain conversation in the terminal."""

import secrets
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from akgen.model_options import MODELS
from akgen.progress import StageLines
from akgen.settings import Settings
from akgen.tables import profile_lines, verdict_table
from akgen.terminal import AsJson, Terminal, finish
from akgen.tools.outcome import InputError, Outcome

if TYPE_CHECKING:
    from akgen.graph.records import RunConfig, Solution
    from akgen.graph.store import RunStore

SEED_BITS = 31


def chat(
    context: typer.Context,
    model: Annotated[str | None, typer.Option(help=MODELS)] = None,
    base_url: Annotated[str | None, typer.Option(help="The model's endpoint, ending in /v1.")] = None,
    toolchain: Annotated[
        Literal["twin", "cann"] | None, typer.Option(help="Where it is built and run.")
    ] = None,
    run: Annotated[
        Path | None, typer.Option(help="The conversation's folder; one that exists goes on.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Talk: "write me a gelu kernel for fp16, 1024 by 4096", then "make it bf16"."""
    from akgen.graph.records import RunConfig

    settings: Settings = context.obj
    config = RunConfig(
        command="chat",
        model=model or settings.model,
        base_url=base_url or settings.base_url,
        toolchain=toolchain or settings.toolchain,
        chip=settings.chip,
        seed=secrets.randbits(SEED_BITS),
    )
    _converse(_open(run, config, settings), settings, Terminal(as_json))


def _open(run: Path | None, config: "RunConfig", settings: Settings) -> "RunStore":
    from akgen.graph.runs import begin, new_folder
    from akgen.graph.store import RunStore
    from akgen.tools.toolchains import make_toolchain

    if run is not None and (run / "run.json").is_file():
        store = RunStore.open(run)
        if store.info.config.command != "chat":
            raise InputError(f"{run} holds no conversation.", "Give the folder of an earlier `akgen chat`.")
        return store
    version = make_toolchain(config.toolchain, settings.machine(), config.chip).version()
    return begin(run or new_folder(settings.runs, "chat"), config, version)


def _converse(store: "RunStore", settings: Settings, terminal: Terminal) -> None:
    from akgen.graph.chat import ChatContext
    from akgen.graph.runs import open_crew
    from akgen.graph.talk import talk

    screen = Screen(store, terminal)
    terminal.line(f"run {store.folder}")
    with (
        StageLines(terminal) as lines,
        open_crew(store.info.config, settings.site(), lines.say, store.folder) as crew,
    ):
        context = ChatContext(
            crew=crew,
            store=store,
            understand=crew.team.understand,
            say=terminal.line,
            show=screen.show,
            refuse=screen.refuse,
            watch=lines.watch,
        )
        talk(context, lambda: _next_sentence(terminal))
    terminal.result({"run": str(store.folder), "requests": screen.requests})
    finish(all(request["outcome"] == Outcome.CORRECT for request in screen.requests))


class Screen:
    """Shows what became of each request, and remembers it."""

    def __init__(self, store: "RunStore", terminal: Terminal) -> None:
        self._store, self._terminal = store, terminal
        self.requests: list[dict[str, str | None]] = []

    def show(self, solution: "Solution", kernel: str) -> None:
        terminal = self._terminal
        terminal.code(kernel, "cpp")
        terminal.show(verdict_table(solution.verdict))
        for line in profile_lines(solution.profile) if solution.profile else []:
            terminal.line(line)
        terminal.line(f"outcome: {solution.outcome}" + (f", {solution.why}" if solution.why else ""))
        project = None
        if solution.project is not None:
            project = str(self._store.task(solution.task).folder / solution.project)
            terminal.line(f"kernel project: {project}")
        self.requests.append({"task": solution.task, "outcome": solution.outcome, "project": project})

    def refuse(self, problem: InputError) -> None:
        self._terminal.line(f"{problem.text} {problem.remedy}")
        self.requests.append({"task": None, "outcome": None, "project": None})


def _next_sentence(terminal: Terminal) -> str | None:
    """Return the next line of standard input without its end; None when there is no more."""
    if sys.stdin.isatty():
        terminal.people.print("> ", end="")
    line = sys.stdin.readline()
    return line.rstrip("\n") if line else None
