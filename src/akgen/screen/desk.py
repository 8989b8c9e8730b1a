"""The thread that works while the application draws: it owns the conversation, its tools and its files."""

import queue
from collections.abc import Callable
from pathlib import Path

from textual.message import Message

from akgen.agents.requests.language import Language
from akgen.bench.resolve import resolve_task
from akgen.graph.cancel import Cancel
from akgen.graph.chat.commands import Commands, difference
from akgen.graph.chat.deps import open_chat_deps
from akgen.graph.chat.talk import Talk, open_talk
from akgen.graph.chat.texts import of_event
from akgen.graph.store.records import Event, Solution
from akgen.graph.store.run_store import RunStore, TaskStore, sources_of
from akgen.screen import conversation
from akgen.screen.plain import plan_of
from akgen.tools.core.outcome import InfraError, InputError
from akgen.tools.core.settings import Settings
from akgen.tools.core.task import Task

Post = Callable[[Message], object]


class Desk:
    """Takes lines in one thread and works on them in another, one after the other."""

    _post: Post

    def __init__(
        self, store: RunStore, settings: Settings, root: Path | None, *, confirm: bool = True
    ) -> None:
        self.cancel = Cancel()
        self.store = store
        self._settings, self._root, self._confirm = settings, root, confirm
        self._lines: queue.Queue[str | None] = queue.Queue()

    def put(self, line: str) -> None:
        """Hand over what the person said; it waits until the work in hand is done."""
        self._lines.put(line)

    @property
    def waiting(self) -> bool:
        """Say whether a line waits for its turn."""
        return not self._lines.empty()

    def leave(self) -> None:
        """Ask the thread to end after the stage that runs."""
        self.cancel.ask()
        self._lines.put(None)

    def run(self, post: Post) -> None:
        """Work until the person leaves, and post what happens; for a thread of its own.

        Raises InfraError when the machine lacks something, InputError for a model that cannot be used.
        """
        self._post = post
        face = AppFace(self.store, self._post)

        def find_task(text: str) -> Task:
            return resolve_task(text, root=self._root)

        with (
            open_chat_deps(
                self.store, self._settings, self._say, find_task, face, self.cancel, confirm=self._confirm
            ) as deps,
            open_talk(deps) as talk,
        ):
            self._show_past(talk, face)
            talk.open()
            self._listen(talk)

    def _listen(self, talk: Talk) -> None:
        commands = Commands(talk)
        while not talk.over:
            self._post(conversation.Busy(busy=False, choice=talk.deps.config(talk.state).model))
            line = self._lines.get()
            if line is None:
                return
            self._post(conversation.Busy(busy=True))
            try:
                if not commands.hear(line):
                    return
            except InputError as problem:
                self._post(
                    conversation.SaidByProgram(f"{problem.text} {problem.remedy}".rstrip(), wrong=True)
                )
            self.cancel.clear()

    def _show_past(self, talk: Talk, face: "AppFace") -> None:
        """Put what was said earlier, and the kernel in hand, on the screen again."""
        for line in talk.transcript.lines():
            self._post(Past(line.who, line.text, line.task))
        state = talk.state
        done = state["done"].tasks if state else ()
        place = self.store.task(done[-1]) if done else None
        solution = place.solution() if place else None
        if place is not None and solution is not None:
            face.show_in_panes(place, solution)

    def _say(self, text: str) -> None:
        self._post(conversation.SaidByProgram(text))


class Past(Message):
    """A line of an earlier part of the conversation."""

    def __init__(self, who: str, text: str, task: str | None) -> None:
        super().__init__()
        self.who, self.text, self.task = who, text, task


class AppFace:
    """Turns what the conversation says into messages, and reads from the store what the panes show."""

    def __init__(self, store: RunStore, post: Post) -> None:
        self._store, self._post = store, post
        self._before: dict[str, str] = {}
        self._language = Language.ENGLISH

    def speak(self, language: Language) -> None:
        self._language = language
        self._post(conversation.Spoken(language))

    def say(self, text: str) -> None:
        self._post(conversation.SaidByProgram(text))

    def code(self, text: str, language: str) -> None:
        self._post(conversation.Coded(text, language))

    def watch(self, event: Event) -> None:
        self._post(conversation.Happened(of_event(event, self._language)))
        plan = plan_of(self._store, event)
        if plan is not None:
            self._post(conversation.PlanMade(plan))
        if event.stage == "write" and event.status == "done":
            sample = self._store.task(event.task).sample(event.sample)
            self._written(sources_of(sample.folder, Path(f"attempt-{event.attempt}") / "project"))

    def think(self, text: str) -> None:
        self._post(conversation.Thought(text))

    def show(self, solution: Solution, kernel: str, *, again: bool = False) -> None:
        del kernel
        self.show_in_panes(self._store.task(solution.task), solution)
        self._post(conversation.SolutionShown(solution, again=again))

    def refuse(self, problem: InputError) -> None:
        self._post(conversation.SaidByProgram(f"{problem.text} {problem.remedy}".rstrip(), wrong=True))

    def broken(self, problem: InfraError) -> None:
        """Say nothing more: the conversation itself says it, and goes on."""

    def show_in_panes(self, place: TaskStore, solution: Solution) -> None:
        attempts = place.sample(solution.sample).attempts()
        attempt = next((a for a in attempts if a.number == solution.attempt), None)
        if attempt is not None and attempt.plan is not None:
            self._post(conversation.PlanMade(attempt.plan))
        self._written(sources_of(place.folder, solution.project))
        self._post(conversation.SolutionShown(solution, again=True))
        if solution.profile is not None:
            self._post(conversation.TimelineTaken(solution.profile, solution.task))

    def _written(self, files: dict[str, str]) -> None:
        if files and files != self._before:
            changes = difference(self._before, files) if self._before else ""
            self._post(conversation.ProjectWritten(files, changes))
            self._before = files
