"""Graphs for LangGraph's tools: `langgraph.json` names these. They are opened and drawn, not run, without a context."""

from langgraph.checkpoint.memory import InMemorySaver

from akgen.graph import machine
from akgen.graph.chat import conversation


def task_graph() -> machine.Machine:
    """Return the graph of one task with its samples; LangGraph's server brings its own checkpointer."""
    return machine.build()


def chat_graph() -> conversation.ChatMachine:
    """Return the conversation's graph."""
    return conversation.build(InMemorySaver())
