"""Stop work between two stages because somebody asked for it; what was done until then is kept and goes on later."""

import threading

from akgen.graph.deps import Watch
from akgen.graph.store.records import Event


class Cancelled(Exception):
    """The work was stopped on request; it is no failure of the attempt, of the machine or of ours."""


class Cancel:
    """A request to stop, made in one thread and honoured in another at the next stage."""

    def __init__(self) -> None:
        self._asked = threading.Event()

    @property
    def asked(self) -> bool:
        return self._asked.is_set()

    def ask(self) -> None:
        self._asked.set()

    def clear(self) -> None:
        self._asked.clear()

    def check(self) -> None:
        """Raise Cancelled if somebody asked for it."""
        if self._asked.is_set():
            raise Cancelled

    def watching(self, inner: Watch) -> Watch:
        """Return a watcher of events that hands each on and stops the work at the first stage that begins or ends."""

        def watch(event: Event) -> None:
            inner(event)
            self.check()

        return watch
