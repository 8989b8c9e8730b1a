"""Run a program to its end: stdin closed, output bounded, a time limit, no descendant left."""

import contextlib
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

from akgen.tools.core.frozen import Frozen
from akgen.tools.process.group import NOTHING, PIPE, Process, end_group, signal_name, start
from akgen.tools.process.output import Capture


class Finished(Frozen):
    """How a program ended. Either `rc` or `signal` is set; a program that was stopped for time has `timed_out` too."""

    argv: tuple[str, ...]
    rc: int | None
    signal: int | None
    timed_out: bool
    wall_s: float
    cpu_s: float  # of the program and of the descendants that it waited for
    max_rss_bytes: int
    stdout: bytes  # the first bytes, up to the limit
    stderr: bytes
    truncated: bool  # there was more output than the limit

    @property
    def ok(self) -> bool:
        return self.rc == 0 and not self.timed_out

    @property
    def out(self) -> str:
        return self.stdout.decode(errors="replace")

    @property
    def err(self) -> str:
        return self.stderr.decode(errors="replace")

    @property
    def ending(self) -> str:
        """Say how it ended, for people: `status 1`, `signal SIGSEGV`, `stopped after 10.0 s`."""
        if self.timed_out:
            return f"stopped after {self.wall_s:.1f} s"
        if self.signal is not None:
            return f"signal {signal_name(self.signal)}"
        return f"status {self.rc}"


def run(
    argv: Sequence[str | Path],
    *,
    cwd: Path,
    timeout_s: float,
    env: Mapping[str, str] | None = None,
    output_limit_bytes: int = 1 << 18,
    stdin: bytes | None = None,
) -> Finished:
    """Run a program to its end or its time limit.

    `env` is the whole environment (MINIMAL_ENV if None). `stdin` of up to 64 KiB is fed to the program, else it reads
    end-of-file. Descendants that are left when the program ends are killed. Raises InfraError if it cannot be started.
    """
    command = [str(a) for a in argv]
    started = time.monotonic()
    process = start(
        command,
        cwd=cwd,
        env=env,
        stdin=NOTHING if stdin is None else PIPE,
        stdout=PIPE,
        stderr=PIPE,
    )
    try:
        if stdin is not None:
            _feed(process, stdin)
        assert process.stdout is not None and process.stderr is not None
        capture = Capture(process.pid, process.stdout, process.stderr, output_limit_bytes)
        timed_out = not capture.until_exit(started + timeout_s)
    finally:
        rc, cpu_s, max_rss = end_group(process)
    capture.drain()
    return Finished(
        argv=tuple(command),
        rc=rc if rc >= 0 else None,
        signal=-rc if rc < 0 else None,
        timed_out=timed_out,
        wall_s=time.monotonic() - started,
        cpu_s=cpu_s,
        max_rss_bytes=max_rss,
        stdout=capture.stdout,
        stderr=capture.stderr,
        truncated=capture.truncated,
    )


def _feed(process: Process, text: bytes) -> None:
    if len(text) > 1 << 16:
        raise ValueError("stdin holds more than a pipe does")
    assert process.stdin is not None
    with contextlib.suppress(BrokenPipeError):
        process.stdin.write(text)
        process.stdin.close()
