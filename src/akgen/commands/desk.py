"""`akgen desk`: an endpoint whose replies people, or programs that read and write files, give by hand."""

import signal
import sys
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from akgen.terminal import AsJson, Terminal, finish

if TYPE_CHECKING:
    from akgen.desk.folder import DeskFolder

Folder = Annotated[Path, typer.Argument(help="The folder of requests and replies.")]
LOOK_EVERY_S = 0.5


def open_desk(
    folder: Folder,
    port: Annotated[
        int, typer.Option(min=0, max=65535, help="The port on the loopback; 0 takes any.")
    ] = 8010,
    as_json: AsJson = False,
) -> None:
    """Serve an OpenAI-compatible endpoint that writes each request to FOLDER and waits for a file with the reply."""
    from akgen.desk.folder import DeskFolder
    from akgen.desk.server import MODEL, DeskServer
    from akgen.graph.store.files import claimed

    terminal = Terminal(as_json)
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.default_int_handler)
    desk = DeskFolder(folder)
    with claimed(folder), DeskServer(desk, port) as server:
        terminal.line(f"desk {folder} at {server.base_url}")
        terminal.line(f"  akgen solve softmax_rows --model openai:{MODEL} --base-url {server.base_url}")
        terminal.line(f"  akgen desk answer {folder} --file REPLY   answers the request that waits longest")
        terminal.line("interrupt (Ctrl-C) to stop")
        terminal.result({"folder": str(folder), "base_url": server.base_url, "model": MODEL})
        sys.stdout.flush()
        threading.Thread(target=server.serve_forever, daemon=True).start()
        try:
            _tell(terminal, desk)
        except KeyboardInterrupt:
            server.shutdown()
            terminal.line("stopped; what waits goes on with the next `akgen desk` here")


def _tell(terminal: Terminal, desk: "DeskFolder") -> None:
    """Print a line for each request and for each reply, until interrupted."""
    open_before: set[int] = set()
    while True:
        waiting = {request.number: request for request in desk.waiting()}
        for number in sorted(waiting.keys() - open_before):
            terminal.line(f"request {number} waits: {desk.path / f'{number:04}.request.md'}")
        for number in sorted(open_before - waiting.keys()):
            terminal.line(f"request {number} answered")
        open_before = set(waiting)
        threading.Event().wait(LOOK_EVERY_S)


def answer(
    folder: Folder,
    number: Annotated[
        int | None, typer.Argument(help="Which request; the one that waits longest unless given.")
    ] = None,
    file: Annotated[
        Path | None, typer.Option(help="The file with the reply; standard input unless given.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Answer a request that waits: with a file, or with what is pasted and ended by Ctrl-D."""
    from akgen.tools.core.untrusted import plain_text, read_text

    terminal = Terminal(as_json)
    desk = _existing(folder)
    if file is None and sys.stdin.isatty():
        terminal.line("Paste the reply and end it with Ctrl-D on a line of its own.")
    text = read_text(file) if file else plain_text(getattr(sys.stdin, "buffer", sys.stdin).read())
    request = desk.answer(number, text)
    terminal.line(f"request {request.number} answered with {len(text)} characters")
    terminal.result({"request": request.number, "reply": str(desk.reply_path(request.number))})


def waiting(folder: Folder, as_json: AsJson = False) -> None:
    """List the requests that wait for a reply. Exit 0 if there is one."""
    terminal = Terminal(as_json)
    desk = _existing(folder)
    found = desk.waiting()
    for request in found:
        size = sum(len(message.content) for message in request.messages)
        terminal.line(
            f"request {request.number}, {size} characters: {desk.path / f'{request.number:04}.request.md'}"
        )
    if not found:
        terminal.line(f"nothing waits in {folder}")
    terminal.result({"waiting": [request.number for request in found]})
    finish(bool(found))


def _existing(folder: Path) -> "DeskFolder":
    from akgen.desk.folder import DeskFolder
    from akgen.tools.core.outcome import InputError

    if not folder.is_dir():
        raise InputError(f"There is no desk at {folder}.", f"Open one: akgen desk {folder}")
    return DeskFolder(folder)
