"""`akgen chat` in a real terminal: typed keys in, what stands on the screen out, and kill -9 in between."""

import os
import select
import shlex
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

pytest.importorskip("textual", reason="the extra `chat` is not installed")
pytestmark = pytest.mark.skipif(shutil.which("tmux") is None, reason="tmux is not installed")

WAIT_S = 180.0
WIDTH, HEIGHT = 150, 50


class Terminal:
    """A tmux server with one window; each start has a server of its own, for one that leaves takes no new session."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._starts = 0
        os.mkfifo(folder / "output")  # gets what the program writes to the terminal
        self._output = os.open(folder / "output", os.O_RDWR)

    def start(self, *arguments: str) -> int:
        """Run `akgen` in the window; return its process id.

        The window's size is the terminal's: sizes that whoever runs the tests left in the environment would hide it.
        """
        self._starts += 1
        variables = {"OMP_NUM_THREADS": "1", "AKGEN_RUNS": str(self._folder / "runs")}
        given = {name: os.environ[name] for name in ("PYTHONPATH", "XDG_CACHE_HOME") if name in os.environ}
        env = " ".join(f"{name}={shlex.quote(value)}" for name, value in {**given, **variables}.items())
        command = shlex.join([sys.executable, "-m", "akgen", *arguments])
        size = ["-x", str(WIDTH), "-y", str(HEIGHT)]
        self._tmux(
            "-f", "/dev/null", "new-session", "-d", *size, f"exec env -u COLUMNS -u LINES {env} {command}"
        )
        self._tmux("pipe-pane", "exec cat > output")
        return int(self._tmux("list-panes", "-F", "#{pane_pid}"))

    @property
    def _socket(self) -> str:
        return f"akgen-{os.getpid()}-{self._starts}"  # a name: paths of sockets may not be long

    def type(self, text: str, *keys: str) -> None:
        self._tmux("send-keys", "-l", text)
        self._tmux("send-keys", *(keys or ("Enter",)))

    def screen(self) -> str:
        return self._tmux("capture-pane", "-p")

    def wait_for(self, *words: str) -> str:
        """Return the screen as soon as all the words stand on it; look again whenever the program drew something."""
        while True:
            shown = self.screen()
            if all(word in shown for word in words):
                return shown
            drawn, _, _ = select.select([self._output], [], [], WAIT_S)
            assert drawn, f"{words} did not come:\n{shown}"
            os.read(self._output, 1 << 16)

    def wait_for_file(self, pattern: str) -> None:
        """Return as soon as a file of this name lies below the test's folder; the screen may be past it by then."""
        end = time.monotonic() + WAIT_S
        while not any(self._folder.glob(pattern)):
            assert time.monotonic() < end, f"no file {pattern}"
            time.sleep(0.005)

    def wait_for_the_end(self) -> None:
        """Wait until the program has left, and with it its window and the server: nobody signals what is waited for."""
        waiting = ["tmux", "-L", self._socket, "wait-for", "the end"]
        subprocess.run(waiting, capture_output=True, check=False, timeout=WAIT_S)

    def close(self) -> None:
        subprocess.run(["tmux", "-L", self._socket, "kill-server"], capture_output=True, check=False)
        os.close(self._output)

    def _tmux(self, *arguments: str) -> str:
        done = subprocess.run(
            ["tmux", "-L", self._socket, *arguments],
            cwd=self._folder,
            capture_output=True,
            text=True,
            check=True,
            env={**os.environ, "LANG": "C.UTF-8", "TERM": "xterm-256color"},
        )
        return done.stdout.rstrip("\n")


@pytest.fixture
def terminal(tmp_path: Path) -> Iterator[Terminal]:
    made = Terminal(tmp_path)
    yield made
    made.close()


def test_a_conversation_in_a_terminal_that_is_killed_and_goes_on(terminal: Terminal) -> None:
    pid = terminal.start("chat")
    terminal.wait_for("Tell me which operator", "The kernel stands here")
    terminal.type("a sum kernel for fp16")
    terminal.wait_for("Of which shape are the inputs of sum")  # the clarification
    terminal.type("64 by 300")
    shown = terminal.wait_for("torch.sum(x0, -1)", "Enter begins", "ready")  # what was understood
    assert "✓ plan" not in shown
    terminal.type("")  # one keypress
    shown = terminal.wait_for("✓ criticise", "ready")
    assert "✓ test" in shown and "1 of 1 cases correct" in shown  # the progress
    assert "class SumCustom" in shown  # the kernel
    terminal.type("over rows instead")
    terminal.wait_for("over axis -2:", "Enter begins", "ready")
    terminal.type("")
    terminal.wait_for("SumCustomRows", "ready")
    terminal.type("use 3 cores")
    terminal.wait_for("at most 3 cores:", "Enter begins", "ready")
    terminal.type("")
    terminal.wait_for_file("runs/*/tasks/03_*/**/events.jsonl")
    os.kill(pid, signal.SIGKILL)  # in the middle of its work
    terminal.wait_for_the_end()
    terminal.start("chat", "--resume", "--yes")
    terminal.wait_for("Going on with", "2 requests so far", "predicted: all cases correct", "ready")
    terminal.type("/undo 2")
    terminal.wait_for("Back to 01_sum_float16_64x300.", "ready")
    terminal.type("make it bf16")
    terminal.wait_for("sum in bfloat16, 64 by 300:", "predicted: all cases correct", "ready")
    terminal.type("/history")
    shown = terminal.wait_for("04_sum_bfloat16_64x300: correct")
    assert "02_sum" not in shown.rpartition("/history")[2]
    terminal.type("/quit")
    terminal.wait_for_the_end()
