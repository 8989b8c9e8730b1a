"""Hold a conversation: sentences in, the chat graph in between, until the person leaves."""

from collections.abc import Callable
from typing import Any

from langchain_core.runnables import RunnableConfig
from langgraph.types import Command

from akgen.agents.requests.sentence import Request
from akgen.graph import chat
from akgen.graph.chat_texts import said
from akgen.graph.checkpoints import sqlite_saver

THREAD: RunnableConfig = {"configurable": {"thread_id": "chat"}, "recursion_limit": 100}


def talk(context: chat.ChatContext, next_sentence: Callable[[], str | None]) -> None:
    """Converse until the person leaves or `next_sentence` has none; go on if the run's folder holds a conversation.

    Raises InfraError when the machine is at fault; what was begun can be finished by talking again.
    """
    with sqlite_saver(context.store.folder / "chat.sqlite") as saver:
        graph = chat.build(saver)
        before = graph.get_state(THREAD)
        begun = before.created_at is not None
        context.say(said("hello"))
        if not begun or not before.interrupts:
            start: chat.ChatState | None = (
                None if begun else {"text": "", "request": Request(), "turn": 0, "task": None}
            )
            graph.invoke(start, THREAD, context=context, durability="sync")
        while graph.get_state(THREAD).next:
            text = next_sentence()
            if text is None:
                return
            if text.strip():
                resume: Command[Any] = Command(resume=text)
                graph.invoke(resume, THREAD, context=context, durability="sync")
