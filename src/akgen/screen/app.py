"""`akgen chat` as an application: the conversation, and panes for kernel, plan, verdict, timeline and changes.

It draws and takes what is typed; the work is done by a `Desk` in a thread of its own, so that nothing here ever waits.
"""

import time
from dataclasses import replace
from typing import ClassVar

from rich.cells import cell_len, set_cell_size
from rich.console import RenderableType
from rich.text import Text
from textual import on, work
from textual.app import App, ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, ScrollableContainer
from textual.content import Content
from textual.widgets import Footer, Static, TabbedContent, TabPane

from akgen.agents.requests.language import Language
from akgen.graph.chat.texts import translated
from akgen.graph.store.records import Stage
from akgen.screen import conversation, panes
from akgen.screen.conversation import PLACEHOLDER, Log, Prompt
from akgen.screen.desk import Desk, Past
from akgen.tools.core.outcome import InfraError, InputError, Outcome

PANES = {
    "kernel": "The kernel stands here as soon as it is written.",
    "plan": "The plan stands here: the thought, the tiling, the buffers.",
    "verdict": "The verdict stands here: every case, and what was found.",
    "timeline": "The timeline stands here: what each pipe does, and when.",
    "changes": "What changed since the kernel before stands here.",
}
WRAPPED = ("plan", "verdict", "timeline")
_SPINNER = "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏"
THOUGHT_CHARACTERS = 20_000  # of what a model is writing, the end is shown


