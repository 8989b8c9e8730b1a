"""Run other programs: the one place that starts processes.

A program runs in its own process group, with an environment that holds what the caller names and nothing
else, stdin closed, its output bounded, and a time limit; when it ends, or its time is up, the whole group is
killed. `run_sandboxed` goes through the built `akgen_sandbox` (seccomp, Landlock, limits). `Worker` talks to a
process that stays, `Service` is one that only serves others.
"""

import contextlib
import json
import os
import select
import signal
import subprocess
import tempfile
import threading
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import IO, Any

from akgen.tools.frozen import Frozen
from akgen.tools.outcome import InfraError
from akgen.tools.process_output import Capture

MINIMAL_ENV: Mapping[str, str] = {"PATH": "/usr/local/bin:/usr/bin:/bin", "LANG": "C.UTF-8"}
SYSTEM_READ: tuple[Path, ...] = tuple(
    Path(p) for p in ("/usr", "/lib", "/lib64", "/bin", "/opt", "/etc/ld.so.cache", "/etc/alternatives")
)


class Limits(Frozen):
    """What a sandboxed program may use; None leaves the machine's own limit."""

    cpu_s: int | None = None
    address_bytes: int | None = None  # not under AddressSanitizer
    file_bytes: int | None = None  # size of any one file
    open_files: int | None = None


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


def signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return str(number)


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
    try:
        process = subprocess.Popen(
            command,
            cwd=cwd,
            env=dict(MINIMAL_ENV if env is None else env),
            stdin=subprocess.DEVNULL if stdin is None else subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            process_group=0,
        )
    except OSError as e:
        raise _cannot_start(command[0], cwd, e) from e
    try:
        if stdin is not None:
            _feed(process, stdin)
        assert process.stdout is not None and process.stderr is not None
        capture = Capture(process.pid, process.stdout, process.stderr, output_limit_bytes)
        timed_out = not capture.until_exit(started + timeout_s)
    finally:
        rc, cpu_s, max_rss = _end_group(process)
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


def run_sandboxed(
    argv: Sequence[str | Path],
    *,
    sandbox: Path,
    read: tuple[Path, ...],
    write: tuple[Path, ...],
    limits: Limits,
    cwd: Path,
    timeout_s: float,
    env: Mapping[str, str] | None = None,
    output_limit_bytes: int = 1 << 18,
) -> Finished:
    """Run a program that may read only `read` and SYSTEM_READ, and write only below `write`.

    `sandbox` is the built akgen_sandbox. The program has no network and no hold on other processes, and it ends
    when this thread does. TMPDIR is the first of `write`. Raises InfraError if the sandbox itself fails.
    """
    front: list[str | Path] = [sandbox]
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
    if done.rc == 125 and done.err.startswith("akgen_sandbox:"):
        raise InfraError(f"The sandbox failed: {done.err[15:].strip()}.", "Run `akgen doctor`.")
    if done.rc == 126 and done.err.startswith("akgen_sandbox:"):
        raise InfraError(f"A program cannot be started: {done.err[15:].strip()}.", "Run `akgen doctor`.")
    return done


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
        self._process: subprocess.Popen[bytes] | None = None
        self._stderr: IO[bytes] | None = None
        self._pending = b""
        self._turn = threading.Lock()

    @property
    def running(self) -> bool:
        return self._process is not None

    def start(self) -> None:
        """Start the process if it does not run, without waiting for it to be ready."""
        with self._turn:
            if self._process is None:
                self._start()

    def request(self, message: Mapping[str, Any], timeout_s: float) -> dict[str, Any]:
        """Send a message and wait for its answer. Raises WorkerDied; the next request starts a new process."""
        with self._turn:
            process = self._process or self._start()
            try:
                assert process.stdin is not None
                process.stdin.write(json.dumps(message).encode() + b"\n")
                process.stdin.flush()
                line = self._read_line(process, time.monotonic() + timeout_s)
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
            answer: dict[str, Any] = json.loads(line)
            return answer

    def close(self) -> None:
        with self._turn:
            self._stop()

    def __enter__(self) -> "Worker":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _start(self) -> "subprocess.Popen[bytes]":
        # A file, not a pipe: nobody has to read it, so a chatty worker never blocks.
        self._stderr = tempfile.TemporaryFile()  # noqa: SIM115
        self._pending = b""
        try:
            self._process = subprocess.Popen(
                self._argv,
                cwd=self._cwd,
                env=self._env,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=self._stderr,
                process_group=0,
            )
        except OSError as e:
            raise _cannot_start(self._argv[0], self._cwd, e) from e
        return self._process

    def _read_line(self, process: "subprocess.Popen[bytes]", deadline: float) -> bytes:
        """Return the next line, or nothing at end of file or deadline."""
        assert process.stdout is not None
        fd = process.stdout.fileno()
        poll = select.poll()
        poll.register(fd, select.POLLIN)
        chunks = [self._pending]
        while b"\n" not in chunks[-1]:
            left = deadline - time.monotonic()
            if left <= 0 or not poll.poll(left * 1000):
                return b""
            chunk = os.read(fd, 1 << 16)
            if not chunk:
                process.wait()
                return b""
            chunks.append(chunk)
        line, self._pending = b"".join(chunks).split(b"\n", 1)
        return line

    def _stop(self) -> str:
        process, self._process = self._process, None
        if process is None:
            return ""
        _end_group(process)
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


