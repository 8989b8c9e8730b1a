"""What a conversation remembers between two sentences."""

from typing_extensions import TypedDict

from akgen.agents.requests.language import Language
from akgen.agents.requests.request import Exchange, Request
from akgen.graph.state import Choice, Done


class ChatState(TypedDict, total=False):
    """A conversation between two sentences."""

    text: str  # what the person said last
    language: Language
    request: Request  # what is known of what they want
    accepted: Request  # what was worked on last
    offer: str | None  # a text that was probably meant, which waits for a yes
    exchange: Exchange  # with a chat model, whose question waits for an answer
    proposed: str | None  # a task that was shown and waits for a yes
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
        "accepted": Request(),
        "offer": None,
        "exchange": (),
        "proposed": None,
        "turn": 0,
        "task": None,
        "stopped": None,
        "done": Done(),
        "choice": Choice(),
    }