class ChatApp(App[None]):
    """One conversation."""

    CSS_PATH = "app.tcss"
    TITLE = "akgen"
    ENABLE_COMMAND_PALETTE = False
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (110, "-wide")]  # noqa: RUF012 (as the base class has it)
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+c", "interrupt", "Stop", priority=True),
        Binding("f2", "panes", "Panes"),
        Binding("f3", "next_pane", "Next pane"),
        Binding("ctrl+q", "leave", "Leave", priority=True),
    ]

    def __init__(self, desk: Desk) -> None:
        super().__init__()
        self._desk = desk
        self._busy, self._doing, self._since, self._choice = True, "preparing", time.monotonic(), ""
        self._thought = ""
        self._language = Language.ENGLISH
        self._stage: Stage | None = None
        self.problem: InfraError | InputError | None = (
            None  # what ended the application before its person did
        )

    @property
    def busy(self) -> bool:
        """Say whether something that was sent is still to be answered."""
        return self._busy or self._desk.waiting

    def compose(self) -> ComposeResult:
        with Horizontal(id="main"):
            yield Log(id="log")
            with TabbedContent(id="panes"):
                for name, empty in PANES.items():
                    kind = "pane wrapped" if name in WRAPPED else "pane"
                    with TabPane(name.capitalize(), id=f"tab-{name}"), ScrollableContainer(classes=kind):
                        yield Static(empty, id=name, classes="empty", markup=False)
        yield Static(id="status", markup=False)
        yield Prompt()
        yield Footer()

    def on_mount(self) -> None:
        self.query_one(Prompt).focus()
        self.set_interval(0.1, self._tick)
        self._work()

    @work(thread=True, exit_on_error=True)
    def _work(self) -> None:
        try:
            self._desk.run(self.post_message)
        except (InfraError, InputError) as problem:
            self.problem = problem
        self.post_message(conversation.Ended())

    @on(conversation.Ended)
    def _ended(self) -> None:
        self.exit()

    def on_unmount(self) -> None:
        """Let the working thread end however the application does."""
        self._desk.leave()

    @on(Prompt.Sent)
    def _sent(self, event: Prompt.Sent) -> None:
        if event.text.strip():
            self._talked.person(event.text)
        if not self.busy:  # the thread that answers may still be opening what it needs
            self._doing, self._since = self._say("understanding"), time.monotonic()
        self._desk.put(event.text)

    @on(Past)
    def _past(self, event: Past) -> None:
        if event.who == "person":
            self._talked.person(event.text)
        else:
            self._talked.program(f"{event.task}: {event.text}" if event.task else event.text)

    @on(conversation.SaidByProgram)
    def _said(self, event: conversation.SaidByProgram) -> None:
        self._talked.program(event.text, wrong=event.wrong)

    @on(conversation.Spoken)
    def _spoken(self, event: conversation.Spoken) -> None:
        self._language = event.language
        self.query_one(Prompt).placeholder = self._say(PLACEHOLDER)
        for binding in self.BINDINGS:
            assert isinstance(binding, Binding)
            said = replace(binding, description=self._say(binding.description))
            self._bindings.key_to_bindings[binding.key] = [said]
        self.refresh_bindings()
        tabs = self.query_one(TabbedContent)
        for name, empty in PANES.items():
            tabs.get_tab(f"tab-{name}").label = Content(self._say(name.capitalize()))
            pane = self.query_one(f"#{name}", Static)
            if pane.has_class("empty"):
                pane.update(self._say(empty))

    def _say(self, text: str) -> str:
        return translated(text, self._language)

    @on(conversation.Coded)
    def _coded(self, event: conversation.Coded) -> None:
        self._talked.code(event.text, event.language)
        if event.language == "diff":
            self._fill("changes", panes.changes(event.text))

    @on(conversation.Happened)
    def _happened(self, message: conversation.Happened) -> None:
        event = message.event
        self._talked.stage(event, self._say)
        if event.event == "stage" and event.status == "start":
            self._stage = event.stage
            self._doing, self._since, self._thought = (
                self._say(f"attempt {event.attempt}, {event.stage}"),
                time.monotonic(),
                "",
            )

    @on(conversation.Thought)
    def _thinks(self, event: conversation.Thought) -> None:
        """Show what a model is writing where it will stand: the plan, or the kernel."""
        self._thought = (self._thought + event.text)[-THOUGHT_CHARACTERS:]
        self._fill("kernel" if self._stage == "write" else "plan", Text(self._thought))

    @on(conversation.PlanMade)
    def _planned(self, event: conversation.PlanMade) -> None:
        self._fill("plan", panes.plan_text(event.plan, self._say))

    @on(conversation.ProjectWritten)
    def _written(self, event: conversation.ProjectWritten) -> None:
        self._fill("kernel", panes.sources(event.files))
        scroll = self.query_one("#kernel", Static).parent
        assert isinstance(scroll, ScrollableContainer)
        scroll.call_after_refresh(scroll.scroll_to, y=panes.first_line(event.files), animate=False)
        if event.changes:
            self._fill("changes", panes.changes(event.changes))

    @on(conversation.TimelineTaken)
    def _timed(self, event: conversation.TimelineTaken) -> None:
        self._fill("timeline", panes.Timeline(event.profile, event.title))

    @on(conversation.SolutionShown)
    def _shown(self, event: conversation.SolutionShown) -> None:
        solution = event.solution
        self._fill("verdict", panes.verdict_text(solution, self._language))
        if event.again:
            return
        how = ", ".join(filter(None, (solution.outcome, solution.time_text())))
        self._talked.finished(
            self._say(f"{how}: {solution.why}"), correct=solution.outcome is Outcome.CORRECT
        )
        if solution.outcome is not Outcome.CORRECT:
            self.query_one(TabbedContent).active = "tab-verdict"

    @on(conversation.Busy)
    def _is_busy(self, event: conversation.Busy) -> None:
        self._busy, self._doing, self._since = event.busy, self._say("understanding"), time.monotonic()
        self._choice = event.choice or self._choice

    def action_interrupt(self) -> None:
        """Stop the work after the stage that runs; with nothing to stop, empty the line."""
        if self._busy:
            self._desk.cancel.ask()
            self._doing = "stopping after this stage"
        else:
            self.query_one(Prompt).text = ""

    def action_leave(self) -> None:
        self._doing = "leaving after this stage"
        self._desk.leave()

    def action_panes(self) -> None:
        """Give the conversation the whole width, or share it with the panes again."""
        self.screen.toggle_class("-hidden-panes")

    def action_next_pane(self) -> None:
        tabs, names = self.query_one(TabbedContent), list(PANES)
        now = names.index(tabs.active.removeprefix("tab-"))
        tabs.active = f"tab-{names[(now + 1) % len(names)]}"

    @property
    def _talked(self) -> Log:
        return self.query_one("#log", Log)

    def _fill(self, name: str, content: RenderableType) -> None:
        pane = self.query_one(f"#{name}", Static)
        pane.remove_class("empty")
        pane.update(content)

    def _tick(self) -> None:
        seconds = time.monotonic() - self._since
        left = (
            f"{_SPINNER[int(seconds * 10) % len(_SPINNER)]} {self._doing}, {seconds:.0f} s"
            if self.busy
            else self._say("ready")
        )
        info = self._desk.store.info
        right = f"{self._choice or info.config.model} on {info.toolchain}"
        width = self.size.width - 2
        gap = max(1, width - cell_len(left) - cell_len(right))
        self.query_one("#status", Static).update(set_cell_size(f"{left}{' ' * gap}{right}", width))
