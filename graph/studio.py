"""The graphs as a LangGraph server runs them: JSON in, JSON out, each run in a folder of its own below `runs`.

The stages are the machine's and the conversation's own. A server's context is JSON, so each stage is given its `Deps`
here, by the run's folder, which the state names. One judge serves the whole process.
"""

import atexit
import threading
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import Annotated, Any, Literal

from langchain_core.messages import AIMessage, AnyMessage, HumanMessage
from langgraph.graph import END, START, StateGraph
from langgraph.graph.message import add_messages
from langgraph.graph.state import CompiledStateGraph
from langgraph.runtime import Runtime
from langgraph.types import Send
from pydantic import Field
from typing_extensions import TypedDict

from akgen.agents.budget import Budget
from akgen.agents.requests.language import Language, language_of
from akgen.agents.run_config import Command, Route, RunConfig, SolveConfig
from akgen.graph import decide, machine
from akgen.graph.cancel import Cancel
from akgen.graph.chat import conversation
from akgen.graph.chat.deps import ChatDeps
from akgen.graph.chat.state import ChatState
from akgen.graph.chat.state import begin as begin_chat
from akgen.graph.deps import Deps
from akgen.graph.run import begin, keep_task, make_deps, new_folder
from akgen.graph.state import SampleState, TaskState
from akgen.graph.store.records import Event, Solution
from akgen.graph.store.run_store import RunStore
from akgen.tools.core.frozen import Frozen
from akgen.tools.core.outcome import InfraError, InputError
from akgen.tools.core.settings import Settings
from akgen.tools.core.task import Task
from akgen.tools.judge.judge import Judge, open_judge
from akgen.tools.toolchains import make_toolchain

Update = dict[str, Any]
Served = CompiledStateGraph[Any, Any, Any, Any]
_FIELDS = SolveConfig.model_fields
RUN_TEXT = "The run's folder on the server; `akgen show` reads it."


class StudioContext(Frozen):
    """How a run is made; what is left out is the server's default."""

    model: str | None = Field(default=None, description=_FIELDS["model"].description)
    base_url: str | None = Field(default=None, description=_FIELDS["base_url"].description)
    route: Route | None = Field(default=None, description=_FIELDS["route"].description)
    # A reference to an enumeration would hide the description.
    planner: Literal["model", "composer"] = Field(default="model", description=_FIELDS["planner"].description)
    critic: Literal["rules", "model", "compiler"] = Field(
        default="rules", description=_FIELDS["critic"].description
    )
    samples: int = Field(default=1, ge=1, description=_FIELDS["samples"].description)
    attempts: int = Field(default=Budget().attempts, ge=1, description="How many attempts a sample may make.")
    tune: int = Field(default=0, ge=0, description=RunConfig.model_fields["tune"].description)
    seed: int = Field(default=0, description=_FIELDS["seed"].description)
    confirm: bool = Field(
        default=False, description="In a conversation: wait for a yes to what was understood."
    )


class TaskInput(TypedDict):
    """What the task graph is asked."""

    task_name: Annotated[
        str,
        Field(
            description="A built-in task, a task folder, or a Python file with Model and get_inputs, on the server."
        ),
    ]


class TaskOutput(TypedDict):
    """What became of a task."""

    outcome: Annotated[str, Field(description="`correct`, or how far the best attempt came.")]
    text: Annotated[str, Field(description="The verdict in a sentence.")]
    kernel: Annotated[str, Field(description="The source of the kernel, empty if there is none.")]
    time_us: Annotated[float | None, Field(description="Microseconds of all cases, as the toolchain says.")]
    project: Annotated[str | None, Field(description="The folder of the project that was chosen.")]
    run: Annotated[str, Field(description=RUN_TEXT)]


class ServedTask(TaskState, TaskInput, TaskOutput, total=False):
    """The task graph's state: what was asked, how the machine stands, and what came of it."""


