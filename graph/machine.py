"""The wiring, on one screen.

START → plan → write → compile → test → profile → criticise → END       (one sample)
          ↑______↑_________________________________|   repair, tune, replan

START → sample × N → choose → END                              (one task)
"""

from collections.abc import Callable
from typing import Any, Literal

from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.graph import END, START, StateGraph
from langgraph.graph.state import CompiledStateGraph
from langgraph.runtime import Runtime
from langgraph.types import Send

from akgen.graph import decide, nodes
from akgen.graph.deps import Deps
from akgen.graph.state import SampleResult, SampleState, TaskState
from akgen.tools.core.outcome import Outcome

Stage = Callable[[SampleState, Runtime[Deps]], dict[str, Any]]
Machine = CompiledStateGraph[TaskState, Deps, TaskState, TaskState]


def build(checkpointer: "BaseCheckpointSaver[str] | None" = None) -> Machine:
    """Compile the task's graph; its samples run side by side as subgraphs."""
    task: StateGraph[TaskState, Deps, TaskState, TaskState]
    task = StateGraph(TaskState, context_schema=Deps)
    task.add_node("sample", sample())
    task.add_node("choose", decide.choose)
    task.add_conditional_edges(START, _fan_out, ["sample"])
    task.add_edge("sample", "choose")
    task.add_edge("choose", END)
    return task.compile(checkpointer=checkpointer, name="akgen")


def sample(
    state: Any = SampleState, context: Any = Deps, bind: Callable[[Stage], Any] = lambda stage: stage
) -> CompiledStateGraph[Any, Any, Any, Any]:
    """Compile one sample's graph; `bind` gives the stages their `Deps` where another context is theirs."""
    graph: StateGraph[Any, Any, Any, Any]
    graph = StateGraph(state, context_schema=context, output_schema=SampleResult)
    graph.add_node("plan", bind(nodes.plan))
    graph.add_node("write", bind(nodes.write))
    graph.add_node("compile", bind(nodes.compile_))
    graph.add_node("test", bind(nodes.test))
    graph.add_node("profile", bind(nodes.profile))
    graph.add_node("criticise", bind(decide.criticise))
    graph.add_edge(START, "plan")
    graph.add_conditional_edges("plan", _unless_ended("write"), ["write", "criticise"])
    graph.add_conditional_edges("write", _unless_ended("compile"), ["compile", "criticise"])
    graph.add_conditional_edges("compile", _unless_ended("test"), ["test", "criticise"])
    graph.add_conditional_edges("test", _after_test, ["profile", "criticise"])
    graph.add_edge("profile", "criticise")
    graph.add_conditional_edges("criticise", _next_move, ["plan", "write", END])
    return graph.compile(name="sample")


def _fan_out(state: TaskState, runtime: Runtime[Deps]) -> list[Send]:
    return [
        Send("sample", {"task": state["task"], **decide.start(number)})
        for number in range(runtime.context.config.samples)
    ]


def _unless_ended(stage: str) -> Any:
    def route(state: SampleState) -> str:
        return stage if state["verdict"] is None else "criticise"

    return route


def _after_test(state: SampleState) -> Literal["profile", "criticise"]:
    verdict = state["verdict"]
    return "profile" if verdict is not None and verdict.outcome is Outcome.CORRECT else "criticise"


def _next_move(state: SampleState) -> str:
    decision, planned = state["decision"], state["planned"]
    if decision is None or decision.action in ("accept", "give_up"):
        return END
    if decision.action == "replan" or planned is None or planned.plan is None:
        return "plan"
    return "write"
