"""The application, driven by Textual's pilot: what stands in the panes, and what the keys do."""

import asyncio
from collections.abc import Awaitable, Callable
from io import StringIO
from pathlib import Path

import pytest

pytest.importorskip("textual", reason="the extra `chat` is not installed")

from rich.console import Console
from textual import events
from textual.message import Message
from textual.messages import InvokeLater, Layout, Update, UpdateScroll
from textual.pilot import Pilot
from textual.widgets import Static, TabbedContent

from akgen.agents.run_config import RunConfig
from akgen.graph.run import begin
from akgen.screen.app import PANES, ChatApp
from akgen.screen.conversation import Busy, Ended, Happened, Prompt
from akgen.screen.desk import Desk
from akgen.settings import from_environment

WAIT_S = 240.0
Act = Callable[["Driven"], Awaitable[None]]
# What widgets send themselves all the time; everything else is an answer to a key or to the working thread.
HOUSEKEEPING = (events.Timer, events.Callback, events.Idle, InvokeLater, Layout, Update, UpdateScroll)


class Driven:
    """A running application. Whoever waits for it waits for messages, never for some time to pass."""

    def __init__(self) -> None:
        self.app: ChatApp
        self.pilot: Pilot[None]
        self._heard: list[Message] = []
        self._news = asyncio.Event()

    def hear(self, message: Message) -> None:
        """Note a message, once, wherever it bubbles to."""
        if not isinstance(message, HOUSEKEEPING) and not any(message is known for known in self._heard):
            self._heard.append(message)
            self._news.set()

    async def until(self, holds: Callable[[list[Message]], bool]) -> None:
        """Wait until this holds for all messages so far."""
        while not holds(self._heard):
            self._news.clear()
            await asyncio.wait_for(self._news.wait(), WAIT_S)

    async def settle(self) -> None:
        """Let every widget deal with what it was sent, and with what that led to."""
        before = -1
        while before < len(self._heard):
            before = len(self._heard)
            await self.pilot.pause(0)

    async def idle(self) -> None:
        """Wait until the program listens again after each line that was sent."""

        def listens(heard: list[Message]) -> bool:
            free = sum(isinstance(m, Busy) and not m.busy for m in heard)
            return free > sum(isinstance(m, Prompt.Sent) for m in heard)

        await self.settle()
        await self.until(listens)
        await self.settle()

    async def press(self, *keys: str) -> None:
        for key in keys:
            self.app.post_message(events.Key(key, key if len(key) == 1 else None))
            await self.settle()

    async def say(self, text: str) -> None:
        self.app.query_one(Prompt).text = text
        await self.press("enter")
        await self.idle()

    def pane(self, name: str, width: int = 200) -> str:
        return _plain(self.app.query_one(f"#{name}", Static), width)

    def log(self) -> str:
        return "\n".join(_plain(entry, 200) for entry in self.app.query("#log Static").results(Static))


def _plain(widget: Static, width: int) -> str:
    out = StringIO()
    Console(width=width, no_color=True, file=out).print(widget.content)
    return out.getvalue()


def drive(folder: Path, act: Act, size: tuple[int, int] = (140, 40)) -> ChatApp:
    """Run the application on a conversation below `folder` until `act` is done."""
    settings = from_environment()
    config = RunConfig(command="chat", seed=1)
    store = begin(folder / "talk", config, "twin 0.1.0")
    app = ChatApp(Desk(store, settings, None, confirm=False))

    async def run() -> None:
        driven = Driven()
        async with app.run_test(size=size, message_hook=driven.hear) as pilot:
            driven.app, driven.pilot = app, pilot
            await driven.idle()
            await act(driven)
            app.post_message(events.Key("ctrl+q", None))
            await driven.until(lambda heard: any(isinstance(m, Ended) for m in heard))

    asyncio.run(run())
    return app


