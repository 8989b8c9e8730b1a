"""A process that stays and answers: one JSON line for each JSON line."""

import contextlib
import json
import os
import select
import signal
import tempfile
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import IO, Any

from akgen.tools.core.untrusted import JsonRefused, parse_object
from akgen.tools.process.group import MINIMAL_ENV, PIPE, Process, end_group, start

MOST_ANSWER_BYTES = 64 << 20
BEAT = b'{"beat":true}'  # a line that says that a worker lives


def end_with_parent() -> None:
    """End this process and its group as soon as its parent has ended, whatever it is doing.

    For programs that a Worker runs, each of them the leader of its group: a busy one reads no end of its stdin.
    """
    try:
        parent = os.pidfd_open(os.getppid())
    except ProcessLookupError:
        os.killpg(0, signal.SIGKILL)

    def watch() -> None:
        poll = select.poll()
        poll.register(parent, select.POLLIN)
        poll.poll()
        os.killpg(0, signal.SIGKILL)

    threading.Thread(target=watch, daemon=True).start()


class WorkerDied(Exception):
    """The worker ended or did not answer in time; `text` says which, `tail` is the end of its stderr."""

    def __init__(self, text: str, tail: str, timed_out: bool) -> None:
        super().__init__(text)
        self.text = text
        self.tail = tail
        self.timed_out = timed_out


class Worker:
    """A process that answers one JSON line on stdout for each JSON line on stdin.

    Started at the first request, and again after it died. Requests from several threads take turns. The process
    sees the end of its stdin when this one ends, and should then end too.
    """

    def __init__(
        self, argv: Sequence[str | Path], *, cwd: Path, env: Mapping[str, str] | None = None
    ) -> None:
        self._argv = [str(a) for a in argv]
        self._cwd = cwd
        self._env = dict(MINIMAL_ENV if env is None else env)
        self._process: Process | None = None
        self._stderr: IO[bytes] | None = None
        self._pending = b""
        self._turn = threading.Lock()

    @property
    def running(self) -> bool:
        return self._process is not None

    @property
    def working(self) -> bool:
        """Say whether somebody waits for an answer."""
        return self._turn.locked()

    @property
    def idle(self) -> bool:
        """Say whether the process runs and works on no request."""
        return not self._turn.locked() and self._process is not None and self._process.poll() is None

    def start(self) -> None:
        """Start the process if it does not run, without waiting for it to be ready."""
        with self._turn:
            if self._process is None:
                self._start()

    def request(
        self, message: Mapping[str, Any], timeout_s: float, on_beat: Callable[[], None] | None = None
    ) -> dict[str, Any]:
        """Send a message and wait for its answer. Raises WorkerDied; the next request starts a new process.

        Lines that are BEAT, which a worker may write at any time, are no answer; `on_beat` is called for each.
        """
        with self._turn:
            process = self._process or self._start()
            try:
                assert process.stdin is not None
                process.stdin.write(json.dumps(message).encode() + b"\n")
                process.stdin.flush()
                deadline = time.monotonic() + timeout_s
                while (line := self._read_line(process, deadline)) == BEAT:
                    if on_beat is not None:
                        on_beat()
            except BrokenPipeError:
                line = b""
            except BaseException:
                self._stop()
                raise
            if not line:
                timed_out = process.poll() is None
                tail = self._stop()
                text = f"did not answer within {timeout_s:.0f} s" if timed_out else "ended without an answer"
                raise WorkerDied(text, tail, timed_out)
            try:
                return parse_object(line, most_bytes=MOST_ANSWER_BYTES, finite=False)
            except JsonRefused:
                raise WorkerDied("gave an answer that is no JSON", self._stop(), False) from None

    def kill(self) -> None:
        """Kill the process and its group, whoever waits for its answer: that request raises WorkerDied."""
        process = self._process
        if process is not None and process.returncode is None:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)

    def close(self) -> None:
        with self._turn:
            self._stop()

    def __enter__(self) -> "Worker":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _start(self) -> Process:
        # A file, not a pipe: nobody has to read it, so a chatty worker never blocks.
        self._stderr = tempfile.TemporaryFile()  # noqa: SIM115
        self._pending = b""
        self._process = start(
            self._argv, cwd=self._cwd, env=self._env, stdin=PIPE, stdout=PIPE, stderr=self._stderr
        )
        return self._process

    def _read_line(self, process: Process, deadline: float) -> bytes:
        """Return the next line, or nothing at end of file or deadline. Raises WorkerDied if it has no end."""
        assert process.stdout is not None
        fd = process.stdout.fileno()
        poll = select.poll()
        poll.register(fd, select.POLLIN)
        chunks, size = [self._pending], len(self._pending)
        while b"\n" not in chunks[-1]:
            left = deadline - time.monotonic()
            if left <= 0 or not poll.poll(left * 1000):
                return b""
            chunk = os.read(fd, 1 << 16)
            if not chunk:
                process.wait()
                return b""
            chunks.append(chunk)
            size += len(chunk)
            if size > MOST_ANSWER_BYTES:
                raise WorkerDied("gave an answer without end", self._stop(), False)
        line, self._pending = b"".join(chunks).split(b"\n", 1)
        return line

    def _stop(self) -> str:
        process, self._process = self._process, None
        if process is None:
            return ""
        end_group(process)
        for pipe in (process.stdin, process.stdout):
            if pipe is not None:
                with contextlib.suppress(BrokenPipeError):
                    pipe.close()
        tail = ""
        if self._stderr is not None:
            size = self._stderr.seek(0, os.SEEK_END)
            self._stderr.seek(max(0, size - 4000))
            tail = self._stderr.read().decode(errors="replace")
            self._stderr.close()
        return tail
