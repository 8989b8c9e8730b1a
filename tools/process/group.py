"""Start a program in a process group, and end the whole group; a program that goes on until it is told to stop.

The one file that imports subprocess.
"""

import contextlib
import os
import signal
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import IO

from akgen.tools.core.outcome import InfraError

Process = subprocess.Popen[bytes]
Stream = int | IO[bytes]
PIPE, NOTHING, AS_STDOUT = subprocess.PIPE, subprocess.DEVNULL, subprocess.STDOUT
MINIMAL_ENV: Mapping[str, str] = {"PATH": "/usr/local/bin:/usr/bin:/bin", "LANG": "C.UTF-8"}
KEEPER = Path(__file__).with_name("keeper.py")


def start(
    argv: Sequence[str | Path],
    *,
    cwd: Path,
    env: Mapping[str, str] | None,
    stdin: Stream,
    stdout: Stream,
    stderr: Stream,
    group: int = 0,
) -> Process:
    """Start a program in a process group: as the leader of a new one, or in that of the leader `group`.

    Its environment is `env`, whole; MINIMAL_ENV if None. Raises InfraError if it cannot be started.
    """
    command = [str(a) for a in argv]
    try:
        return subprocess.Popen(
            command,
            cwd=cwd,
            env=dict(MINIMAL_ENV if env is None else env),
            stdin=stdin,
            stdout=stdout,
            stderr=stderr,
            process_group=group,
        )
    except OSError as e:
        raise _cannot_start(command[0], cwd, e) from e


def end_group(process: Process) -> tuple[int, float, int]:
    """Kill what is left of the group, reap the process; return its code, CPU seconds and peak memory in bytes."""
    group = process.pid
    if process.returncode is not None:  # reaped by poll(): the number may belong to somebody else by now
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


def signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return str(number)


def _cannot_start(program: str, cwd: Path, error: OSError) -> InfraError:
    if not cwd.is_dir():
        return InfraError(
            f"The working folder {cwd} does not exist.", "Check that the disk is there and writable."
        )
    if isinstance(error, FileNotFoundError):
        return InfraError(f"The program {program} was not found.", "Install it, or run `akgen doctor`.")
    return InfraError(f"The program {program} cannot be started: {error.strerror}.", "Run `akgen doctor`.")


class Service:
    """A program that goes on until it is told to stop. Its output goes into a file.

    It is started at once; when the context ends it is interrupted, then told to end, and killed with its whole group if
    it has not ended within `patience_s`. If this process ends without that, even by SIGKILL, the service's keeper
    (`akgen.tools.process.keeper`) sees it and does the same.
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
        self._patience_s = patience_s
        self._keeper = start(
            [sys.executable, "-I", "-S", KEEPER, str(patience_s)],
            cwd=Path("/"),
            env=MINIMAL_ENV,
            stdin=PIPE,
            stdout=NOTHING,
            stderr=NOTHING,
        )
        try:
            self._process = self._start(argv, cwd, env, output)
        except BaseException:
            end_group(self._keeper)
            raise

    def _start(self, argv: Sequence[str | Path], cwd: Path, env: Mapping[str, str], output: Path) -> Process:
        """Start the program in its keeper's group, and name it to the keeper."""
        with output.open("wb") as handle:
            process = start(
                argv,
                cwd=cwd,
                env=env,
                stdin=NOTHING,
                stdout=handle,
                stderr=AS_STDOUT,
                group=self._keeper.pid,
            )
        assert self._keeper.stdin is not None
        with contextlib.suppress(BrokenPipeError):  # somebody killed the keeper: the service goes on without
            self._keeper.stdin.write(f"{process.pid}\n".encode())
            self._keeper.stdin.flush()
        return process

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
        # The keeper is not reaped yet, so its number still names the group.
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self._keeper.pid, signal.SIGKILL)
        self._process.wait()
        end_group(self._keeper)

    def __enter__(self) -> "Service":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()
