"""What a line that begins with a slash does: look at the kernel in hand, keep it, go back, choose who works.

Nothing here runs the machine; `/profile` reads the timeline that the work left.
"""

import difflib
import re
import shlex
import shutil
from collections.abc import Callable

from akgen.agents.budget import Budget, parse_budget
from akgen.graph.chat.answers import profile_lines
from akgen.graph.chat.conversation import COMMANDS
from akgen.graph.chat.talk import Talk
from akgen.graph.chat.texts import said
from akgen.graph.chat.transcript import as_markdown
from akgen.graph.state import Choice
from akgen.graph.store.files import make_folder, write_whole
from akgen.graph.store.records import Solution
from akgen.graph.store.run_store import TaskStore, sources_of
from akgen.tools.core.outcome import InputError
from akgen.tools.core.untrusted import path_of

UNDO = {
    "undo", "undo that", "undo it", "undo this", "undo the last change", "go back", "revert", "revert that",
    "take that back", "back to the previous one", "撤销", "撤回", "回退", "退回", "退回去", "回到上一个", "回到上一步",
    "上一步", "恢复", "还原",
}  # fmt: skip


def command_of(text: str) -> str | None:
    """Return the command that a text is: one with a slash, or words that can be nothing else; None if it is none."""
    if text.lstrip().startswith("/"):
        return text
    plain = re.sub(r"^(?:please|请)\s*|\s*(?:please|吧|一下)?[.!。！]*\s*$", "", text.strip().lower())
    return "/undo" if plain in UNDO else None


