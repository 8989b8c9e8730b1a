"""`akgen chat`: a conversation in the terminal, as an application or in plain lines."""

import sys
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from akgen.agents.run_config import Command, RunConfig
from akgen.options import Fields, Root, configured
from akgen.terminal import AsJson, StageLines, Terminal, finish
from akgen.tools.core.outcome import InputError, Outcome
from akgen.tools.core.settings import Settings

if TYPE_CHECKING:
    from akgen.graph.store.run_store import RunStore
    from akgen.tools.core.task import Task


@configured("model", "base_url", "toolchain", "route", "memory")
def chat(
    context: typer.Context,
    fields: Fields,
    session: Annotated[
        str | None, typer.Argument(help="With --resume: a conversation's id, or its beginning or end.")
    ] = None,
    resume: Annotated[
        bool,
        typer.Option("--resume", help="Go on with a conversation: the latest, or the one that is named."),
    ] = False,
    list_sessions: Annotated[
        bool, typer.Option("--sessions", help="List the conversations and end.")
    ] = False,
    run: Annotated[
        Path | None, typer.Option(help="The conversation's folder; give it again to go on.")
    ] = None,
    plain: Annotated[bool, typer.Option("--plain", help="Print plain lines, as in a pipe.")] = False,
    yes: Annotated[
        bool,
        typer.Option("--yes", help="Begin at once, without waiting until what was understood is confirmed."),
    ] = False,
    root: Root = None,
    as_json: AsJson = False,
) -> None:
    """Talk: "write me a gelu kernel for fp16, 1024 by 4096", then "make it bf16"."""
    settings: Settings = context.obj
    terminal = Terminal(as_json)
    if session is not None and not resume:
        raise InputError(
            f"{session!r} is no option.", f"Write `akgen chat --resume {session}` to go on with it."
        )
    if list_sessions:
        _list(settings, terminal)
        return
    from akgen.graph.chat.transcript import find_session

    config = RunConfig(command=Command.CHAT, **fields)
    folder = find_session(settings.runs, session) if resume else run
    store = _open(folder, config, settings)
    if not plain and not as_json and _can_draw(terminal):
        from akgen.screen.app import ChatApp
        from akgen.screen.desk import Desk

        app = ChatApp(Desk(store, settings, root or settings.npukb_root, confirm=not yes))
        app.run()
        if app.problem is not None:
            raise app.problem
        terminal.line(f"run {store.folder}; `akgen chat --resume {store.folder.name}` goes on")
        return
    confirm = not yes and not as_json and sys.stdin.isatty()
    _converse(store, settings, terminal, root or settings.npukb_root, confirm=confirm)


def _can_draw(terminal: Terminal) -> bool:
    """Say whether the application can be shown; if only its package is missing, say that in a line."""
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        return False
    if find_spec("textual") is None:
        terminal.line("Plain lines, for the package textual is not installed: pip install 'akgen[chat]'.")
        return False
    return True


def _list(settings: Settings, terminal: Terminal) -> None:
    from akgen.graph.chat.transcript import sessions
    from akgen.tables import sessions_table

    found = sessions(settings.runs)
    if found:
        terminal.show(sessions_table(found))
    else:
        terminal.line(f"There is no conversation in {settings.runs}.")
    terminal.result({"sessions": [s.model_dump(mode="json") for s in found]})


def _open(run: Path | None, config: RunConfig, settings: Settings) -> "RunStore":
    from akgen.graph.run import begin, new_folder
    from akgen.graph.store.run_store import RunStore
    from akgen.tools.toolchains import make_toolchain

    if run is not None and (run / "run.json").is_file():
        store = RunStore.open(run)
        if store.info.config.command != "chat":
            raise InputError(f"{run} holds no conversation.", "Give the folder of an earlier `akgen chat`.")
        return store
    version = make_toolchain(config.toolchain, settings, config.chip, strict=config.strict).version()
    return begin(run or new_folder(settings.runs, "chat"), config, version)


def _converse(
    store: "RunStore", settings: Settings, terminal: Terminal, root: Path | None, *, confirm: bool
) -> None:
    from akgen.bench.resolve import resolve_task
    from akgen.graph.cancel import Cancel
    from akgen.graph.chat.deps import open_chat_deps
    from akgen.graph.chat.talk import open_talk
    from akgen.screen.plain import PlainFace, converse

    cancel = Cancel()
    terminal.line(f"run {store.folder}")

    def find_task(text: str) -> "Task":
        return resolve_task(text, root=root)

    with StageLines(terminal) as lines:
        face = PlainFace(store, terminal, lines)
        with (
            open_chat_deps(store, settings, lines.say, find_task, face, cancel, confirm=confirm) as deps,
            open_talk(deps) as talk,
        ):
            converse(talk, terminal, cancel)
    terminal.result({"run": str(store.folder), "requests": face.requests})
    finish(all(request["outcome"] == Outcome.CORRECT for request in face.requests))
