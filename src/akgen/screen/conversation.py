"""The conversation on the screen: what was said by whom, a line for every stage, and where the person writes.

Enter sends, code may have several lines, the arrows bring back what was sent. What the working thread tells the
application stands here too.
"""

from collections.abc import Callable

from rich.console import RenderableType
from rich.table import Table
from rich.text import Text
from textual import events
from textual.containers import VerticalScroll
from textual.message import Message
from textual.widgets import Static, TextArea

from akgen.agents.plan import Plan
from akgen.agents.requests.language import Language
from akgen.graph.store.records import Event, Solution
from akgen.screen.panes import changes
from akgen.tools.core.outcome import Outcome
from akgen.tools.core.profile import Profile

STAGE_WIDTH = 11
SHOWN_CODE = 60  # lines of a difference in the conversation; the pane has all of it
PLACEHOLDER = "gelu for fp16, 1024 by 4096    PyTorch code    /help"
NEW_LINE = ("shift+enter", "ctrl+j", "alt+enter")


class Log(VerticalScroll):
    """Grows at its end and stays there unless somebody looks further up."""

    can_focus = True

    def person(self, text: str) -> None:
        self._add(Text(text), "person")

    def program(self, text: str, *, wrong: bool = False) -> None:
        self._add(Text(text), "wrong" if wrong else "program")

    def code(self, text: str, language: str) -> None:
        lines = text.splitlines()
        cut = "\n".join(lines[:SHOWN_CODE])
        more = f"\n... {len(lines) - SHOWN_CODE} more lines" if len(lines) > SHOWN_CODE else ""
        self._add(changes(cut + more) if language == "diff" else Text(cut + more), "code")

    def stage(self, event: Event, say: Callable[[str], str] = str) -> None:
        """Add the line of a stage that ended, or of what stopped the work."""
        if event.event == "stopped":
            self._add(Text(f"stopped: {event.text}"), "wrong")
        if event.event != "stage" or event.status != "done":
            return
        fine = event.outcome in (None, Outcome.CORRECT)
        mark = ("✓", "green") if fine else ("✗", "red")
        number = f" {event.attempt}" if event.attempt > 1 else ""
        body = event.text if fine else f"{say(str(event.outcome))}: {event.text}"
        line = Table.grid(padding=(0, 1))
        line.add_column(no_wrap=True)
        line.add_column(no_wrap=True, min_width=STAGE_WIDTH)
        line.add_column(ratio=1, overflow="fold")  # Chinese has no spaces to break at
        line.add_row(Text(*mark), Text(f"{say(str(event.stage))}{number}", style="bold"), Text(body))
        self._add(line, "stage")

    def finished(self, text: str, *, correct: bool) -> None:
        self._add(Text(text), "right" if correct else "wrong")

    def on_mount(self) -> None:
        self.anchor()

    def _add(self, content: RenderableType, kind: str) -> None:
        self.mount(Static(content, classes=kind, markup=False))


class Prompt(TextArea):
    """A text of one or more lines."""

    class Sent(Message):
        """The person sent a text."""

        def __init__(self, text: str) -> None:
            super().__init__()
            self.text = text

    def __init__(self) -> None:
        super().__init__(
            id="prompt",
            show_line_numbers=False,
            soft_wrap=True,
            compact=True,
            placeholder=PLACEHOLDER,
        )
        self._sent: list[str] = []
        self._at = 0

    async def _on_key(self, event: events.Key) -> None:
        if event.key == "enter":
            event.prevent_default().stop()
            self._send()
        elif event.key in NEW_LINE:
            event.prevent_default().stop()
            self.insert("\n")
        elif event.key in ("up", "down") and "\n" not in self.text and self._sent:
            event.prevent_default().stop()
            self._recall(-1 if event.key == "up" else 1)
        else:
            await super()._on_key(event)

    def _send(self) -> None:
        text = self.text.rstrip()
        if text.strip():
            self._sent.append(text)
        self._at = len(self._sent)
        self.text = ""
        self.post_message(self.Sent(text))

    def _recall(self, step: int) -> None:
        self._at = max(0, min(len(self._sent), self._at + step))
        self.text = self._sent[self._at] if self._at < len(self._sent) else ""
        self.move_cursor(self.document.end)


class SaidByProgram(Message):
    """The program says something; `wrong` if it is a refusal or a fault."""

    def __init__(self, text: str, *, wrong: bool = False) -> None:
        super().__init__()
        self.text, self.wrong = text, wrong


class Spoken(Message):
    """The conversation goes on in this language."""

    def __init__(self, language: Language) -> None:
        super().__init__()
        self.language = language


class Coded(Message):
    """Source text or a difference to look at."""

    def __init__(self, text: str, language: str) -> None:
        super().__init__()
        self.text, self.language = text, language


class Happened(Message):
    """A stage began or ended."""

    def __init__(self, event: Event) -> None:
        super().__init__()
        self.event = event


class PlanMade(Message):
    """A plan was made."""

    def __init__(self, plan: Plan) -> None:
        super().__init__()
        self.plan = plan


class ProjectWritten(Message):
    """A project was written; `changes` is its difference to the one before, empty if there was none."""

    def __init__(self, files: dict[str, str], changes: str) -> None:
        super().__init__()
        self.files, self.changes = files, changes


class TimelineTaken(Message):
    """A timeline was taken."""

    def __init__(self, profile: Profile, title: str) -> None:
        super().__init__()
        self.profile, self.title = profile, title


class SolutionShown(Message):
    """A request was worked on to its end."""

    def __init__(self, solution: Solution, *, again: bool) -> None:
        super().__init__()
        self.solution, self.again = solution, again


class Thought(Message):
    """A piece of what the model is writing."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.text = text


class Busy(Message):
    """Work began or ended; `busy` False means that the program listens."""

    def __init__(self, *, busy: bool, choice: str = "") -> None:
        super().__init__()
        self.busy, self.choice = busy, choice


class Ended(Message):
    """The working thread is done."""