def test_a_request_fills_the_panes_and_a_follow_up_shows_what_changed(tmp_path: Path) -> None:
    async def act(driven: Driven) -> None:
        for name, empty in PANES.items():
            assert empty in driven.pane(name)
        await driven.say("relu half 8 by 40")
        assert "class ReluCustomFlat" in driven.pane("kernel")
        assert "float16" in driven.pane("plan") and "What is computed" in driven.pane("plan")
        assert "correct" in driven.pane("verdict") and "asked" in driven.pane("verdict")
        assert "MTE2" in driven.pane("timeline") and "predicted on" in driven.pane("timeline")
        assert PANES["changes"] in driven.pane("changes")
        assert "✓ test" in driven.log()
        await driven.say("use 3 cores")
        assert "+++ after/op_host/relu_custom.cpp" in driven.pane("changes")
        await driven.say("/undo")
        assert "Back to 01_relu_float16_8x40." in driven.log()
        await driven.say("over rows instead")
        assert "relu has no axis to choose." in driven.log()
        # A chart of whatever width fits into it.
        for width in (40, 78, 200):
            assert all(len(line) <= width for line in driven.pane("timeline", width).splitlines())

    drive(tmp_path, act)


def test_chinese_changes_tabs_hints_and_panes_that_are_empty(tmp_path: Path) -> None:
    async def act(driven: Driven) -> None:
        await driven.say("写一个 relu 算子")
        tabs = driven.app.query_one(TabbedContent)
        assert str(tabs.get_tab("tab-kernel").label) == "核函数"
        assert "半精度" in str(driven.app.query_one(Prompt).placeholder)
        assert "核函数写好之后显示在这里。" in driven.pane("kernel")
        assert driven.app.screen.active_bindings["ctrl+q"].binding.description == "退出"
        await driven.say("write it in half, 8 by 40")
        assert str(tabs.get_tab("tab-kernel").label) == "Kernel"
        assert driven.app.screen.active_bindings["ctrl+q"].binding.description == "Leave"
        assert "class ReluCustomFlat" in driven.pane("kernel")

    drive(tmp_path, act)


def test_code_is_written_over_several_lines_and_the_arrows_bring_it_back(tmp_path: Path) -> None:
    async def act(driven: Driven) -> None:
        prompt = driven.app.query_one(Prompt)
        await driven.press(*"def f(x):", "ctrl+j", *"    return")
        assert prompt.text == "def f(x):\n    return"
        prompt.text = ""
        await driven.say("help")
        await driven.say("/history")
        assert "Nothing was asked for yet." in driven.log()
        await driven.press("up")
        assert prompt.text == "/history"
        await driven.press("up")
        assert prompt.text == "help"
        await driven.press("down", "down")
        assert prompt.text == ""

    drive(tmp_path, act)


@pytest.mark.parametrize("size", [(80, 24), (160, 45)])
def test_the_layout_fits_and_the_keys_move_the_panes(tmp_path: Path, size: tuple[int, int]) -> None:
    async def act(driven: Driven) -> None:
        app = driven.app
        log, panes = app.query_one("#log"), app.query_one("#panes")
        if size[0] < 110:
            assert log.region.width == panes.region.width == size[0]
            assert log.region.height >= 6 and panes.region.height >= 6
        else:
            assert log.region.height == panes.region.height and log.region.width >= 60
        assert app.query_one("#status").region.bottom <= size[1]
        tabs = app.query_one(TabbedContent)
        assert tabs.active == "tab-kernel"
        await driven.press("f3")
        assert tabs.active == "tab-plan"
        await driven.press("f2")
        assert panes.region.width == 0 and log.region.width == size[0]
        await driven.press("f2")
        assert panes.region.width > 0

    drive(tmp_path, act, size)


@pytest.mark.slow
def test_ctrl_c_stops_the_work_and_go_on_finishes_it(tmp_path: Path) -> None:
    async def act(driven: Driven) -> None:
        driven.app.query_one(Prompt).text = "softmax half 64 by 512"
        await driven.press("enter")
        await driven.until(lambda heard: any(isinstance(m, Happened) for m in heard))  # the first stage began
        await driven.press("ctrl+c")
        await driven.idle()
        assert "Stopped; what was done is kept." in driven.log()
        assert "✓ criticise" not in driven.log()
        await driven.say("go on")
        assert "✓ criticise" in driven.log()

    drive(tmp_path, act)
