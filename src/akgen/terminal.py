"""How commands speak: people get rich text, machines get one JSON document on standard output.

Exit codes: 0 what was asked for holds; 1 it does not (a wrong kernel, a failed case); 2 the input cannot be
used; 3 the machine is at fault (no compiler, endpoint down, disk full). Errors are one sentence with remedy.
"""

import json
import sys
from collections.abc import Callable
from dataclasses import dataclass
from types import TracebackType
from typing import TYPE_CHECKING, Annotated, Any, NoReturn

import typer
from pydantic import BaseModel
from rich.console import Console, RenderableType
from rich.syntax import Syntax
from rich.text import Text

from akgen.tools.core.frozen import json_text
from akgen.tools.core.outcome import InfraError, InputError, Outcome
from akgen.tools.core.plain_text import escaped
from akgen.tools.core.toolchain import SEAL_REMEDY, UNSEALED

if TYPE_CHECKING:
    from rich.status import Status

    from akgen.graph.store.memory import Remembered
    from akgen.graph.store.records import Event

EXIT_FAILED = 1
EXIT_INPUT = 2
EXIT_INFRA = 3

_FINE = (None, Outcome.CORRECT)
FILE_WIDTH = 120  # of tables that go into a file or pipe

AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON document for machines.")]


@dataclass(frozen=True)
class Terminal:
    """Where a command writes: with `as_json`, progress to standard error, the result to standard output."""

    as_json: bool = False

    @property
    def people(self) -> Console:
        console = Console(stderr=self.as_json, highlight=False, soft_wrap=True)
        if not console.is_terminal:
            console.width = FILE_WIDTH
        return console

    def line(self, text: str) -> None:
        """Print one progress line; brackets in `text` are shown as they are."""
        self.people.print(Text(escaped(text)))

    def show(self, thing: RenderableType) -> None:
        """Print a table or other rich object; left out with --json."""
        if not self.as_json:
            self.people.print(thing)

    def code(self, text: str, language: str) -> None:
        """Print source text, coloured on a terminal; left out with --json."""
        self.show(Syntax(text, language, word_wrap=True) if self.people.is_terminal else Text(text))

    def result(self, value: BaseModel | dict[str, Any]) -> None:
        """Print the machine's document; nothing without --json."""
        if self.as_json:
            sys.stdout.write(json_text(value, indent=2) + "\n")


def warn_of_sandbox(terminal: Terminal, missing: tuple[str, ...]) -> None:
    """Say what the machine refuses to the sandbox, if anything, and whether kernels' code is unsealed; a line each."""
    refused = [name for name in missing if name != UNSEALED]
    if refused:
        terminal.line(
            f"sandbox: this machine grants no {' and no '.join(refused)}; the filter of system calls holds"
        )
    if UNSEALED in missing:
        terminal.line(f"seal: kernels run unsealed; the sandbox alone holds them. {SEAL_REMEDY}")


class StageLines:
    """Watch a run's events. On a terminal the running stage is shown below the finished ones."""

    def __init__(
        self, terminal: Terminal, samples: int = 1, translate: Callable[[str], str] = lambda text: text
    ) -> None:
        """`translate` puts what is said of stages into a person's language."""
        self.translate = translate
        self._console = terminal.people
        self._samples = samples
        self._running: Status | None = None

    def __enter__(self) -> "StageLines":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stop()

    def say(self, text: str) -> None:
        """Show what is being prepared: on a terminal in one line that changes."""
        if self._console.is_terminal:
            self._start(text)
        else:
            self._console.print(Text(text))

    def quiet(self) -> None:
        """Take away what was being prepared: something else is said or asked now."""
        self._stop()

    def watch(self, event: "Event") -> None:
        """Show one event of the graph."""
        where = f"sample {event.sample}, " if self._samples > 1 else ""
        say = self.translate
        label = say(f"{where}attempt {event.attempt}")
        if event.event == "stage" and event.status == "start":
            self._start(f"{label}  {say(str(event.stage))} ...")
        elif event.event == "stage":
            self._stop()
            mark = (say("ok"), "green") if event.outcome in _FINE else (say(str(event.outcome)), "red")
            text = say(event.text or "")
            self._console.print(Text.assemble(f"{label}  {say(str(event.stage)):<9}  ", mark, f"  {text}"))
        elif event.event == "stopped":
            self._console.print(Text(f"{label}  {say(f'stopped: {event.text}')}"))

    def _start(self, text: str) -> None:
        if self._console.is_terminal:
            self._stop()
            self._running = self._console.status(Text(text))
            self._running.start()

    def _stop(self) -> None:
        if self._running is not None:
            self._running.stop()
            self._running = None


def finish(holds: bool) -> None:
    """End the command: 0 only if the thing asked for holds."""
    if not holds:
        raise typer.Exit(EXIT_FAILED)


def memory_line(found: "Remembered | None", *, on: bool) -> str | None:
    """Say that the run used what earlier runs learnt, and what became of it; None if it did not."""
    if not on:
        return None
    if found is None:
        return "memory: on"
    return (
        f"memory: on; {found.shown} experiences shown, {found.helped} of them to an attempt that succeeded; "
        f"{len(found.learnt)} learnt"
    )


def refuse(error: InputError | InfraError, as_json: bool) -> NoReturn:
    """Say what went wrong and what to do, without a traceback, and exit."""
    kind = "input" if isinstance(error, InputError) else "infra"
    if as_json:
        document = {"error": {"kind": kind, "text": error.text, "remedy": error.remedy}}
        sys.stdout.write(json.dumps(document, indent=2, ensure_ascii=False) + "\n")
    else:
        message = Text.assemble(("error: ", "bold red"), escaped(f"{error.text} {error.remedy}"))
        Console(stderr=True, highlight=False, soft_wrap=True).print(message)
    sys.exit(EXIT_INPUT if kind == "input" else EXIT_INFRA)