class Commands:
    """The commands of one conversation."""

    def __init__(self, talk: Talk) -> None:
        self._talk = talk
        self._known: dict[str, Callable[[list[str]], None]] = {
            name: getattr(self, f"_{name}") for name in COMMANDS if name != "quit"
        }

    def hear(self, line: str) -> bool:
        """Run a line that is a command, and tell any other one to the conversation; return False to leave."""
        command = command_of(line)
        if command is not None:
            return self.run(command)
        self._talk.tell(line)
        return True

    def run(self, line: str) -> bool:
        """Do what a line says; return False if the person wants to leave. Raises InputError for wrong arguments."""
        self._talk.transcript.add("person", line)
        try:
            name, *arguments = shlex.split(line.strip().removeprefix("/")) or [""]
        except ValueError:
            raise InputError("A quotation mark is missing.", "Close it.") from None
        name = name.lower()
        if name in ("quit", "q", "exit"):
            return False
        command = self._known.get(name)
        if command is None:
            close = difflib.get_close_matches(name, COMMANDS, n=2)
            self._say("unknown_command", name=name, close=close)
        else:
            command(arguments)
        return True

    def _help(self, _arguments: list[str]) -> None:
        self._say("commands")

    def _profile(self, _arguments: list[str]) -> None:
        place, solution = self._in_hand()
        self._talk.deps.face.say("\n".join(profile_lines(place, solution, self._talk.state["language"])))

    def _diff(self, arguments: list[str]) -> None:
        place, solution = self._in_hand()
        if arguments:
            attempts = place.sample(solution.sample).attempts()
            other = next((a for a in attempts if str(a.number) == arguments[0]), None)
            if other is None:
                self._say("no_attempt", task=solution.task, number=arguments[0], count=len(attempts))
                return
            before, name = sources_of(place.folder, other.project), f"{solution.task}, attempt {other.number}"
        else:
            done = self._talk.state["done"].tasks
            if len(done) < 2:
                self._say("nothing_before")
                return
            name = done[-2]
            earlier = self._talk.deps.store.task(name)
            found = earlier.solution()
            before = sources_of(earlier.folder, found.project) if found else {}
        text = difference(before, sources_of(place.folder, solution.project))
        if not text:
            self._say("unchanged", before=name)
            return
        self._say("changed", before=name)
        self._talk.deps.face.code(text, "diff")

    def _save(self, arguments: list[str]) -> None:
        place, solution = self._in_hand()
        if solution.project is None:
            self._say("nothing_yet")
            return
        folder = path_of(arguments[0] if arguments else solution.task)
        if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
            raise InputError(f"{folder} is not an empty folder.", "Give the name of a new one.")
        shutil.copytree(place.folder / solution.project, make_folder(folder), dirs_exist_ok=True)
        self._say("saved", folder=folder.resolve())

    def _model(self, arguments: list[str]) -> None:
        if arguments:
            choice = self._talk.state["choice"]
            update = {"model": arguments[0], "base_url": arguments[1] if len(arguments) > 1 else None}
            chosen = choice.model_copy(update=update)
            config = self._talk.deps.store.info.config.model_copy(
                update={k: v for k, v in chosen if v is not None}
            )
            self._talk.deps.deps_for(config)  # raises InputError for a model that cannot be used
            self._talk.change({"choice": chosen})
        self._say("model", model=self._talk.deps.config(self._talk.state).model)

    def _budget(self, arguments: list[str]) -> None:
        if arguments:
            budget = _read_budget(",".join(arguments), self._talk.deps.config(self._talk.state).budget)
            choice: Choice = self._talk.state["choice"]
            self._talk.change({"choice": choice.model_copy(update={"budget": budget})})
        limits = self._talk.deps.config(self._talk.state).budget.model_dump(exclude_none=True)
        self._say("budget", budget=", ".join(f"{name} {value:g}" for name, value in limits.items()))

    def _undo(self, arguments: list[str]) -> None:
        steps = int(arguments[0]) if arguments and arguments[0].isdecimal() else 1
        if not self._talk.back(max(1, steps)):
            self._say("nothing_to_undo")
            return
        done = self._talk.state["done"].tasks
        if not done:
            self._say("undone_all")
            return
        self._say("undone", task=done[-1])
        place, solution = self._in_hand()
        self._talk.deps.face.show(solution, place.kernel(solution), again=True)

    def _history(self, _arguments: list[str]) -> None:
        done = self._talk.state["done"].tasks
        lines = [self._history_line(name) for name in done]
        if not lines:
            self._say("history_empty")
            return
        self._talk.deps.face.say("\n".join(lines))

    def _history_line(self, name: str) -> str:
        solution = self._talk.deps.store.task(name).solution()
        if solution is None:
            return name
        return ", ".join(filter(None, (f"{name}: {solution.outcome}", solution.time_text())))

    def _export(self, arguments: list[str]) -> None:
        path = path_of(arguments[0] if arguments else "conversation.md")
        write_whole(path, as_markdown(self._talk.deps.store, self._talk.transcript))
        self._say("exported", path=path.resolve())

    def _in_hand(self) -> tuple[TaskStore, Solution]:
        """Return the latest finished task. Raises InputError if there is none."""
        done = self._talk.state["done"].tasks
        place = self._talk.deps.store.task(done[-1]) if done else None
        solution = place.solution() if place else None
        if place is None or solution is None:
            raise InputError(said("nothing_yet", self._talk.state["language"]), "")
        return place, solution

    def _say(self, name: str, /, **values: object) -> None:
        self._talk.deps.face.say(said(name, self._talk.state["language"], **values))


def difference(before: dict[str, str], after: dict[str, str]) -> str:
    """Return a unified diff of two projects' files, the kernel first; nothing if they are alike."""
    lines: list[str] = []
    for path in sorted({*before, *after}, reverse=True):
        old, new = before.get(path, ""), after.get(path, "")
        lines += difflib.unified_diff(
            old.splitlines(), new.splitlines(), f"before/{path}", f"after/{path}", lineterm=""
        )
    return "\n".join(lines)


def _read_budget(text: str, now: Budget) -> Budget:
    """Read `attempts=4,tokens=20000`; what is not named stays. Raises InputError."""
    parts = [part.strip() for part in text.split(",") if part.strip()]
    attempts = now.attempts
    others = []
    for part in parts:
        name, _, number = part.partition("=")
        if name == "attempts" and number.isdecimal() and int(number) >= 1:
            attempts = int(number)
        else:
            others.append(part)
    try:
        read = parse_budget(",".join(others), attempts)
    except ValueError as problem:
        raise InputError(
            f"The budget cannot be read: {problem}", "Write attempts=4,tokens=20000,wall=600,device=60."
        ) from None
    kept = {name: value for name, value in now if getattr(read, name) is None}
    return read.model_copy(update=kept)
