"""What a conversation remembers between two sentences, and what it works with."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypedDict

from akgen.agents.requests.language import Language
from akgen.agents.requests.request import Request
from akgen.graph.cancel import Cancel
from akgen.graph.chat.face import Face
from akgen.graph.run import Crew
from akgen.graph.state import Choice, Done
from akgen.graph.store.records import RunConfig
from akgen.graph.store.run_store import RunStore
from akgen.tools.core.task import Task


class ChatState(TypedDict, total=False):
    """A conversation between two sentences."""

    text: str  # what the person said last
    language: Language
    request: Request  # what is known of what they want
    turn: int  # requests that were begun; only ever grows, also when the person goes back
    task: str | None  # the task that is to be worked on now
    stopped: str | None  # a task that was begun and not finished
    done: Done
    choice: Choice


@dataclass(frozen=True)
class ChatContext:
    """What a conversation works with. `find_task` names tasks that exist; it raises InputError."""

    crew: Callable[[RunConfig], Crew]
    store: RunStore
    find_task: Callable[[str], Task]
    face: Face
    cancel: Cancel

    def config(self, state: ChatState) -> RunConfig:
        """Return the run's configuration with what the person chose."""
        chosen = {name: value for name, value in state["choice"] if value is not None}
        return self.store.info.config.model_copy(update=chosen)


def begin() -> ChatState:
    """Return the state in which a conversation begins."""
    return {
        "text": "",
        "language": Language.ENGLISH,
        "request": Request(),
        "turn": 0,
        "task": None,
        "stopped": None,
        "done": Done(),
        "choice": Choice(),
    }
