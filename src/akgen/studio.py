"""The graphs that `langgraph.json` names, with this process's settings and with tasks by their names."""

from functools import cache
from typing import Any

from akgen.bench.resolve import resolve_task
from akgen.graph import studio
from akgen.settings import from_environment


@cache
def _server() -> studio.StudioServer:
    settings = from_environment()
    return studio.StudioServer(settings, lambda text: resolve_task(text, root=settings.npukb_root))


def task_graph() -> Any:
    """Return the graph of one task with its samples."""
    return studio.task_graph(_server())


def chat_graph() -> Any:
    """Return the conversation's graph."""
    return studio.chat_graph(_server())
