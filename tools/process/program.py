"""Run a program to its end: stdin closed, output bounded, a time limit, no descendant left.

One that is not trusted goes through the built `akgen_sandbox` (seccomp, Landlock, limits).
"""

import contextlib
import os
import secrets
import select
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import IO, Literal

from akgen.tools.core.frozen import Frozen
from akgen.tools.core.outcome import InfraError
from akgen.tools.process.group import MINIMAL_ENV, NOTHING, PIPE, Process, end_group, signal_name, start


class Capture:
    """Read a process's two pipes up to a limit, and go on reading so that it never blocks."""

    def __init__(self, pid: int, stdout: IO[bytes], stderr: IO[bytes], limit: int) -> None:
        self._pipes = {stdout.fileno(): stdout, stderr.fileno(): stderr}
        self._kept: dict[int, list[bytes]] = {fd: [] for fd in self._pipes}
        self._room = dict.fromkeys(self._pipes, limit)
        self._out, self._err = self._pipes
        self._pid = pid
        self._poll = select.poll()
        self.truncated = False
        for fd in self._pipes:
            os.set_blocking(fd, False)
            self._poll.register(fd, select.POLLIN)

    @property
    def stdout(self) -> bytes:
        return b"".join(self._kept[self._out])

    @property
    def stderr(self) -> bytes:
        return b"".join(self._kept[self._err])

    def until_exit(self, deadline: float) -> bool:
        """Read until the process has ended (true) or the deadline has passed (false). It is not reaped here."""
        watch = os.pidfd_open(self._pid)
        try:
            self._poll.register(watch, select.POLLIN)
            while (left := deadline - time.monotonic()) > 0:
                for fd, _ in self._poll.poll(left * 1000):
                    if fd == watch:
                        return True
                    if not self._read(fd):
                        self._poll.unregister(fd)
            return False
        finally:
            os.close(watch)

    def drain(self) -> None:
        """Take what the pipes still hold, and close them."""
        for fd, pipe in self._pipes.items():
            while self._read(fd):
                pass
            pipe.close()

    def _read(self, fd: int) -> bool:
        try:
            chunk = os.read(fd, 1 << 16)
        except BlockingIOError:
            return False
        room = self._room[fd]
        if len(chunk) > room:
            self.truncated = True
        if room > 0:
            self._kept[fd].append(chunk[:room])
            self._room[fd] = room - len(chunk[:room])
        return bool(chunk)


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


SYSTEM_READ: tuple[Path, ...] = tuple(
    Path(p) for p in ("/usr", "/lib", "/lib64", "/bin", "/opt", "/etc/ld.so.cache", "/etc/alternatives")
)


# What becomes of a program that tries to reach the network or other processes: a compiler is refused, one that calls
# candidate code is ended by SIGSYS; `candidate-host` starts no process either.
Profile = Literal["compiler", "candidate", "candidate-host"]


class ResourceLimits(Frozen):
    """What a sandboxed program may use; None leaves the machine's own limit."""

    cpu_s: int | None = None
    address_bytes: int | None = None  # not under AddressSanitizer
    file_bytes: int | None = None  # size of any one file
    open_files: int | None = None


def run_sandboxed(
    argv: Sequence[str | Path],
    *,
    sandbox: Path,
    read: tuple[Path, ...],
    write: tuple[Path, ...],
    limits: ResourceLimits,
    cwd: Path,
    timeout_s: float,
    env: Mapping[str, str] | None = None,
    output_limit_bytes: int = 1 << 18,
    profile: Profile = "compiler",
) -> Finished:
    """Run a program that may read only `read` and SYSTEM_READ, and write only below `write`.

    `sandbox` is the built akgen_sandbox. The program has no network and no hold on other processes (`profile` says
    what an attempt does), and it ends when this thread does. TMPDIR is the first of `write`. Raises InfraError if the
    sandbox itself fails.
    """
    name = f"akgen_sandbox {secrets.token_hex(8)}: "  # what it says itself; the program cannot know it
    front: list[str | Path] = [sandbox, "--name", name, "--profile", profile]
    for path in (*SYSTEM_READ, *read):
        front += ["--read", path]
    for path in write:
        front += ["--write", path]
    for option, value in limits.model_dump(exclude_none=True).items():
        front += ["--" + option.replace("_", "-"), str(value)]
    environment = dict(MINIMAL_ENV if env is None else env)
    if write:
        environment.setdefault("TMPDIR", str(write[0]))
    done = run(
        [*front, "--", *argv],
        cwd=cwd,
        timeout_s=timeout_s,
        env=environment,
        output_limit_bytes=output_limit_bytes,
    )
    if done.rc in (125, 126) and done.err.startswith(name):
        what = "The sandbox failed" if done.rc == 125 else "A program cannot be started"
        raise InfraError(f"{what}: {done.err.removeprefix(name).strip()}.", "Run `akgen doctor`.")
    return done
