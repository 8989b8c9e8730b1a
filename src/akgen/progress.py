"""A run as it happens: one line per stage when it ends, and what is being done meanwhile."""

from types import TracebackType
from typing import TYPE_CHECKING

from rich.status import Status
from rich.text import Text

from akgen.terminal import Terminal
from akgen.tools.outcome import Outcome

if TYPE_CHECKING:
    from akgen.graph.records import Event

_FINE = (None, Outcome.CORRECT)


class StageLines:
    """Watch a run's events. On a terminal the running stage is shown below the finished ones."""

    def __init__(self, terminal: Terminal, samples: int = 1) -> None:
        self._console = terminal.people
        self._samples = samples
        self._status: Status | None = None

    def __enter__(self) -> "StageLines":
        if self._console.is_terminal:
            self._status = self._console.status("starting")
            self._status.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._status is not None:
            self._status.stop()

    def say(self, text: str) -> None:
        """Show what is being prepared."""
        self._console.print(Text(text))

    def watch(self, event: "Event") -> None:
        """Show one event of the graph."""
        where = f"sample {event.sample}, " if self._samples > 1 else ""
        label = f"{where}attempt {event.attempt}"
        if event.event == "stage" and event.status == "start" and self._status is not None:
            self._status.update(Text(f"{label}: {event.stage} ..."))
        elif event.event == "stage" and event.status == "done":
            mark = ("ok", "green") if event.outcome in _FINE else (str(event.outcome), "red")
            line = Text.assemble(f"{label}  {event.stage:<9}  ", mark, f"  {event.text}")
            self._console.print(line)
        elif event.event == "stopped":
            self._console.print(Text(f"{label}  stopped: {event.text}"))
