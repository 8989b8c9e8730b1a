"""A run as it happens: one line per stage when it ends, and what is being done meanwhile."""

from types import TracebackType
from typing import TYPE_CHECKING

from rich.text import Text

from akgen.terminal import Terminal
from akgen.tools.core.outcome import Outcome

if TYPE_CHECKING:
    from rich.status import Status

    from akgen.graph.store.records import Event

_FINE = (None, Outcome.CORRECT)


class StageLines:
    """Watch a run's events. On a terminal the running stage is shown below the finished ones."""

    def __init__(self, terminal: Terminal, samples: int = 1) -> None:
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

    def watch(self, event: "Event") -> None:
        """Show one event of the graph."""
        where = f"sample {event.sample}, " if self._samples > 1 else ""
        label = f"{where}attempt {event.attempt}"
        if event.event == "stage" and event.status == "start":
            self._start(f"{label}  {event.stage} ...")
        elif event.event == "stage":
            self._stop()
            mark = ("ok", "green") if event.outcome in _FINE else (str(event.outcome), "red")
            self._console.print(Text.assemble(f"{label}  {event.stage:<9}  ", mark, f"  {event.text}"))
        elif event.event == "stopped":
            self._console.print(Text(f"{label}  stopped: {event.text}"))

    def _start(self, text: str) -> None:
        if self._console.is_terminal:
            self._stop()
            self._running = self._console.status(Text(text))
            self._running.start()

    def _stop(self) -> None:
        if self._running is not None:
            self._running.stop()
            self._running = None
