"""What a conversation works with: its face, and the deps of every configuration that the person chooses."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Protocol

from akgen.agents.requests.language import Language
from akgen.agents.run_config import RunConfig
from akgen.graph.cancel import Cancel
from akgen.graph.chat.state import ChatState
from akgen.graph.deps import Deps
from akgen.graph.run import make_deps, memory_of
from akgen.graph.store.records import Event, Solution
from akgen.graph.store.run_store import RunStore
from akgen.tools.core.call import Call
from akgen.tools.core.outcome import InfraError, InputError
from akgen.tools.core.settings import Settings
from akgen.tools.core.task import Case, Reference, Task
from akgen.tools.judge.judge import open_judge
from akgen.tools.toolchains import make_toolchain


class Face(Protocol):
    """A screen. Its methods are called from the thread that works, one at a time."""

    def speak(self, language: Language) -> None:
        """Use this language from now on."""
        ...

    def say(self, text: str) -> None:
        """Show a sentence or a few lines."""
        ...

    def code(self, text: str, language: str) -> None:
        """Show source text or a difference."""
        ...

    def watch(self, event: Event) -> None:
        """Show how the work goes on."""
        ...

    def think(self, text: str) -> None:
        """Show a piece of what a model is writing, as it comes."""
        ...

    def show(self, solution: Solution, kernel: str, *, again: bool = False) -> None:
        """Show a finished solution with its kernel; `again` if it was finished earlier."""
        ...

    def refuse(self, problem: InputError) -> None:
        """Say why a request cannot be worked on."""
        ...

    def broken(self, problem: InfraError) -> None:
        """Say that the machine is at fault. May raise it to end the conversation."""
        ...


@dataclass(frozen=True)
class ChatDeps:
    """What a conversation works with. `find_task` names tasks that exist; it raises InputError."""

    deps_for: Callable[[RunConfig], Deps]  # raises InputError for a model that cannot be used
    store: RunStore
    find_task: Callable[[str], Task]
    face: Face
    cancel: Cancel
    describe: Callable[[Reference, Case], Call]  # runs the reference; raises InputError if that fails
    confirm: bool = False  # wait for a yes before work begins

    def config(self, state: ChatState) -> RunConfig:
        """Return the run's configuration with what the person chose."""
        chosen = {name: value for name, value in state["choice"] if value is not None}
        return self.store.info.config.model_copy(update=chosen)


@contextmanager
def open_chat_deps(
    store: RunStore,
    settings: Settings,
    progress: Callable[[str], None],
    find_task: Callable[[str], Task],
    face: Face,
    cancel: Cancel,
    *,
    confirm: bool = False,
) -> Iterator[ChatDeps]:
    """Prepare the toolchain and start the reference process; both end with the context.

    Raises InfraError when the machine lacks something, InputError for a chip or model that cannot be used.
    """
    config = store.info.config
    toolchain = make_toolchain(config.toolchain, settings, config.chip, strict=config.strict)
    with open_judge(toolchain, progress) as judge, memory_of(config, settings) as memory:
        made: dict[str, Deps] = {}

        def deps_for(wanted: RunConfig) -> Deps:
            key = wanted.model_dump_json()
            if key not in made:
                made[key] = make_deps(store, wanted, settings, judge, memory)
            return made[key]

        deps_for(config)
        yield ChatDeps(
            deps_for=deps_for,
            store=store,
            find_task=find_task,
            face=face,
            cancel=cancel,
            describe=judge.reference.describe,
            confirm=confirm,
        )