class Service:
    """A program that goes on until it is told to stop. Its output goes into a file.

    It is started at once; when the context ends it is interrupted, then told to end, and killed with its whole group if
    it has not ended within `patience_s`.
    """

    def __init__(
        self,
        argv: Sequence[str | Path],
        *,
        cwd: Path,
        env: Mapping[str, str],
        output: Path,
        patience_s: float,
    ) -> None:
        command = [str(a) for a in argv]
        self._patience_s = patience_s
        try:
            with output.open("wb") as handle:
                self._process = subprocess.Popen(
                    command,
                    cwd=cwd,
                    env=dict(env),
                    stdin=subprocess.DEVNULL,
                    stdout=handle,
                    stderr=subprocess.STDOUT,
                    process_group=0,
                )
        except OSError as e:
            raise _cannot_start(command[0], cwd, e) from e

    @property
    def pid(self) -> int:
        return self._process.pid

    @property
    def running(self) -> bool:
        """Say whether the program itself still runs; it is not reaped here, so that its group can still be named."""
        found = os.waitid(os.P_PID, self._process.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT)
        return found is None

    @property
    def ending(self) -> str:
        """Say how it ended, for people."""
        found = os.waitid(os.P_PID, self._process.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT)
        if found is None:
            return "it still runs"
        by_signal = found.si_code in (os.CLD_KILLED, os.CLD_DUMPED)
        return f"signal {signal_name(found.si_status)}" if by_signal else f"status {found.si_status}"

    def wait(self, timeout_s: float) -> bool:
        """Wait until it ended by itself; False if it still runs after that time."""
        deadline = time.monotonic() + timeout_s
        while self.running:
            if time.monotonic() >= deadline:
                return False
            time.sleep(0.05)
        return True

    def stop(self) -> None:
        """Interrupt it, wait, and kill what is left of its group."""
        if self._process.returncode is not None:
            return
        for number in (signal.SIGINT, signal.SIGTERM):  # a program may have been started to ignore the first
            if self.running:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(self._process.pid, number)
                self.wait(self._patience_s / 2)
        _end_group(self._process)

    def __enter__(self) -> "Service":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()


def _feed(process: "subprocess.Popen[bytes]", text: bytes) -> None:
    if len(text) > 1 << 16:
        raise ValueError("stdin holds more than a pipe does")
    assert process.stdin is not None
    with contextlib.suppress(BrokenPipeError):
        process.stdin.write(text)
        process.stdin.close()


def _end_group(process: "subprocess.Popen[bytes]") -> tuple[int, float, int]:
    """Kill what is left of the group, reap the process; return its code, CPU seconds and peak memory in bytes."""
    group = process.pid
    if (
        process.returncode is not None
    ):  # reaped by poll(): the group's number may belong to somebody else by now
        return process.returncode, 0.0, 0
    # The leader is not reaped yet, so its number still names this group.
    with contextlib.suppress(ProcessLookupError):
        os.killpg(group, signal.SIGKILL)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    for _ in range(200):  # descendants die on their own time; wait so that they no longer write
        try:
            os.killpg(group, 0)
        except (ProcessLookupError, PermissionError):
            break
        time.sleep(0.005)
    return process.returncode, usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024


def _cannot_start(program: str, cwd: Path, error: OSError) -> InfraError:
    if not cwd.is_dir():
        return InfraError(
            f"The working folder {cwd} does not exist.", "Check that the disk is there and writable."
        )
    if isinstance(error, FileNotFoundError):
        return InfraError(f"The program {program} was not found.", "Install it, or run `akgen doctor`.")
    return InfraError(f"The program {program} cannot be started: {error.strerror}.", "Run `akgen doctor`.")
