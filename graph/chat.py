"""A conversation that turns sentences into tasks, asks for what is missing, and runs the machine.

    START → listen → understand → prepare → work ─┐
              ↑__________|________________________|        until the person leaves

The person's words come in through an interrupt; what the program says goes out through the context. The conversation
is checkpointed like a task: after a crash it goes on where it was, and work that was begun is finished, not repeated.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, TypedDict

from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.graph import END, START, StateGraph
from langgraph.graph.state import CompiledStateGraph
from langgraph.runtime import Runtime
from langgraph.types import interrupt

from akgen.agents.requests.sentence import Heard, Request
from akgen.agents.requests.task import operator_named, reference_text, task_for
from akgen.agents.requests.understanding import Understand
from akgen.graph.chat_texts import said
from akgen.graph.events import Watch
from akgen.graph.files import make_folder, write_whole
from akgen.graph.ledger import Ledger
from akgen.graph.records import Solution
from akgen.graph.runs import Crew, work_on
from akgen.graph.store import RunStore
from akgen.knowledge.operators import operators
from akgen.tools.outcome import InputError

LEAVE = {"bye", "exit", "quit", "q", "stop", "再见", "退出"}
HELP = {"help", "?", "帮助"}


class ChatState(TypedDict, total=False):
    """A conversation between two sentences."""

    text: str  # what the person said last
    request: Request  # what is known of what they want
    turn: int  # requests that were worked on
    task: str | None  # the task in hand


@dataclass(frozen=True)
class ChatContext:
    """What a conversation works with.

    `say` shows a text, `show` a finished solution with its kernel, `refuse` why a request could not be worked on.
    """

    crew: Crew
    store: RunStore
    understand: Understand
    say: Callable[[str], None]
    show: Callable[[Solution, str], None]
    refuse: Callable[[InputError], None]
    watch: Watch


ChatMachine = CompiledStateGraph[ChatState, ChatContext, ChatState, ChatState]


def build(checkpointer: "BaseCheckpointSaver[str]") -> ChatMachine:
    """Compile the conversation's graph."""
    graph: StateGraph[ChatState, ChatContext, ChatState, ChatState]
    graph = StateGraph(ChatState, context_schema=ChatContext)
    graph.add_node("listen", listen)
    graph.add_node("understand", understand)
    graph.add_node("prepare", prepare)
    graph.add_node("work", work)
    graph.add_edge(START, "listen")
    graph.add_conditional_edges("listen", _leave_or_stay, ["understand", END])
    graph.add_conditional_edges("understand", _ask_or_work, ["listen", "prepare"])
    graph.add_edge("prepare", "work")
    graph.add_edge("work", "listen")
    return graph.compile(checkpointer=checkpointer, name="akgen-chat")


def listen(state: ChatState) -> dict[str, Any]:  # noqa: ARG001 (a node takes the state)
    """Wait for the person."""
    return {"text": str(interrupt("listening"))}


def understand(state: ChatState, runtime: Runtime[ChatContext]) -> dict[str, Any]:
    """Join what was said to what is known; say what is missing or cannot be done."""
    say, text, known = runtime.context.say, state["text"], state["request"]
    if text.strip().lower() in HELP:
        say(said("help", names=[op.name for op in operators()]))
        return {"task": None}
    context = runtime.context
    heard = (
        Ledger(context.store.folder / "effects")
        .once("understand", {"text": text, "turn": state["turn"]}, Heard, lambda: context.understand(text))
        .value
    )
    if heard.problem is not None:
        say(heard.problem)
        return {"task": None}
    if heard.request.empty:
        say(said("not_understood", close=heard.close, known=known))
        return {"task": None}
    # A new operator starts afresh only in what the sentence names: "now softmax" keeps dtype and shape.
    request = known.joined(heard.request)
    if request.missing:
        say(said("ask", missing=request.missing[0], known=request))
        return {"request": request, "task": None}
    turn = state["turn"] + 1
    return {"request": request, "turn": turn, "task": f"{turn:02d}_{request.label}"}


def prepare(state: ChatState, runtime: Runtime[ChatContext]) -> dict[str, Any]:
    """Write the task and its reference into the run store."""
    name, request = state["task"], state["request"]
    assert name is not None and request.operator is not None
    place = runtime.context.store.task(name)
    reference = make_folder(place.folder) / "reference.py"
    write_whole(reference, reference_text(operator_named(request.operator)))
    place.save_task(task_for(request, reference, name))
    runtime.context.say(said("begin", request=request))
    return {}


def work(state: ChatState, runtime: Runtime[ChatContext]) -> dict[str, Any]:
    """Run the machine on the task and show what came of it."""
    context, name = runtime.context, state["task"]
    assert name is not None
    place = context.store.task(name)
    try:
        solution = work_on(context.store, place.task(), context.crew, context.watch)
    except InputError as problem:
        context.refuse(problem)
        return {"task": None}
    kernel = ""
    if solution.project is not None:
        task = place.task()
        kernel = (place.folder / solution.project / "op_kernel" / f"{task.kernel}.cpp").read_text()
    context.show(solution, kernel)
    return {"task": None}


def _leave_or_stay(state: ChatState) -> str:
    return END if state["text"].strip().lower().rstrip(".!") in LEAVE else "understand"


def _ask_or_work(state: ChatState) -> Literal["listen", "prepare"]:
    return "listen" if state["task"] is None else "prepare"
