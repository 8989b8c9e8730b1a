"""What a conversation remembers between two sentences."""

from typing import TypedDict

from akgen.agents.requests.language import Language
from akgen.agents.requests.request import Request
from akgen.graph.state import Choice, Done


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
