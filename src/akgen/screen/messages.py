"""What the working thread tells the application."""

from textual.message import Message

from akgen.agents.plan import Plan
from akgen.agents.requests.language import Language
from akgen.graph.store.records import Event, Solution
from akgen.tools.core.profile import Profile


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
