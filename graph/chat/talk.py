"""Hold a conversation: sentences in, the chat graph in between, until the person leaves.

Every sentence is a step from one interrupt of the graph to the next. Going back is LangGraph's time travel: the state
at an earlier interrupt becomes the newest one again. What was worked on since then stays on disk.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any, cast

from langchain_core.runnables import RunnableConfig
from langgraph.types import Command, StateSnapshot

from akgen.agents.requests.language import Language
from akgen.graph.chat import conversation
from akgen.graph.chat.deps import ChatDeps, Face
from akgen.graph.chat.state import ChatState, begin
from akgen.graph.chat.texts import said
from akgen.graph.chat.transcript import Transcript
from akgen.graph.store.checkpoints import sqlite_saver
from akgen.graph.store.records import Event, Solution
from akgen.tools.core.outcome import InfraError, InputError, Outcome

THREAD: RunnableConfig = {"configurable": {"thread_id": "chat"}, "recursion_limit": 100}


class Talk:
    """A conversation that is open. One thread at a time may use it."""

    def __init__(self, graph: conversation.ChatMachine, deps: ChatDeps) -> None:
        self._graph = graph
        self.transcript = Transcript(deps.store.folder)
        self.deps = replace(deps, face=_Recording(deps.face, self.transcript))

    @property
    def state(self) -> ChatState:
        return cast(ChatState, self._graph.get_state(THREAD).values)

    @property
    def over(self) -> bool:
        """Say whether the person has left."""
        return not self._graph.get_state(THREAD).next

    def open(self) -> None:
        """Greet; go on if the run's folder holds a conversation, and finish work that was under way."""
        before = self._graph.get_state(THREAD)
        if before.created_at is None:
            self.deps.face.say(said("hello"))
            self._run(begin())
            return
        state = cast(ChatState, before.values)
        done = state["done"].tasks
        values = {
            "id": self.deps.store.folder.name,
            "turns": len(done),
            "last": done[-1] if done else None,
        }
        self.deps.face.say(said("back", state["language"], **values))
        if not before.next:  # the person had left
            self.change({})
        elif not before.interrupts:
            self._run(None)

    def tell(self, text: str) -> None:
        """Take what the person said to where they are to speak again.

        Raises InfraError where the face raises it.
        """
        if not text.strip() and self.state.get("proposed") is None:
            return
        self.transcript.add("person", text.strip() or "yes")
        resume: Command[Any] = Command(resume=text)
        self._run(resume)

    def change(self, values: ChatState) -> None:
        """Set something of the state between two sentences."""
        self._graph.update_state(THREAD, dict(values), as_node="work")
        self._run(None)

    def back(self, steps: int = 1) -> bool:
        """Go back to the last kernel that stood, or to one further back; say whether there was such a moment.

        A kernel stands if it is correct. Where the request was changed since, or its kernel failed, the first step back
        takes that back; before the first kernel lies the beginning.
        """
        now = self._graph.get_state(THREAD)
        state = cast(ChatState, now.values)
        done = state["done"].tasks
        standing = [count for count, name in enumerate(done, start=1) if self._stood(name)]
        if standing and standing[-1] == len(done) and _settled(state):
            standing.pop()
        elif not done and _settled(state):
            return False
        wanted = standing[-steps] if steps <= len(standing) else 0
        found: StateSnapshot | None = None
        for snapshot in self._ancestors(now):
            values = cast(ChatState, snapshot.values)
            waiting = snapshot.next == ("listen",) and snapshot.interrupts
            if waiting and len(values["done"].tasks) == wanted and (wanted == 0 or _settled(values)):
                found = snapshot
                if wanted > 0:
                    break
        if found is None:
            return False
        keep = {"turn": state["turn"], "choice": state["choice"], "language": state["language"]}
        self._graph.update_state(found.config, {**keep, "task": None}, as_node="work")
        self._run(None)
        return True

    def _stood(self, task: str) -> bool:
        solution = self.deps.store.task(task).solution()
        return solution is not None and solution.outcome is Outcome.CORRECT

    def _ancestors(self, snapshot: StateSnapshot) -> Iterator[StateSnapshot]:
        """Yield the states that led here, latest first; branches that were left are no ancestors."""
        while snapshot.parent_config is not None:
            snapshot = self._graph.get_state(snapshot.parent_config)
            yield snapshot

    def _run(self, given: "ChatState | Command[Any] | None") -> None:
        self._graph.invoke(given, THREAD, context=self.deps, durability="sync")


def _settled(state: ChatState) -> bool:
    """Say whether the request is the one that was worked on last. (Earlier versions did not note that one.)"""
    accepted = state.get("accepted")
    return state.get("proposed") is None and (accepted is None or accepted == state["request"])


@contextmanager
def open_talk(deps: ChatDeps) -> Iterator[Talk]:
    """Open the conversation in the run's folder, or begin one."""
    with sqlite_saver(deps.store.folder / "chat.sqlite") as saver:
        yield Talk(conversation.build(saver), deps)


class _Recording:
    """A face that writes down what is said."""

    def __init__(self, face: Face, transcript: Transcript) -> None:
        self._face, self._transcript = face, transcript

    def speak(self, language: Language) -> None:
        self._face.speak(language)

    def say(self, text: str) -> None:
        self._transcript.add("akgen", text)
        self._face.say(text)

    def code(self, text: str, language: str) -> None:
        self._face.code(text, language)

    def watch(self, event: Event) -> None:
        self._face.watch(event)

    def think(self, text: str) -> None:
        self._face.think(text)

    def show(self, solution: Solution, kernel: str, *, again: bool = False) -> None:
        if not again:
            self._transcript.add("akgen", solution.outcome.value, solution.task)
        self._face.show(solution, kernel, again=again)

    def refuse(self, problem: InputError) -> None:
        self._transcript.add("akgen", str(problem))
        self._face.refuse(problem)

    def broken(self, problem: InfraError) -> None:
        self._transcript.add("akgen", str(problem))
        self._face.broken(problem)
