"""How a conversation meets its person: the graph says and shows through this, whatever the screen is."""

from typing import Protocol

from akgen.agents.requests.language import Language
from akgen.graph.store.records import Event, Solution
from akgen.tools.core.outcome import InfraError, InputError


class Face(Protocol):
    """A screen. Its methods are called from the thread that works, one at a time."""

    def speak(self, language: Language) -> None:
        """Use this language from now on."""
        ...

    def say(self, text: str) -> None:
        """Show a sentence or a few lines."""
        ...

    def code(self, text: str, language: str) -> None:
        """Show source text or a difference."""
        ...

    def watch(self, event: Event) -> None:
        """Show how the work goes on."""
        ...

    def think(self, text: str) -> None:
        """Show a piece of what a model is writing, as it comes."""
        ...

    def show(self, solution: Solution, kernel: str, *, again: bool = False) -> None:
        """Show a finished solution with its kernel; `again` if it was finished earlier."""
        ...

    def refuse(self, problem: InputError) -> None:
        """Say why a request cannot be worked on."""
        ...

    def broken(self, problem: InfraError) -> None:
        """Say that the machine is at fault. May raise it to end the conversation."""
        ...