class ServedSample(SampleState, total=False):
    """A sample that knows its run's folder."""

    run: Annotated[str, Field(description=RUN_TEXT)]


class TalkInput(TypedDict):
    """What a conversation is told."""

    messages: Annotated[
        list[AnyMessage],
        Field(description="What was said; the last one is the person's sentence."),
        add_messages,  # a reducer counts where it stands last
    ]


class ServedTalk(ChatState, TalkInput, total=False):
    """A conversation's state between two sentences."""

    run: Annotated[str, Field(description=RUN_TEXT)]


class StudioServer:
    """What the graphs of a process work with: its settings, tasks by name, one judge, the deps of every run."""

    def __init__(self, settings: Settings, find_task: Callable[[str], Task]) -> None:
        self.settings, self.find_task = settings, find_task
        self._judge: Judge | None = None
        self._deps: dict[str, Deps] = {}
        self._lock = threading.Lock()

    def begin(self, command: Command, context: StudioContext | None) -> RunStore:
        """Make a run's folder."""
        asked = context or StudioContext()
        fields = asked.model_dump(exclude={"attempts", "confirm", "model"})
        config = RunConfig(
            command=command,
            model=asked.model or self.settings.model,
            toolchain=self.settings.toolchain,
            budget=Budget(attempts=asked.attempts),
            **fields,
        )
        return begin(new_folder(self.settings.runs.absolute(), "studio"), config, self.judge().toolchain)

    def judge(self) -> Judge:
        """Return the process's judge, opened at its first use; it ends with the process."""
        with self._lock:
            if self._judge is None:
                closing = ExitStack()
                toolchain = make_toolchain(self.settings.toolchain, self.settings, self.settings.chip)
                self._judge = closing.enter_context(open_judge(toolchain, lambda _: None))
                atexit.register(closing.close)
            return self._judge

    def deps(self, run: str, config: RunConfig | None = None) -> Deps:
        """Return what a run works with, also after the server began anew."""
        judge = self.judge()
        store = RunStore.open(Path(run))
        wanted = config or store.info.config
        key = f"{run}\n{wanted.model_dump_json()}"
        with self._lock:
            if key not in self._deps:
                self._deps[key] = make_deps(store, wanted, self.settings, judge)
            return self._deps[key]

    def chat_deps(self, run: str, face: "SpokenFace", *, confirm: bool) -> ChatDeps:
        """Return what a conversation works with."""
        return ChatDeps(
            deps_for=lambda config: self.deps(run, config),
            store=RunStore.open(Path(run)),
            find_task=self.find_task,
            face=face,
            cancel=Cancel(),
            describe=self.judge().reference.describe,
            confirm=confirm,
        )


def task_graph(server: StudioServer) -> Served:
    """Compile the task's graph for a server, which brings its own checkpointer."""

    def bind(stage: Any) -> Any:
        def call(state: Any, runtime: Runtime[Any]) -> Update:
            deps = server.deps(state["run"])
            found: Update = stage(state, runtime.override(context=deps))
            return found

        return call

    def read(state: TaskInput, runtime: Runtime[StudioContext]) -> Update:
        """Find the task, and begin a run for it."""
        task = server.find_task(state["task_name"])
        store = server.begin(Command.SOLVE, runtime.context)
        keep_task(store.task(task.name), task)
        return {"task": task, "run": str(store.folder)}

    def fan_out(state: ServedTask) -> list[Send]:
        samples = server.deps(state["run"]).config.samples
        shared = {"task": state["task"], "run": state["run"]}
        return [Send("sample", {**shared, **decide.start(number)}) for number in range(samples)]

    def tell(state: ServedTask) -> Update:
        """Say what came of it."""
        solution = state["solution"]
        assert solution is not None
        place = server.deps(state["run"]).store.task(state["task"].name)
        project = place.folder / solution.project if solution.project else None
        return {
            "outcome": solution.outcome.value,
            "text": solution.verdict.summary(),
            "kernel": place.kernel(solution),
            "time_us": solution.time_us,
            "project": str(project) if project else None,
        }

    graph: StateGraph[Any, Any, Any, Any] = StateGraph(
        ServedTask, context_schema=StudioContext, input_schema=TaskInput, output_schema=TaskOutput
    )
    graph.add_node("read", read)
    graph.add_node("sample", machine.sample(ServedSample, StudioContext, bind))
    graph.add_node("choose", bind(decide.choose))
    graph.add_node("tell", tell)
    graph.add_edge(START, "read")
    graph.add_conditional_edges("read", fan_out, ["sample"])
    graph.add_edge("sample", "choose")
    graph.add_edge("choose", "tell")
    graph.add_edge("tell", END)
    return graph.compile(name="akgen")


