"""A conversation in plain lines: for pipes, and for terminals without the application."""

import ast
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

from akgen.agents.plan import Plan
from akgen.agents.requests.language import Language
from akgen.graph.cancel import Cancel
from akgen.graph.chat.commands import Commands
from akgen.graph.chat.talk import Talk
from akgen.graph.chat.texts import of_finding, translated
from akgen.graph.store.effects import latest
from akgen.graph.store.records import Event, Solution
from akgen.graph.store.run_store import RunStore
from akgen.tables import profile_lines, verdict_table
from akgen.terminal import StageLines, Terminal
from akgen.tools.core.outcome import InfraError, InputError

SHOWN_FINDINGS = 3  # of a kernel that is wrong
_CODE_BEGINS = ("import ", "from ", "class ", "def ", "@")
ReadLine = Callable[[bool], str | None]  # told whether a text is being continued; None at the end


class PlainFace:
    """Prints what the conversation says, and remembers what became of each request."""

    def __init__(self, store: RunStore, terminal: Terminal, lines: StageLines) -> None:
        self._store, self._terminal, self._lines = store, terminal, lines
        self.requests: list[dict[str, str | None]] = []
        self._language = Language.ENGLISH
        lines.translate = self._in_language

    def speak(self, language: Language) -> None:
        self._language = language

    def _in_language(self, text: str) -> str:
        return translated(text, self._language)

    def say(self, text: str) -> None:
        self._lines.quiet()
        self._terminal.line(text)

    def code(self, text: str, language: str) -> None:
        self._terminal.code(text, language)

    def watch(self, event: Event) -> None:
        self._lines.watch(event)
        for line in thought_of(self._store, event):
            self._terminal.line(f"    {line}")

    def think(self, text: str) -> None:
        """Leave it: lines cannot be taken back, and the thought is printed when the stage has ended."""

    def show(self, solution: Solution, kernel: str, *, again: bool = False) -> None:
        terminal = self._terminal
        terminal.code(kernel, "cpp")
        say = self._in_language
        terminal.show(verdict_table(solution.verdict, say))
        for line in profile_lines(solution.profile) if solution.profile else []:
            terminal.line(say(line))
        for found in (of_finding(f, self._language) for f in solution.verdict.findings[:SHOWN_FINDINGS]):
            terminal.line(" ".join(filter(None, (f"{found.code}:", found.text, found.remedy))))
        terminal.line(say(f"outcome: {solution.outcome}" + (f", {solution.why}" if solution.why else "")))
        project = None
        if solution.project is not None:
            project = str(self._store.task(solution.task).folder / solution.project)
            terminal.line(say(f"kernel project: {project}"))
        if not again:
            self.requests.append({"task": solution.task, "outcome": solution.outcome, "project": project})

    def refuse(self, problem: InputError) -> None:
        self._terminal.line(f"{problem.text} {problem.remedy}".rstrip())
        self.requests.append({"task": None, "outcome": None, "project": None})

    def broken(self, problem: InfraError) -> None:
        """End the conversation unless somebody sits before it, who can mend the machine and go on."""
        if not sys.stdin.isatty():
            raise problem


def converse(talk: Talk, terminal: Terminal, cancel: Cancel) -> None:
    """Read and answer until the person leaves, or there are no more lines."""
    commands = Commands(talk)

    def read_line(more: bool) -> str | None:
        return _read_line(terminal, more)

    with _interrupts(cancel):
        talk.open()
    while not talk.over:
        try:
            text = read_request(read_line)
        except KeyboardInterrupt:
            return
        if text is None:
            return
        with _interrupts(cancel):
            try:
                if not commands.hear(text):
                    return
            except InputError as problem:
                terminal.line(f"{problem.text} {problem.remedy}".rstrip())


def read_request(read_line: ReadLine) -> str | None:
    """Return what is said next; several lines where it is code: between fences, or until two empty lines."""
    line = read_line(False)
    if line is None:
        return None
    if "```" in line:
        fenced, end = True, line.count("```") >= 2
    elif line.startswith(_CODE_BEGINS):
        fenced, end = False, _is_whole(line)
    else:
        return line
    lines = [line]
    while not end:
        following = read_line(True)
        if following is None:
            break
        lines.append(following)
        end = "```" in following if fenced else not following.strip() and not lines[-2].strip()
    return "\n".join(lines)


def _is_whole(line: str) -> bool:
    """Say whether a line of code is a function with its body: "def f(x): return x * 2"."""
    try:
        (first, *_) = ast.parse(line).body
    except (SyntaxError, ValueError):
        return False
    return isinstance(first, ast.FunctionDef)


def _read_line(terminal: Terminal, more: bool) -> str | None:
    """Return the next line of standard input without its end; None when there is no more."""
    if sys.stdin.isatty():
        terminal.people.print("... " if more else "> ", end="")
    line = sys.stdin.readline()
    return line.rstrip("\n") if line else None


@contextmanager
def _interrupts(cancel: Cancel) -> Iterator[None]:
    """Let Ctrl-C stop the work after the stage that runs, and a second one end the program."""

    def stop(_number: int, _frame: FrameType | None) -> None:
        if cancel.asked:
            raise KeyboardInterrupt
        cancel.ask()

    before = signal.signal(signal.SIGINT, stop)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
        cancel.clear()


def plan_of(store: RunStore, event: Event) -> Plan | None:
    """Return the plan if the event says that one was made."""
    if event.stage != "plan" or event.status != "done":
        return None
    from akgen.agents.roles import Planned

    found = latest(store.task(event.task).sample(event.sample).effects, "plan", Planned)
    return found.plan if found else None


def thought_of(store: RunStore, event: Event) -> list[str]:
    """Return the thought's lines, without empty ones."""
    plan = plan_of(store, event)
    return [line for line in plan.thought.splitlines() if line.strip()] if plan else []
