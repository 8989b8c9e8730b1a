"""`akgen view`: the page of bench runs, served while they go on."""

import signal
import sys
from pathlib import Path
from typing import Annotated

import typer

from akgen.terminal import AsJson, Terminal
from akgen.tools.core.outcome import InputError
from akgen.tools.core.settings import Settings


def view(
    context: typer.Context,
    runs: Annotated[
        list[Path] | None,
        typer.Argument(help="Folders of bench runs; all below the folder of runs unless given."),
    ] = None,
    port: Annotated[int, typer.Option(min=0, max=65535, help="The port to listen on; 0 takes any.")] = 0,
    as_json: AsJson = False,
) -> None:
    """Show bench runs in a browser while they go on; new results appear by themselves. Ends with Ctrl-C."""
    from akgen.bench.page.live import PageServer
    from akgen.bench.store import BenchStore

    settings: Settings = context.obj
    terminal = Terminal(as_json)
    chosen = runs or sorted(p.parent for p in settings.runs.glob("*/bench.json"))
    if not chosen:
        raise InputError(
            f"{settings.runs} holds no bench run.", "Begin one with `akgen bench run`, or give a folder."
        )
    with PageServer([BenchStore.open(run) for run in chosen], port) as server:
        for number in (
            signal.SIGINT,
            signal.SIGTERM,
        ):  # a shell lets what it starts in the background ignore the first
            signal.signal(number, signal.default_int_handler)
        terminal.line(f"{len(chosen)} run{'s' if len(chosen) > 1 else ''}: {server.address}")
        terminal.line(
            "Open the address in a browser on this machine; whoever has it sees the runs. Ctrl-C ends it."
        )
        terminal.result({"address": server.address})
        sys.stdout.flush()
        try:
            server.serve_forever()
        except KeyboardInterrupt:
            terminal.line("stopped")