def chat_graph(server: StudioServer) -> Served:
    """Compile the conversation for a server: a run for each sentence, on one thread."""

    def listen(state: ServedTalk, runtime: Runtime[StudioContext]) -> Update:
        """Take the last thing that the person said."""
        said = [m for m in state["messages"] if isinstance(m, HumanMessage)]
        if not said:
            raise InputError("Nobody said anything.", 'Give messages, the last one of role "user".')
        text = str(said[-1].text)
        if "run" in state:
            return {"text": text, "language": language_of(text, state["language"])}
        store = server.begin(Command.CHAT, runtime.context)
        begun = {**begin_chat(), "text": text, "language": language_of(text, Language.ENGLISH)}
        return {**begun, "run": str(store.folder)}

    def bind(node: Callable[[ChatState, Runtime[ChatDeps]], Update]) -> Any:
        def call(state: ServedTalk, runtime: Runtime[Any]) -> Update:
            face = SpokenFace()
            confirm = runtime.context.confirm if runtime.context is not None else False
            deps = server.chat_deps(state["run"], face, confirm=confirm)
            update = node(state, runtime.override(context=deps))
            said = "\n\n".join(face.lines)
            return {**update, "messages": [AIMessage(said)]} if said else update

        return call

    graph: StateGraph[Any, Any, Any, Any] = StateGraph(
        ServedTalk, context_schema=StudioContext, input_schema=TalkInput, output_schema=TalkInput
    )
    graph.add_node("listen", listen)
    graph.add_node("understand", bind(conversation.understand))
    graph.add_node("prepare", bind(conversation.prepare))
    graph.add_node("work", bind(conversation.work))
    graph.add_edge(START, "listen")
    graph.add_edge("listen", "understand")
    graph.add_conditional_edges("understand", _then("prepare"), ["prepare", END])
    graph.add_conditional_edges("prepare", _then("work"), ["work", END])
    graph.add_edge("work", END)
    return graph.compile(name="akgen-chat")


def _then(node: str) -> Callable[[ServedTalk], str]:
    def route(state: ServedTalk) -> str:
        return END if state["task"] is None else node

    return route


class SpokenFace:
    """Keeps what a conversation says, as one message in Markdown."""

    def __init__(self) -> None:
        self.lines: list[str] = []

    def speak(self, language: Language) -> None:
        """Leave it: what is said is in the language already."""

    def say(self, text: str) -> None:
        self.lines.append(text)

    def code(self, text: str, language: str) -> None:
        self.lines.append(f"```{language}\n{text.rstrip()}\n```")

    def watch(self, event: Event) -> None:
        """Leave it: the run's events are in its folder."""

    def think(self, text: str) -> None:
        """Leave it: the model's own tokens are streamed by the server."""

    def show(self, solution: Solution, kernel: str, *, again: bool = False) -> None:
        del again
        self.say(solution.verdict.summary())
        if kernel:
            self.code(kernel, "cpp")

    def refuse(self, problem: InputError) -> None:
        self.say(str(problem))

    def broken(self, problem: InfraError) -> None:
        self.say(str(problem))
